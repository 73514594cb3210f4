import { isServed } from "../../domain/snippet.ts";
import type { Snippet } from "../../domain/snippet.ts";
import { writeSnippet, writtenFields } from "../../ranking/analyse.ts";
import { ByteBuffer, TermBuffer } from "../../ranking/term-buffer.ts";
import { withLanguage } from "../served.ts";
import { kindFacet, languageFacet } from "./snippet-format.ts";

/** What the file keeps of some snippets. Texts are UTF-8 in one piece: many small strings take long to hand over. */
export interface SnippetRows {
  /** JSON of an array with the `SnippetHead` of each row. */
  readonly heads: string;
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

/** A row besides its texts: id, kind, address of the page, tokens, and the terms of the field `facets`. */
export type SnippetHead = readonly [id: string, kind: Snippet["kind"], url: string, tokens: number, facets: string];

/** Snippets to analyse. */
export interface SnippetLines {
  /** Their JSON, one a line. */
  readonly lines: string;
  /** What code blocks without a language are given. */
  readonly language: string;
}

/** Where `toRows` is, for threads to find it. */
export const analysis = { module: new URL(import.meta.url), name: "toRows" };

/** Written anew for each batch; what they grew to is kept. */
const fields = new TermBuffer(0);
const lines = new ByteBuffer(0);

/**
 * Rows of the served ones of the snippets. A pure function that threads may run.
 * @throws SyntaxError for a line that is no JSON
 */
export function toRows({ lines: text, language }: SnippetLines): SnippetRows {
  const heads: SnippetHead[] = [];
  const fieldEnds: number[] = [];
  const lengths = writtenFields.map(() => 0);
  const lineEnds: number[] = [];
  fields.length = 0;
  lines.length = 0;
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
    heads: JSON.stringify(heads),
    fields: fields.bytes.slice(0, fields.length),
    fieldEnds: Uint32Array.from(fieldEnds),
    lengths,
    lines: lines.bytes.slice(0, lines.length),
    lineEnds: Uint32Array.from(lineEnds),
  };
}

function facetsOf(snippet: Snippet): string {
  const languages = new Set(snippet.codes.map(({ language }) => language));
  return [kindFacet(snippet.kind), ...[...languages].map(languageFacet)].join(" ");
}
