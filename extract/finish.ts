import { hash } from "node:crypto";
import { linesUrl } from "../domain/links.ts";
import type { CodeBlock, Snippet, SnippetFlag } from "../domain/snippet.ts";
import type { SourceSpec } from "../domain/source.ts";
import { createLanguageCount } from "./language.ts";
import type { ExtractedSnippet, PageResult } from "./page.ts";
import { estimateTokens } from "./tokens.ts";

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
  observe(result: PageResult): void;
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
    observe(result) {
      if (result.outcome !== "indexed") return;
      for (const { codes } of result.snippets) for (const { language } of codes) languages.add(language);
    },
    finish(page, result, source) {
      if (result.outcome !== "indexed") return [];
      majority ??= languages.majority();
      const rank = readmes.indexOf(page.path.toLowerCase());
      if (rank >= 0 && rank < described.rank)
        described = { title: result.title, description: result.description, rank };
      const ordinals = new Map<string, number>();
      const shared = {
        title: result.title || source.libraryTitle || page.path,
        majority,
      };
      return result.snippets.map((extracted) => {
        const key = digest([page.path, extracted.breadcrumb, extracted.kind, textOf(extracted)]);
        const ordinal = ordinals.get(key) ?? 0;
        ordinals.set(key, ordinal + 1);
        const id = ordinal === 0 ? key : digest([key, ordinal]);
        return toSnippet(extracted, { ...shared, id, page, source, flags: flagsOf(extracted, seen) });
      });
    },
    describeLibrary: () => ({ title: described.title, description: described.description }),
  };
}

/** Names of the page that describes a library, the best first. */
const readmes = ["readme.md", "readme.mdx", "readme.markdown", "readme.txt"];

interface Finishing {
  readonly id: string;
  readonly page: FinishedPage;
  readonly source: FinishedSource;
  readonly title: string;
  readonly majority: string;
  readonly flags: readonly SnippetFlag[];
}

function toSnippet(extracted: ExtractedSnippet, { id, page, source, title, majority, flags }: Finishing): Snippet {
  const { kind, description, content, lines } = extracted;
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
    tokens: tokensOf(extracted),
    ...(flags.length === 0 ? {} : { flags }),
  };
}

function tokensOf({ title, description, breadcrumb, codes, content }: ExtractedSnippet): number {
  if (content !== undefined) return estimateTokens(content) + estimateTokens(breadcrumb.join(" > "));
  const code = codes.reduce((sum, block) => sum + estimateTokens(block.code), 0);
  return code + estimateTokens(title) + estimateTokens(description);
}

function textOf({ codes, content }: ExtractedSnippet): string {
  return content ?? codes.map(({ code }) => code).join("\n");
}

/** A snippet in quarantine is not served, so a later one is no duplicate of it. */
function flagsOf(extracted: ExtractedSnippet, seen: Set<string>): readonly SnippetFlag[] {
  const flags = extracted.flags ?? [];
  if (flags.includes("quarantined")) return flags;
  const key = digest([extracted.title, textOf(extracted)].map((text) => text.replace(/\s+/g, " ").trim()));
  if (seen.has(key)) return [...flags, "duplicate"];
  seen.add(key);
  return flags;
}

/** The first 22 characters, more than 128 bits, of SHA-256 in base64url. */
function digest(value: unknown): string {
  return hash("sha256", JSON.stringify(value), "base64url").slice(0, 22);
}

/**
 * The line of a snippet without what changes with every commit: revision and addresses. Equal lines mean that readers
 * are served the same.
 */
export function hashableLine(snippet: Snippet): string {
  const { page, source, ...rest } = snippet;
  return JSON.stringify({ ...rest, page: { title: page.title }, source: { path: source.path, lines: source.lines } });
}
