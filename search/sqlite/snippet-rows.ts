import { constants, zstdCompressSync } from "node:zlib";
import { searchFields } from "../../domain/ports.ts";
import type { SearchField } from "../../domain/ports.ts";
import { isServed } from "../../domain/snippet.ts";
import type { Snippet } from "../../domain/snippet.ts";
import { analyseSnippet } from "../../ranking/analyse.ts";
import { kindFacet, languageFacet } from "./snippet-format.ts";

/** Characters of snippet lines that are compressed together: enough to shrink, little to unpack for one snippet. */
const blockSize = 16_384;
const space = 32;

/** What the file keeps of one snippet. Rows count from 1, in the order in which they are made. */
export interface SnippetRow {
  readonly id: string;
  readonly kind: Snippet["kind"];
  readonly url: string;
  readonly tokens: number;
  /** Analysed terms of the fields in the order of `searchFields`, one line a field. */
  readonly fields: string;
  readonly facets: string;
}

/** A run of the snippets' own JSON lines, compressed; `first` is the row of the first one. */
export interface LineBlock {
  readonly first: number;
  readonly lines: Uint8Array;
}

/** Rows and blocks, each in order; a block may be complete before or after the rows that it covers. */
export interface RowBatch {
  readonly rows: readonly SnippetRow[];
  readonly blocks: readonly LineBlock[];
}

/** The last batch: what was left over, and the mean terms of each field. */
export interface RowsEnd extends RowBatch {
  readonly averageLength: Readonly<Record<SearchField, number>>;
}

/** Makes rows of snippet lines. */
export interface RowMaker {
  /** Rows of the served ones of the snippets, each given as its JSON line. @throws SyntaxError for a line that is no JSON */
  rows(lines: readonly string[]): RowBatch;
  finish(): RowsEnd;
}

/** Creates a maker of rows, for one generation. */
export function createRowMaker(): RowMaker {
  const lengths: Record<SearchField, number> = { title: 0, breadcrumb: 0, path: 0, identifiers: 0, prose: 0, code: 0 };
  let count = 0;
  let open: string[] = [];
  let openLength = 0;

  return {
    rows(lines) {
      const rows: SnippetRow[] = [];
      const blocks: LineBlock[] = [];
      for (const line of lines) {
        // A line of a generation, whose parts were checked against their hashes when they were read.
        const snippet = JSON.parse(line) as Snippet;
        if (!isServed(snippet)) continue;
        count += 1;
        rows.push(toRow(snippet));
        open.push(line);
        openLength += line.length;
        if (openLength >= blockSize) blocks.push(closeBlock());
      }
      return { rows, blocks };
    },
    finish() {
      const averages = searchFields.map((field) => [field, count === 0 ? 0 : lengths[field] / count]);
      const averageLength = Object.fromEntries(averages) as Record<SearchField, number>;
      return { rows: [], blocks: open.length === 0 ? [] : [closeBlock()], averageLength };
    },
  };

  function toRow(snippet: Snippet): SnippetRow {
    const fields = analyseSnippet(snippet);
    for (const field of searchFields) lengths[field] += countTerms(fields[field]);
    return {
      id: snippet.id,
      kind: snippet.kind,
      url: snippet.page.url,
      tokens: snippet.tokens,
      fields: searchFields.map((field) => fields[field]).join("\n"),
      facets: facetsOf(snippet),
    };
  }

  function closeBlock(): LineBlock {
    const level = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
    // A copy of its own size: what zlib returns is a view of a larger buffer, which would travel along.
    const lines = new Uint8Array(zstdCompressSync(open.join("\n"), level));
    const block = { first: count - open.length + 1, lines };
    open = [];
    openLength = 0;
    return block;
  }
}

function facetsOf(snippet: Snippet): string {
  const languages = new Set(snippet.codes.map(({ language }) => language));
  return [kindFacet(snippet.kind), ...[...languages].map(languageFacet)].join(" ");
}

function countTerms(text: string): number {
  if (text === "") return 0;
  let count = 1;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === space) count += 1;
  return count;
}
