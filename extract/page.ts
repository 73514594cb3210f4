import type { CodeBlock, SkipCode, SnippetFlag } from "../domain/snippet.ts";

/** One page to extract from: its text and where it stands in the tree. */
export interface PageInput {
  /** Path in the tree, forward slashes; its ending chooses the format. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A snippet before the finishing pass: without revision and address, so that it can be used again at another revision. */
export interface PlainSnippet {
  readonly kind: "code" | "info";
  readonly title: string;
  readonly description: string;
  readonly breadcrumb: readonly string[];
  readonly codes: readonly CodeBlock[];
  readonly content?: string;
  /** First and last line in the file, from 1, both included. */
  readonly lines: readonly [number, number];
  readonly flags?: readonly SnippetFlag[];
}

/** A snippet with what is worked out of its own text and place. */
export interface ExtractedSnippet extends PlainSnippet {
  /** Unique on its page, and the same again for the same text below the same headings. */
  readonly id: string;
  /** Equal for snippets that say the same, wherever they stand. */
  readonly sameness: string;
  /** Estimated model tokens of what is served. */
  readonly tokens: number;
}

/** What extraction says of one page. Pure function of the input and the extractor version. */
export type PageResult =
  | {
      readonly outcome: "indexed";
      readonly title: string;
      /** First paragraph of prose, for describing the page or the library. */
      readonly description: string;
      readonly snippets: readonly ExtractedSnippet[];
    }
  | { readonly outcome: "skipped"; readonly code: SkipCode; readonly reason: string };

/** What the passes over all pages need to know of one before they read its result. */
export type PageSummary =
  | {
      readonly outcome: "indexed";
      readonly title: string;
      readonly snippets: number;
      /** Blocks of code in each language. */
      readonly languages: Readonly<Record<string, number>>;
    }
  | Extract<PageResult, { outcome: "skipped" }>;

/** A result as it is sent and kept: what is needed at once, and the whole as JSON, which need not be parsed until it is finished. */
export interface ParsedPage {
  readonly summary: PageSummary;
  /** JSON of the PageResult. */
  readonly json: string;
}

/** The part of a result that is needed before it is finished. */
export function toParsedPage(result: PageResult): ParsedPage {
  const json = JSON.stringify(result);
  if (result.outcome === "skipped") return { summary: result, json };
  const languages: Record<string, number> = {};
  for (const { codes } of result.snippets) {
    for (const { language } of codes) languages[language] = (languages[language] ?? 0) + 1;
  }
  return { summary: { outcome: "indexed", title: result.title, snippets: result.snippets.length, languages }, json };
}
