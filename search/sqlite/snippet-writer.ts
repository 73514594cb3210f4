import { DatabaseSync } from "node:sqlite";
import { writtenFields } from "../../ranking/analyse.ts";
import { createPostingMerger } from "./posting-merger.ts";
import { snippetFormat, snippetSchema } from "./snippet-format.ts";
import type { SnippetHead, SnippetRows } from "./snippet-rows.ts";

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
  // The texts come as bytes; as text they are stored.
  const addSnippet = db.prepare("INSERT INTO snippets VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT))");
  const addPage = db.prepare("INSERT INTO pages VALUES (?, ?)");
  const addBlock = db.prepare("INSERT INTO blocks VALUES (?, ?)");

  const pages = new Map<string, number>();
  /** Terms in each of `writtenFields`, all rows together. */
  const lengths = writtenFields.map(() => 0);
  let count = 0;
  let segments = 0;
  const postings = createPostingMerger(({ lengths: rowLengths, lists }) => {
    segments += 1;
    addSegment.run(segments, new Uint8Array(rowLengths.buffer));
    for (const [term, frequency, list] of lists) addList.run(segments, term, frequency, list);
  });

  return {
    add(rows) {
      for (const [at, terms] of rows.lengths.entries()) lengths[at] = (lengths[at] ?? 0) + terms;
      addBlocks(rows);
      postings.add(rows.postings);
      const heads = JSON.parse(rows.heads) as readonly SnippetHead[];
      let start = 0;
      for (const [row, [id, kind, url, tokens]] of heads.entries()) {
        const end = rows.fieldEnds[row] ?? 0;
        count += 1;
        addSnippet.run(count, id, kind, pageOf(url), tokens, rows.fields.subarray(start, end - 1));
        start = end;
      }
      return count;
    },
    finish() {
      postings.finish();
      const averageLength = Object.fromEntries(
        writtenFields.map((field, at) => [field, (lengths[at] ?? 0) / Math.max(count, 1)]),
      );
      const addMeta = db.prepare("INSERT INTO meta VALUES (?, ?)");
      addMeta.run("averageLength", JSON.stringify(averageLength));
      addMeta.run("count", String(count));
      addMeta.run("format", snippetFormat);
      db.exec("INSERT INTO terms SELECT term, sum(frequency) FROM postings GROUP BY term; COMMIT");
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

  function pageOf(url: string): number {
    const known = pages.get(url);
    if (known !== undefined) return known;
    const page = pages.size + 1;
    pages.set(url, page);
    addPage.run(page, url);
    return page;
  }
}
