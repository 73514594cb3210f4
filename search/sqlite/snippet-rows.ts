import { searchFields } from "../../domain/ports.ts";
import { isServed } from "../../domain/snippet.ts";
import type { Snippet } from "../../domain/snippet.ts";
import { analyseSnippet } from "../../ranking/analyse.ts";
import { kindFacet, languageFacet } from "./snippet-format.ts";

/** What the file keeps of one snippet. */
export interface SnippetRow {
  readonly id: string;
  readonly kind: Snippet["kind"];
  /** Address of the page. */
  readonly url: string;
  readonly tokens: number;
  /** Analysed terms of the fields in the order of `searchFields`, one line a field. */
  readonly fields: string;
  /** Tokens of the column `facets`, joined with spaces. */
  readonly facets: string;
  /** The snippet's own JSON. */
  readonly line: string;
}

/** Rows of the served ones of the snippets, each given as its JSON line. @throws SyntaxError for a line that is no JSON */
export function toRows(lines: readonly string[]): SnippetRow[] {
  return lines.flatMap((line) => {
    // A line of a generation, whose parts were checked against their hashes when they were read.
    const snippet = JSON.parse(line) as Snippet;
    return isServed(snippet) ? [toRow(snippet, line)] : [];
  });
}

function toRow(snippet: Snippet, line: string): SnippetRow {
  const fields = analyseSnippet(snippet);
  return {
    id: snippet.id,
    kind: snippet.kind,
    url: snippet.page.url,
    tokens: snippet.tokens,
    fields: searchFields.map((field) => fields[field]).join("\n"),
    facets: facetsOf(snippet),
    line,
  };
}

function facetsOf(snippet: Snippet): string {
  const languages = new Set(snippet.codes.map(({ language }) => language));
  return [kindFacet(snippet.kind), ...[...languages].map(languageFacet)].join(" ");
}
