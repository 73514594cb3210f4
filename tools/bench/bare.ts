import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { buffer } from "node:stream/consumers";
import MarkdownIt from "markdown-it";

/** The text of a passage, as the index under test has it. */
export interface BareRow {
  readonly title: string;
  readonly body: string;
}

/**
 * The minimum of indexing a repository, in sequence in one process: git fetches the same blobs (tree first, then the documents), each
 * document is parsed once, and the same text is inserted into an FTS5 table once. Returns seconds.
 */
export async function bareIngest(
  url: string,
  rows: readonly BareRow[],
): Promise<{ fetch: number; parse: number; insert: number }> {
  const folder = await mkdtemp(join(tmpdir(), "lectern-bare-"));
  try {
    const start = performance.now();
    const documents = await fetchDocuments(url, folder);
    const fetched = performance.now();
    const markdown = new MarkdownIt({ html: true });
    for (const document of documents) markdown.parse(document, {});
    const parsed = performance.now();
    insertRows(join(folder, "bare.sqlite"), rows);
    const inserted = performance.now();
    return { fetch: (fetched - start) / 1000, parse: (parsed - fetched) / 1000, insert: (inserted - parsed) / 1000 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Seconds of `git clone --depth 1` of the whole repository with its work tree. */
export async function shallowClone(url: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "lectern-clone-"));
  try {
    const start = performance.now();
    await git(["clone", "--quiet", "--depth", "1", url, join(folder, "clone")]);
    return (performance.now() - start) / 1000;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fetchDocuments(url: string, folder: string): Promise<readonly string[]> {
  const repository = join(folder, "bare.git");
  await git(["clone", "--quiet", "--bare", "--depth", "1", "--filter=blob:none", url, repository]);
  const tree = await git(["-C", repository, "ls-tree", "-r", "-z", "HEAD"]);
  const oids = tree
    .toString("utf8")
    .split("\0")
    .filter((entry) => entry.endsWith(".md"))
    .map((entry) => entry.split(/[ \t]/)[2] ?? "");
  const wanted = oids.join("\n");
  const options = "--quiet origin --no-tags --no-write-fetch-head --filter=blob:none --stdin".split(" ");
  await git(["-C", repository, "-c", "fetch.negotiationAlgorithm=noop", "fetch", ...options], wanted);
  const batch = await git(["-C", repository, "cat-file", "--batch", "--buffer"], `${wanted}\n`);
  const documents: string[] = [];
  for (let at = 0; at < batch.length;) {
    const end = batch.indexOf(10, at);
    const size = Number(batch.toString("utf8", at, end).split(" ")[2]);
    documents.push(batch.toString("utf8", end + 1, end + 1 + size));
    at = end + 2 + size;
  }
  return documents;
}

function insertRows(file: string, rows: readonly BareRow[]): void {
  const database = new DatabaseSync(file);
  database.exec(
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE VIRTUAL TABLE bare USING fts5(title, body, tokenize = 'porter unicode61'); BEGIN",
  );
  const insert = database.prepare("INSERT INTO bare (title, body) VALUES (?, ?)");
  for (const { title, body } of rows) insert.run(title, body);
  database.exec("COMMIT");
  database.close();
}

async function git(args: readonly string[], input = ""): Promise<Buffer> {
  const child = spawn("git", args, { stdio: ["pipe", "pipe", "pipe"] });
  // If git ends without reading its input, its exit code reports the error.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [output, errors, code] = await Promise.all([buffer(child.stdout), buffer(child.stderr), ended]);
  if (code !== 0) throw new Error(`git ${args.join(" ")} ended with ${code}: ${errors.toString("utf8")}`);
  return output;
}
