import { Failure, toFailureRecord } from "../../../domain/failures.ts";
import type { SkipCode } from "../../../domain/generation.ts";
import type { PageRef, ReadContext, SourceItem } from "../../../domain/ports.ts";
import { openApiPartType } from "../../../extract/formats.ts";
import type { CutDescription, DescriptionFiles, Unread } from "../../../extract/openapi/cut.ts";
import { treeAddress, treePath } from "../../../extract/openapi/cutting.ts";
import type { ThreadPool } from "../../thread-pool.ts";
import { hashOf } from "../fetching.ts";
import { tooLarge } from "../llmstxt/reading.ts";
import { createDescriptionThread } from "./parsing.ts";
import type { DescriptionThread } from "./parsing.ts";

/** Endings of files that descriptions are in. */
export const descriptionEndings = [".json", ".yaml", ".yml"];

/** Maximum size of all files of a description, in bytes, and how many there are. */
const maxBytes = 50_000_000;
const maxFiles = 200;

/** A tree with descriptions in it. */
export interface DescriptionTree {
  /** What a file holds; null: more than is read; undefined: there is no such file, or it is not to be read. */
  read(path: string): Promise<Uint8Array | null | undefined>;
  /** Address of a file. */
  toUrl(path: string): string;
}

/** Files that may be descriptions. */
export interface DescriptionChoice {
  /** Files in their order; what is no description among them is left alone. */
  readonly paths: readonly string[];
  /** Those of them that were asked for by name. */
  readonly named: ReadonlySet<string>;
}

interface TreeContext extends Pick<ReadContext, "signal" | "limits" | "known" | "pages"> {
  /** Pages of the tree beside those of descriptions. */
  readonly others: number;
}

/**
 * Reads the descriptions of a tree: each of their parts is a page, whose key is the file's path, `#` and the part's JSON pointer. What
 * they refer to is read from the same tree, and nothing is fetched. A file that cannot be read is the outcome of its page.
 * @throws Failure library_too_large for more parts than are indexed
 */
export async function* readTreeDescriptions(
  { paths, named }: DescriptionChoice,
  tree: DescriptionTree,
  pool: ThreadPool,
  { signal, limits, known, pages: announce, others }: TreeContext,
): AsyncGenerator<SourceItem> {
  const thread = createDescriptionThread(pool, signal);
  let pages = 0;
  let bytes = 0;
  for (const path of paths) {
    signal.throwIfAborted();
    const cut = await cutFile(path, named.has(path), tree, thread);
    if (cut === undefined) continue;
    if ("code" in cut) {
      const page = { key: path, url: tree.toUrl(path), mediaType: openApiPartType, fingerprint: "" };
      yield { type: "skipped", page, ...cut };
      continue;
    }
    pages += cut.pages.length;
    if (pages > limits.pages)
      throw tooLarge(
        `The API descriptions have more than the ${limits.pages} parts that are indexed. Raise MAX_PAGES.`,
      );
    announce(others + pages);
    for (const { key, url, fingerprint, bytes: part } of cut.pages) {
      bytes += part.length;
      if (bytes > limits.bytes)
        throw tooLarge(`The parts of API descriptions have more than the ${limits.bytes} bytes that are indexed.`);
      const page: PageRef = { key, url: pageUrl(url, tree), mediaType: openApiPartType, fingerprint };
      yield known(page) === undefined ? { type: "page", page, bytes: part } : { type: "known", page };
    }
  }
}

/** Hashes of all that the descriptions of a tree say. */
export async function hashTreeDescriptions(
  { paths, named }: DescriptionChoice,
  tree: DescriptionTree,
  pool: ThreadPool,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const thread = createDescriptionThread(pool, signal);
  const hashes: string[] = [];
  for (const path of paths) {
    const read = await gather(path, named.has(path), tree, thread);
    if (read === undefined) continue;
    if ("code" in read) hashes.push(`${path} ${read.reason}`);
    else for (const [name, content] of read.files) hashes.push(`${path} ${name} ${hashOf(content)}`);
  }
  return hashes;
}

/** Why a file is not read. */
interface Refused {
  readonly code: SkipCode;
  readonly reason: string;
}

async function cutFile(
  path: string,
  isNamed: boolean,
  tree: DescriptionTree,
  thread: DescriptionThread,
): Promise<CutDescription | Refused | undefined> {
  const read = await gather(path, isNamed, tree, thread);
  if (read === undefined || "code" in read) return read;
  return orRefused(async () => thread.cut(read, await thread.validate(read)));
}

/** A description with all files of the tree that it refers to; undefined for a file that is none. */
async function gather(
  path: string,
  isNamed: boolean,
  tree: DescriptionTree,
  thread: DescriptionThread,
): Promise<DescriptionFiles | Refused | undefined> {
  const first = treePath(treeAddress(path)) === undefined ? undefined : await tree.read(path);
  if (first === undefined)
    return isNamed ? refused("invalid_description", `There is no file ${path} that may be read.`) : undefined;
  if (first === null) return isNamed ? refused("too_large", `${path} is larger than what is read.`) : undefined;
  if (!isNamed && !namesItself(first)) return undefined;
  const files = new Map([[path, first]]);
  const description = { root: path, base: treeAddress(path), files };
  return orRefused(async () => {
    let left = maxBytes - first.length;
    for (;;) {
      const found = await thread.findUnread(description);
      if (found.length === 0) return description;
      for (const reference of found) {
        if (reference.url !== null && files.has(reference.url)) continue;
        const { url, bytes } = await readReferred(reference, tree);
        left -= bytes.length;
        files.set(url, bytes);
        if (left < 0 || files.size > maxFiles)
          throw tooLarge(`${path} refers to more than the ${maxFiles} files and ${maxBytes} bytes that are read.`);
      }
    }
  });
}

/** The file that a reference leads to. @throws Failure source_invalid for one that is not in the tree */
async function readReferred({ ref, file, pointer, url }: Unread, tree: DescriptionTree) {
  const path = url === null ? undefined : treePath(url);
  const bytes = path === undefined ? undefined : await tree.read(path);
  if (url !== null && bytes !== undefined && bytes !== null) return { url, bytes };
  const where = `${treePath(file) ?? file} refers to ${JSON.stringify(ref.slice(0, 300))} at ${pointer}`;
  const why = path === undefined ? "only files of the same tree are read" : "there is no such file that may be read";
  throw new Failure("source_invalid", `${where}, and ${why}.`);
}

/** What work comes to; why not, where that lies in the files. */
async function orRefused<Result>(work: () => Promise<Result>): Promise<Result | Refused> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, message } = toFailureRecord(error);
    if (code === "library_too_large") return refused("too_large", message);
    if (code === "source_invalid" || code === "no_code_found") return refused("invalid_description", message);
    throw error;
  }
}

function refused(code: SkipCode, reason: string): Refused {
  return { code, reason };
}

/** Whether a file has a key by which descriptions say their version. */
function namesItself(bytes: Uint8Array): boolean {
  return /(?:^|[\s{,])["']?(?:openapi|swagger)["']?[ \t]*:[ \t]*["']?\d/.test(Buffer.from(bytes).toString("latin1"));
}

/** Address of a part: that of its file, with its pointer. */
function pageUrl(place: string, { toUrl }: DescriptionTree): string {
  const hash = place.indexOf("#/");
  return `${toUrl(decodeURIComponent(place.slice(0, hash)))}${place.slice(hash)}`;
}
