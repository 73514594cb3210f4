import { DatabaseSync } from "node:sqlite";
import { constants, zstdCompressSync } from "node:zlib";
import { searchFields } from "../../domain/ports.ts";
import type { SearchField } from "../../domain/ports.ts";
import { isServed } from "../../domain/snippet.ts";
import type { Snippet } from "../../domain/snippet.ts";
import { analyseSnippet } from "../../ranking/analyse.ts";
import { kindFacet, languageFacet, snippetFormat, snippetSchema } from "./snippet-format.ts";

/** Characters of snippet lines that are compressed together: enough to shrink, little to unpack for one snippet. */
const blockSize = 16_384;
/** Bytes that FTS5 gathers in memory before it writes a segment; one segment needs no merging. */
const segmentBytes = 64 * 1024 * 1024;

/** Writes one snippet file, which is not to be read before `finish`. */
export interface SnippetWriter {
  /** Adds the served ones of the snippets, each given as its JSON line. Returns how many the file has now. */
  add(lines: readonly string[]): number;
  /** Completes and closes the file, and says how many snippets are in it. */
  finish(): number;
}

/** Creates the file at `path`, where none may be. A file that was not finished is worthless. */
export function createSnippetWriter(path: string): SnippetWriter {
  const db = new DatabaseSync(path);
  // Nobody reads this file before it is whole, and a broken build is thrown away: no journal is needed.
  db.exec("PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");
  db.exec(snippetSchema);
  db.exec(`INSERT INTO lookup(lookup, rank) VALUES ('hashsize', ${segmentBytes}); BEGIN`);
  const addLookup = db.prepare(
    "INSERT INTO lookup(rowid, title, breadcrumb, path, identifiers, prose, code, facets) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const addSnippet = db.prepare("INSERT INTO snippets VALUES (?, ?, ?, ?, ?, ?)");
  const addPage = db.prepare("INSERT INTO pages VALUES (?, ?)");
  const addBlock = db.prepare("INSERT INTO blocks VALUES (?, ?)");

  const pages = new Map<string, number>();
  const lengths: Record<SearchField, number> = { title: 0, breadcrumb: 0, path: 0, identifiers: 0, prose: 0, code: 0 };
  let count = 0;
  let block: string[] = [];
  let blockLength = 0;

  return {
    add(lines) {
      for (const line of lines) addLine(line);
      return count;
    },
    finish() {
      closeBlock();
      const addMeta = db.prepare("INSERT INTO meta VALUES (?, ?)");
      const averages = searchFields.map((field) => [field, count === 0 ? 0 : lengths[field] / count]);
      addMeta.run("averageLength", JSON.stringify(Object.fromEntries(averages)));
      addMeta.run("count", String(count));
      addMeta.run("format", snippetFormat);
      db.exec("COMMIT; INSERT INTO lookup(lookup) VALUES ('optimize')");
      db.exec("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, lookup, row)");
      db.exec("INSERT INTO terms SELECT term, doc FROM temp.vocabulary; DROP TABLE temp.vocabulary");
      db.close();
      return count;
    },
  };

  function addLine(line: string): void {
    // A line of a generation, whose parts were checked against their hashes when they were read.
    const snippet = JSON.parse(line) as Snippet;
    if (!isServed(snippet)) return;
    const fields = analyseSnippet(snippet);
    count += 1;
    const { title, breadcrumb, path, identifiers, prose, code } = fields;
    addLookup.run(count, title, breadcrumb, path, identifiers, prose, code, facetsOf(snippet));
    const texts = searchFields.map((field) => fields[field]);
    addSnippet.run(count, snippet.id, snippet.kind, pageOf(snippet), snippet.tokens, texts.join("\n"));
    for (const field of searchFields) lengths[field] += countTerms(fields[field]);
    block.push(line);
    blockLength += line.length;
    if (blockLength >= blockSize) closeBlock();
  }

  function pageOf({ page: { url } }: Snippet): number {
    const known = pages.get(url);
    if (known !== undefined) return known;
    const page = pages.size + 1;
    pages.set(url, page);
    addPage.run(page, url);
    return page;
  }

  function closeBlock(): void {
    if (block.length === 0) return;
    const level = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
    addBlock.run(count - block.length + 1, zstdCompressSync(block.join("\n"), level));
    block = [];
    blockLength = 0;
  }
}

function facetsOf(snippet: Snippet): string {
  const languages = new Set(snippet.codes.map(({ language }) => language));
  return [kindFacet(snippet.kind), ...[...languages].map(languageFacet)].join(" ");
}

function countTerms(text: string): number {
  if (text === "") return 0;
  let count = 1;
  for (let at = text.indexOf(" "); at >= 0; at = text.indexOf(" ", at + 1)) count += 1;
  return count;
}
