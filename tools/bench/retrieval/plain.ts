import { readFile } from "node:fs/promises";
import { globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { firstOccurrences } from "./metrics.ts";

/** The baseline: full-text search that anybody can set up in an afternoon. */
export interface PlainIndex {
  /** Pages of the best ten chunks, best first. */
  pages(question: string): readonly string[];
  close(): void;
}

interface Chunk {
  readonly title: string;
  readonly body: string;
}

/** Maximum number of chunks in an answer. */
const maxChunks = 10;

/**
 * Plain SQLite full-text search over a folder of Markdown: a row for each heading with the text below it, stemmed by
 * Porter, ordered by BM25 with the title counting three times, the words of a question joined with OR.
 */
export async function createPlainIndex(folder: string): Promise<PlainIndex> {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE VIRTUAL TABLE chunks USING fts5(page UNINDEXED, title, body, tokenize = 'porter unicode61')");
  const insert = database.prepare("INSERT INTO chunks (page, title, body) VALUES (?, ?, ?)");
  for (const page of globSync("**/*.{md,mdx}", { cwd: folder }).toSorted()) {
    const text = await readFile(join(folder, page), "utf8");
    for (const { title, body } of splitAtHeadings(text)) insert.run(page.replaceAll("\\", "/"), title, body);
  }
  const select = database.prepare(
    "SELECT page FROM chunks WHERE chunks MATCH ? ORDER BY bm25(chunks, 0, 3, 1), rowid LIMIT ?",
  );
  return {
    pages(question) {
      const words = new Set(question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
      if (words.size === 0) return [];
      const rows = select.all([...words].map((word) => `"${word}"`).join(" OR "), maxChunks);
      return firstOccurrences(rows.map(({ page }) => String(page)));
    },
    close: () => database.close(),
  };
}

/** Splits Markdown at its headings (`#` to `######`, outside of fences); the text before the first has the title of the front matter. */
export function splitAtHeadings(text: string): readonly Chunk[] {
  const front = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(text);
  let title = /^title:\s*["']?(.*?)["']?\s*$/m.exec(front?.[1] ?? "")?.[1] ?? "";
  let lines: string[] = [];
  let fence = "";
  const chunks: Chunk[] = [];
  const close = (): void => {
    const body = lines.join("\n").trim();
    if (title !== "" || body !== "") chunks.push({ title, body });
  };
  for (const line of text.slice(front?.[0].length ?? 0).split(/\r?\n/)) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (fence === "") fence = mark;
    else if (mark.startsWith(fence)) fence = "";
    const heading = fence === "" ? /^#{1,6}\s+(.+?)\s*#*$/.exec(line)?.[1] : undefined;
    if (heading === undefined) lines.push(line);
    else {
      close();
      title = heading;
      lines = [];
    }
  }
  close();
  return chunks;
}
