import { DatabaseSync } from "node:sqlite";
import { searchFields } from "../../domain/ports.ts";
import { createPostingMerger } from "./posting-merger.ts";
import { longestNumber, writeNumber } from "./posting-writer.ts";
import { postingIndex, snippetFormat, snippetSchema } from "./snippet-format.ts";
import type { PageHead, SnippetHead, SnippetRows } from "./snippet-rows.ts";

/** Writes one snippet file, which is not to be read before `finish`. */
export interface SnippetWriter {
  /** Adds rows. Returns how many the file has now. */
  add(rows: SnippetRows): number;
  /** Completes and closes the file, and says how many snippets are in it. */
  finish(): number;
}

/** Creates the file at `path`, where none may be. A file that was not finished is worthless. */
export function createSnippetWriter(path: string): SnippetWriter {
  const db = new DatabaseSync(path);
  // Nobody reads this file before it is whole, and a broken build is thrown away: no journal is needed.
  db.exec("PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");
  db.exec(snippetSchema);
  db.exec("BEGIN");
  const addSegment = db.prepare("INSERT INTO segments VALUES (?, ?)");
  const addList = db.prepare("INSERT INTO postings VALUES (?, ?, ?, ?)");
  const addSnippet = db.prepare("INSERT INTO snippets VALUES (?, ?, ?, ?, ?, ?, ?)");
  const addPage = db.prepare("INSERT INTO pages VALUES (?, ?, ?)");
  const addBlock = db.prepare("INSERT INTO blocks VALUES (?, ?)");

  const pages = new Map<string, number>();
  /** Terms in each of `searchFields`, all rows together. */
  const lengths = searchFields.map(() => 0);
  const packed = new Uint8Array(searchFields.length * longestNumber);
  let count = 0;
  let segments = 0;
  const postings = createPostingMerger(({ lengths: rowLengths, lists }) => {
    segments += 1;
    addSegment.run(segments, new Uint8Array(rowLengths.buffer));
    for (const [term, frequency, list] of lists) addList.run(segments, term, frequency, list);
  });

  return {
    add(rows) {
      addBlocks(rows);
      postings.add(rows.postings);
      const pageNumbers = (JSON.parse(rows.pages) as readonly PageHead[]).map(pageOf);
      const heads = JSON.parse(rows.heads) as readonly SnippetHead[];
      for (const [row, [id, kind, page, tokens, belowTitle]] of heads.entries()) {
        count += 1;
        addSnippet.run(count, id, kind, pageNumbers[page] ?? 0, tokens, belowTitle, lengthsOf(rows, row));
      }
      return count;
    },
    finish() {
      postings.finish();
      const averageLength = Object.fromEntries(
        searchFields.map((field, at) => [field, (lengths[at] ?? 0) / Math.max(count, 1)]),
      );
      const addMeta = db.prepare("INSERT INTO meta VALUES (?, ?)");
      addMeta.run("averageLength", JSON.stringify(averageLength));
      addMeta.run("count", String(count));
      addMeta.run("format", snippetFormat);
      db.exec(`${postingIndex}; COMMIT`);
      db.close();
      return count;
    },
  };

  function addBlocks({ blocks, blockEnds, blockRows }: SnippetRows): void {
    let first = count + 1;
    let start = 0;
    for (const [at, end] of blockEnds.entries()) {
      addBlock.run(first, blocks.subarray(start, end));
      first += blockRows[at] ?? 0;
      start = end;
    }
  }

  /** How many terms the fields of a row have, as posting lists have numbers. Good until the next one. */
  function lengthsOf(rows: SnippetRows, row: number): Uint8Array {
    let end = 0;
    for (let field = 0; field < lengths.length; field++) {
      const terms = rows.lengths[row * lengths.length + field] ?? 0;
      lengths[field] = (lengths[field] ?? 0) + terms;
      end = writeNumber(packed, end, terms);
    }
    return packed.subarray(0, end);
  }

  function pageOf([url, path]: PageHead): number {
    const known = pages.get(url);
    if (known !== undefined) return known;
    const page = pages.size + 1;
    pages.set(url, page);
    addPage.run(page, url, path);
    return page;
  }
}
