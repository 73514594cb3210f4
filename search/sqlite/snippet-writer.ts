import { DatabaseSync } from "node:sqlite";
import { constants, zstdCompressSync } from "node:zlib";
import { searchFields } from "../../domain/ports.ts";
import { snippetFormat, snippetSchema } from "./snippet-format.ts";
import type { SnippetRow } from "./snippet-rows.ts";

/** Characters of snippet lines that are compressed together: enough to shrink, little to unpack for one snippet. */
const blockSize = 16_384;
const space = 32;
/**
 * Bytes that FTS5 gathers in memory before it writes a segment. Segments are not merged until the end, and then all at
 * once: each merge on the way would read and write the same terms again.
 */
const segmentBytes = 32 * 1024 * 1024;
/** More segments than a generation within the limits has; FTS5 allows 2000. */
const mostSegments = 1999;

/** Writes one snippet file, which is not to be read before `finish`. */
export interface SnippetWriter {
  /** Adds rows. Returns how many the file has now. */
  add(rows: readonly SnippetRow[]): number;
  /** Completes and closes the file, and says how many snippets are in it. */
  finish(): number;
}

/** Creates the file at `path`, where none may be. A file that was not finished is worthless. */
export function createSnippetWriter(path: string): SnippetWriter {
  const db = new DatabaseSync(path);
  // Nobody reads this file before it is whole, and a broken build is thrown away: no journal is needed.
  db.exec("PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");
  db.exec(snippetSchema);
  const settings = { hashsize: segmentBytes, automerge: 0, crisismerge: mostSegments };
  for (const [name, value] of Object.entries(settings)) {
    db.exec(`INSERT INTO lookup(lookup, rank) VALUES ('${name}', ${value})`);
  }
  db.exec("BEGIN");
  const addLookup = db.prepare(
    "INSERT INTO lookup(rowid, title, breadcrumb, path, identifiers, prose, code, facets) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const addSnippet = db.prepare("INSERT INTO snippets VALUES (?, ?, ?, ?, ?, ?)");
  const addPage = db.prepare("INSERT INTO pages VALUES (?, ?)");
  const addBlock = db.prepare("INSERT INTO blocks VALUES (?, ?)");

  const pages = new Map<string, number>();
  /** Terms in each field of all rows, in the order of `searchFields`. */
  const lengths = searchFields.map(() => 0);
  let count = 0;
  let block: string[] = [];
  let blockLength = 0;

  return {
    add(rows) {
      for (const row of rows) addRow(row);
      return count;
    },
    finish() {
      closeBlock();
      const averageLength = Object.fromEntries(
        searchFields.map((field, at) => [field, (lengths[at] ?? 0) / Math.max(count, 1)]),
      );
      const addMeta = db.prepare("INSERT INTO meta VALUES (?, ?)");
      addMeta.run("averageLength", JSON.stringify(averageLength));
      addMeta.run("count", String(count));
      addMeta.run("format", snippetFormat);
      db.exec("COMMIT; INSERT INTO lookup(lookup) VALUES ('optimize')");
      db.exec("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, lookup, row)");
      db.exec("INSERT INTO terms SELECT term, doc FROM temp.vocabulary; DROP TABLE temp.vocabulary");
      db.close();
      return count;
    },
  };

  function addRow({ id, kind, url, tokens, fields, facets, line }: SnippetRow): void {
    count += 1;
    const texts = fields.split("\n");
    for (const [at, text] of texts.entries()) lengths[at] = (lengths[at] ?? 0) + countTerms(text);
    const [title = "", breadcrumb = "", path = "", identifiers = "", prose = "", code = ""] = texts;
    addLookup.run(count, title, breadcrumb, path, identifiers, prose, code, facets);
    addSnippet.run(count, id, kind, pageOf(url), tokens, fields);
    block.push(line);
    blockLength += line.length;
    if (blockLength >= blockSize) closeBlock();
  }

  function closeBlock(): void {
    if (block.length === 0) return;
    const level = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
    addBlock.run(count - block.length + 1, zstdCompressSync(block.join("\n"), level));
    block = [];
    blockLength = 0;
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

function countTerms(text: string): number {
  if (text === "") return 0;
  let count = 1;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === space) count += 1;
  return count;
}
