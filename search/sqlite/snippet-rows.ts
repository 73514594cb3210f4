import { isServed } from "../../domain/snippet.ts";
import type { Snippet } from "../../domain/snippet.ts";
import { writeSnippet, writtenFields } from "../../ranking/analyse.ts";
import { ByteBuffer, TermBuffer } from "../../ranking/term-buffer.ts";
import { kindFacet, languageFacet } from "./snippet-format.ts";

/** What the file keeps of some snippets. Texts are UTF-8 in one piece: many small strings take long to hand over. */
export interface SnippetRows {
  readonly heads: readonly SnippetHead[];
  /** Analysed terms of the fields in the order of `writtenFields`, one line a field. */
  readonly fields: Uint8Array<ArrayBuffer>;
  /** Where each field of each row ends in `fields`, its line break included. */
  readonly fieldEnds: Uint32Array<ArrayBuffer>;
  /** Terms in each of `writtenFields`, all rows together. */
  readonly lengths: readonly number[];
  /** The snippets' own JSON, a line each. */
  readonly lines: Uint8Array<ArrayBuffer>;
  /** Where each line ends in `lines`, its line break included. */
  readonly lineEnds: Uint32Array<ArrayBuffer>;
}

/** A row besides its texts: id, kind, address of the page, tokens, and the tokens of the column `facets`. */
export type SnippetHead = readonly [id: string, kind: Snippet["kind"], url: string, tokens: number, facets: string];

/**
 * Rows of the served ones of the snippets, which are given as JSON, one a line. Code blocks without a language are
 * given `language`.
 * @throws SyntaxError for a line that is no JSON
 */
export function toRows(text: string, language: string): SnippetRows {
  const heads: SnippetHead[] = [];
  const fields = new TermBuffer(text.length);
  const fieldEnds: number[] = [];
  const lengths = writtenFields.map(() => 0);
  const lines = new ByteBuffer(2 * text.length);
  const lineEnds: number[] = [];
  for (const line of text.split("\n")) {
    // A line of a generation, whose parts were checked against their hashes when they were read.
    const read = JSON.parse(line) as Snippet;
    if (!isServed(read)) continue;
    const snippet = withLanguage(read, language);
    heads.push([snippet.id, snippet.kind, snippet.page.url, snippet.tokens, facetsOf(snippet)]);
    let field = 0;
    writeSnippet(fields, snippet, (terms) => {
      fieldEnds.push(fields.length);
      lengths[field] = (lengths[field] ?? 0) + terms;
      field += 1;
    });
    lines.write(snippet === read ? line : JSON.stringify(snippet));
    lines.endLine();
    lineEnds.push(lines.length);
  }
  return {
    heads,
    fields: fields.bytes.subarray(0, fields.length),
    fieldEnds: Uint32Array.from(fieldEnds),
    lengths,
    lines: lines.bytes.subarray(0, lines.length),
    lineEnds: Uint32Array.from(lineEnds),
  };
}

function withLanguage(snippet: Snippet, language: string): Snippet {
  if (language === "" || snippet.codes.every((block) => block.language !== "")) return snippet;
  return { ...snippet, codes: snippet.codes.map((block) => (block.language === "" ? { ...block, language } : block)) };
}

function facetsOf(snippet: Snippet): string {
  const languages = new Set(snippet.codes.map(({ language }) => language));
  return [kindFacet(snippet.kind), ...[...languages].map(languageFacet)].join(" ");
}
