/**
 * Replaces git where it is not installed (slim images): the three commands of git that `checkout.ts` runs, with the same arguments,
 * environment, output and errors, on isomorphic-git. It holds packs in memory, so it is for small repositories (`program.ts`).
 * isomorphic-git 1.44 verifies neither packs nor objects, so both are verified here.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import git from "isomorphic-git";

/** Git's default (`core.maxTreeDepth`). */
const maxDepth = 2048;

const gitdir = process.env["GIT_DIR"] ?? "";
/** Cache of packs, for the lifetime of the process. */
const cache = {};

const [command = "", ...args] = process.argv.slice(2);
try {
  if (command === "index-pack") await indexPack();
  else if (command === "ls-tree") await listTree(args.at(-1) ?? "");
  else if (command === "cat-file") await pipeline(readBlobs(await readLines()), process.stdout);
  else throw new Error(`no such command: ${command}`);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`fatal: ${error instanceof RangeError ? `out of memory: ${message}` : message}\n`);
  process.exitCode = 128;
}

/** `git index-pack --stdin`. A pack ends with the SHA-1 of its other bytes (gitformat-pack). */
async function indexPack(): Promise<void> {
  const pack = Buffer.concat(await Array.fromAsync(process.stdin as AsyncIterable<Buffer>));
  const end = pack.length - 20;
  const sum = pack.subarray(end);
  if (end < 12 || !createHash("sha1").update(pack.subarray(0, end)).digest().equals(sum))
    throw new Error("early EOF: the pack is not whole");
  const filepath = join("objects", "pack", `pack-${sum.toString("hex")}.pack`);
  await writeFile(join(gitdir, filepath), pack);
  await git.indexPack({ fs, dir: gitdir, gitdir, filepath, cache });
}

/** `git ls-tree -r -z --full-tree`: `<mode> <type> <oid>\t<path>\0`, in git's order. */
async function listTree(commit: string): Promise<void> {
  const { object } = await read(commit, "commit");
  const tree = /^tree ([\da-f]{40})$/m.exec(object.toString("latin1"))?.[1];
  if (tree === undefined) throw new Error(`not a tree object: ${commit}`);
  await pipeline(entriesOf(tree, "", 0), process.stdout);
}

async function* entriesOf(oid: string, folder: string, depth: number): AsyncGenerator<Buffer> {
  if (depth > maxDepth) throw new Error("exceeded maximum allowed tree depth");
  const { object } = await read(oid, "tree");
  for (let at = 0; at < object.length;) {
    const space = object.indexOf(0x20, at);
    const end = object.indexOf(0, space);
    if (space < 0 || end < 0 || end + 21 > object.length) throw new Error("too-short tree object");
    const mode = object.toString("latin1", at, space).padStart(6, "0");
    const path = Buffer.concat([Buffer.from(folder, "latin1"), object.subarray(space + 1, end)]);
    const entry = object.toString("hex", end + 1, end + 21);
    at = end + 21;
    if (mode === "040000") yield* entriesOf(entry, `${path.toString("latin1")}/`, depth + 1);
    else {
      const type = mode === "160000" ? "commit" : "blob";
      yield Buffer.concat([Buffer.from(`${mode} ${type} ${entry}\t`), path, Buffer.of(0)]);
    }
  }
}

/** `git cat-file --batch`: `<oid> <type> <size>\n<content>\n`. */
async function* readBlobs(oids: readonly string[]): AsyncGenerator<Buffer> {
  for (const oid of oids) {
    const blob = await read(oid).catch((error: unknown) => {
      if (error instanceof git.Errors.NotFoundError) return null;
      throw error;
    });
    if (blob === null) yield Buffer.from(`${oid} missing\n`);
    else
      yield Buffer.concat([Buffer.from(`${oid} ${blob.type} ${blob.object.length}\n`), blob.object, Buffer.from("\n")]);
  }
}

/** Reads an object and verifies its ID and, if given, its type. */
async function read(oid: string, expected?: string): Promise<{ readonly type: string; readonly object: Buffer }> {
  const content = await git.readObject({ fs, gitdir, cache, oid, format: "content" });
  if (content.format !== "content") throw new Error(`unable to read ${oid}`);
  const { type } = content;
  const object = Buffer.from(content.object.buffer, content.object.byteOffset, content.object.byteLength);
  if (expected !== undefined && type !== expected) throw new Error(`object ${oid} is a ${type}, not a ${expected}`);
  const hash = createHash("sha1").update(`${type} ${object.length}\0`).update(object).digest("hex");
  if (hash !== oid) throw new Error(`object ${oid} is corrupt`);
  return { type, object };
}

async function readLines(): Promise<readonly string[]> {
  const input = Buffer.concat(await Array.fromAsync(process.stdin as AsyncIterable<Buffer>));
  return input.toString("latin1").split("\n").filter(Boolean);
}
