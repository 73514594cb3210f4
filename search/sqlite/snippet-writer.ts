import { DatabaseSync } from "node:sqlite";
import { constants, zstdCompressSync } from "node:zlib";
import { writtenFields } from "../../ranking/analyse.ts";
import { createPostingWriter } from "./posting-writer.ts";
import { snippetFormat, snippetSchema } from "./snippet-format.ts";
import type { SnippetHead, SnippetRows } from "./snippet-rows.ts";

/** Bytes of snippet lines that are compressed together: enough to shrink, little to unpack for one snippet. */
const blockSize = 8192;
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

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
  db.exec("PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");
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
  const postings = createPostingWriter(({ lengths: rowLengths, lists }) => {
    segments += 1;
    addSegment.run(segments, new Uint8Array(rowLengths.buffer));
    for (const [term, frequency, list] of lists) addList.run(segments, term, frequency, list);
  });

  return {
    add(rows) {
      for (const [at, terms] of rows.lengths.entries()) lengths[at] = (lengths[at] ?? 0) + terms;
      addBlocks(rows);
      const heads = JSON.parse(rows.heads) as readonly SnippetHead[];
      for (const [row, head] of heads.entries()) addRow(rows, row, head);
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

  function addRow({ fields, fieldEnds }: SnippetRows, row: number, head: SnippetHead): void {
    const [id, kind, url, tokens, facets] = head;
    count += 1;
    const first = row * writtenFields.length;
    const start = first === 0 ? 0 : (fieldEnds[first - 1] ?? 0);
    const ends = fieldEnds.subarray(first, first + writtenFields.length);
    const [title = 0, breadcrumb = 0, path = 0, prose = 0, code = 0, identifiers = 0] = ends;
    const until = [title, breadcrumb, path, prose, code];
    const texts = until.map((end, at) => fields.subarray(until[at - 1] ?? start, end - 1));
    postings.add([...texts, Buffer.from(facets)]);
    addSnippet.run(count, id, kind, pageOf(url), tokens, fields.subarray(start, identifiers - 1));
  }

  /** Compresses the lines, those of a batch in blocks of their own. */
  function addBlocks({ lines, lineEnds }: SnippetRows): void {
    let first = 0;
    let start = 0;
    for (const [at, end] of lineEnds.entries()) {
      if (end - start < blockSize && at + 1 < lineEnds.length) continue;
      addBlock.run(count + 1 + first, zstdCompressSync(lines.subarray(start, end), compression));
      first = at + 1;
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
