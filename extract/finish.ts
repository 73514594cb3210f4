import { linesUrl } from "../domain/links.ts";
import type { CodeBlock, Snippet, SnippetFlag } from "../domain/snippet.ts";
import type { SourceSpec } from "../domain/source.ts";
import { createLanguageCount } from "./language.ts";
import type { ExtractedSnippet, PageResult, PageSummary } from "./page.ts";

/** Where a page stands, and the address that shows it at the revision that was read. */
export interface FinishedPage {
  readonly path: string;
  readonly url: string;
}

/** What was read. `libraryTitle` stands in for the title of a page that has none. */
export interface FinishedSource {
  readonly spec: SourceSpec;
  readonly revision: string;
  readonly libraryTitle?: string;
}

/** The pass over all pages of a library that turns what extraction says into what is served. It keeps hashes and counters only. */
export interface Finisher {
  /** Takes a page into account. Every page, before the first `finish`. */
  observe(summary: PageSummary): void;
  /** The snippets of a page; pages in the same order as they were observed in, each once. */
  finish(page: FinishedPage, result: PageResult, source: FinishedSource): Snippet[];
  /** What the README at the root says the library is, "" where it says nothing. After the last `finish`. */
  describeLibrary(): { readonly title: string; readonly description: string };
}

/** Creates the finishing pass for one generation. */
export function createFinisher(): Finisher {
  const languages = createLanguageCount();
  const seen = new Set<string>();
  let majority: string | undefined;
  let described = { title: "", description: "", rank: readmes.length };

  return {
    observe(summary) {
      if (summary.outcome !== "indexed") return;
      for (const [language, count] of Object.entries(summary.languages)) languages.add(language, count);
    },
    finish(page, result, source) {
      if (result.outcome !== "indexed") return [];
      majority ??= languages.majority();
      const rank = readmes.indexOf(page.path.toLowerCase());
      if (rank >= 0 && rank < described.rank)
        described = { title: result.title, description: result.description, rank };
      const shared = {
        title: result.title || source.libraryTitle || page.path,
        majority,
      };
      return result.snippets.map((extracted) =>
        toSnippet(extracted, { ...shared, page, source, flags: flagsOf(extracted, seen) }),
      );
    },
    describeLibrary: () => ({ title: described.title, description: described.description }),
  };
}

/** Names of the page that describes a library, the best first. */
const readmes = ["readme.md", "readme.mdx", "readme.markdown", "readme.txt"];

interface Finishing {
  readonly page: FinishedPage;
  readonly source: FinishedSource;
  readonly title: string;
  readonly majority: string;
  readonly flags: readonly SnippetFlag[];
}

function toSnippet(extracted: ExtractedSnippet, { page, source, title, majority, flags }: Finishing): Snippet {
  const { id, kind, description, content, lines, tokens } = extracted;
  const breadcrumb = extracted.breadcrumb.length === 0 ? [title] : extracted.breadcrumb;
  const codes = extracted.codes.map((code): CodeBlock =>
    code.language === "" ? { ...code, language: majority } : code,
  );
  return {
    id,
    kind,
    title: extracted.title || title,
    description,
    breadcrumb,
    codes,
    ...(content === undefined ? {} : { content }),
    page: { title, url: page.url },
    source: { path: page.path, url: linesUrl(source.spec, page.url, lines), lines, revision: source.revision },
    tokens,
    ...(flags.length === 0 ? {} : { flags }),
  };
}

/** A snippet in quarantine is not served, so a later one is no duplicate of it. */
function flagsOf(extracted: ExtractedSnippet, seen: Set<string>): readonly SnippetFlag[] {
  const flags = extracted.flags ?? [];
  if (flags.includes("quarantined")) return flags;
  if (seen.has(extracted.sameness)) return [...flags, "duplicate"];
  seen.add(extracted.sameness);
  return flags;
}

/**
 * The line of a snippet without what changes with every commit: revision and addresses. Equal lines mean that readers
 * are served the same.
 */
export function hashableLine(snippet: Snippet): string {
  const { page, source, ...rest } = snippet;
  return JSON.stringify({ ...rest, page: { title: page.title }, source: { path: source.path, lines: source.lines } });
}
