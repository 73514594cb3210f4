import { Failure, toFailureRecord } from "../../../domain/failures.ts";
import type { SkipCode } from "../../../domain/skip-codes.ts";
import type { PageRef, ReadContext, SourceItem } from "../../../domain/ports.ts";
import { openApiPartType } from "../../../extract/formats.ts";
import type { FileReference } from "../../../extract/openapi/references.ts";
import type { ThreadPool } from "../threads/thread-pool.ts";
import { hashOf } from "../pages/fetching.ts";
import { tooLarge } from "../pages/limits.ts";
import { createDescriptionThread } from "./parsing.ts";
import type { DescriptionThread, PackedDescription } from "./parsing.ts";
import { maxDescriptionBytes, readReferredFiles } from "./referred-files.ts";
import type { DescriptionWithNotes } from "./referred-files.ts";
import { treeAddress, treePath } from "../../../extract/openapi/located.ts";

/** Endings of files that may be descriptions. */
export const descriptionEndings = [".json", ".yaml", ".yml"];

/** A tree with descriptions in it. */
export interface DescriptionTree {
  /** The bytes of a file; null: it is too large to be read; undefined: there is no such file, or it is not to be read. */
  read(path: string): Promise<Uint8Array | null | undefined>;
  /** Address of a file. */
  toUrl(path: string): string;
}

/** Files that may be descriptions. */
export interface DescriptionChoice {
  /** Files in their order; those that are not descriptions are ignored. */
  readonly paths: readonly string[];
  /** Those of them that were requested by name. */
  readonly named: ReadonlySet<string>;
}

interface TreeContext extends Pick<ReadContext, "signal" | "limits" | "known" | "pages"> {
  /** Number of pages of the tree beside those of descriptions. */
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
  let read = 0;
  for (const path of paths) {
    signal.throwIfAborted();
    const whole = await readFile(path, named.has(path), tree, thread);
    if (whole === undefined) continue;
    if ("description" in whole) {
      for (const file of whole.description.files.values()) read += file.length;
      if (read > limits.bytes)
        throw tooLarge(
          `API descriptions, with what they refer to, have more than the ${limits.bytes} bytes that are read.`,
        );
    }
    const cut = "code" in whole ? whole : await orRefused(() => validateAndCut(whole, limits, thread));
    if ("code" in cut) {
      const page = { key: path, url: tree.toUrl(path), mediaType: openApiPartType, fingerprint: "" };
      yield { type: "skipped", page, ...cut };
      continue;
    }
    pages += cut.parts.length;
    if (pages > limits.pages)
      throw tooLarge(
        `The API descriptions have more than the ${limits.pages} parts that are indexed. Raise MAX_PAGES.`,
      );
    announce(others + pages);
    for (const { key, url, fingerprint, length, bytes: copy } of cut.parts) {
      bytes += length;
      if (bytes > limits.bytes)
        throw tooLarge(`The parts of API descriptions have more than the ${limits.bytes} bytes that are indexed.`);
      const page: PageRef = { key, url: pageUrl(url, tree), mediaType: openApiPartType, fingerprint };
      yield known(page) === undefined ? { type: "page", page, bytes: copy() } : { type: "known", page };
    }
  }
}

/** A hash for each file of the descriptions of a tree, with its path; for one that is not read, why. */
export async function hashTreeDescriptions(
  { paths, named }: DescriptionChoice,
  tree: DescriptionTree,
  pool: ThreadPool,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const thread = createDescriptionThread(pool, signal);
  const hashes: string[] = [];
  for (const path of paths) {
    const read = await readFile(path, named.has(path), tree, thread);
    if (read === undefined) continue;
    if ("code" in read) hashes.push(`${path} ${read.reason}`);
    else for (const [name, content] of read.description.files) hashes.push(`${path} ${name} ${hashOf(content)}`);
  }
  return hashes;
}

/** Why a description is not read. */
export interface Refused {
  readonly code: SkipCode;
  readonly reason: string;
}

async function validateAndCut(
  { description, notes }: DescriptionWithNotes,
  limits: ReadContext["limits"],
  thread: DescriptionThread,
): Promise<PackedDescription> {
  return thread.cut(description, [...notes, ...(await thread.validate(description))], limits);
}

/** A description with all files of the tree that it refers to; undefined for any other file. */
async function readFile(
  path: string,
  isNamed: boolean,
  tree: DescriptionTree,
  thread: DescriptionThread,
): Promise<DescriptionWithNotes | Refused | undefined> {
  const base = treeAddress(path);
  const submitted = treePath(base) === undefined ? undefined : await tree.read(path);
  if (submitted === undefined)
    return isNamed ? refused("invalid_description", `There is no file ${path} that may be read.`) : undefined;
  if (submitted === null) return isNamed ? refused("too_large", `${path} is larger than what is read.`) : undefined;
  if (!isNamed && !namesItself(submitted)) return undefined;
  return orRefused(() =>
    readReferredFiles({
      root: path,
      base,
      submitted,
      maxBytes: maxDescriptionBytes,
      thread,
      nameOf: (address) => treePath(address) ?? address,
      read: (reference) => readReferred(reference, tree),
    }),
  );
}

/** The file that a reference leads to; why it is not read, for one that is not in the tree. */
async function readReferred(
  { url }: FileReference,
  tree: DescriptionTree,
): Promise<{ readonly bytes: Uint8Array } | { readonly why: string }> {
  const path = url === null ? undefined : treePath(url);
  if (path === undefined) return { why: "only files of the same tree are read" };
  const bytes = await tree.read(path);
  if (bytes === null) return { why: "that file is larger than what is read" };
  return bytes === undefined ? { why: "there is no such file that may be read" } : { bytes };
}

/** The result of some work; why there is none, if the fault is in the files. @throws any other error */
export async function orRefused<Result>(work: () => Promise<Result>): Promise<Result | Refused> {
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

/** True for a file with a key by which descriptions declare their version. */
export function namesItself(bytes: Uint8Array): boolean {
  return /(?:^|[\s{,])["']?(?:openapi|swagger)["']?[ \t]*:[ \t]*["']?\d/.test(Buffer.from(bytes).toString("latin1"));
}

/** Address of a part: that of its file, with its pointer. */
function pageUrl(place: string, { toUrl }: DescriptionTree): string {
  const hash = place.indexOf("#/");
  return `${toUrl(decodeURIComponent(place.slice(0, hash)))}${place.slice(hash)}`;
}
