import { Failure, toFailureRecord } from "../../../domain/failures.ts";
import type { SkipCode } from "../../../domain/skip-codes.ts";
import type { PageRef, ReadContext, SourceItem } from "../../../domain/ports.ts";
import { openApiPartType } from "../../../extract/formats.ts";
import type { FileReference } from "../../../extract/openapi/references.ts";
import type { ThreadPool } from "../threads/thread-pool.ts";
import { hashOf } from "../pages/fetching.ts";
import { tooLarge } from "../pages/limits.ts";
import { createDescriptionThread, type DescriptionThread, type PackedDescription } from "./parsing.ts";
import { maxDescriptionBytes, readReferredFiles, type DescriptionWithNotes } from "./referred-files.ts";
import { treeAddress, treePath } from "../../../extract/openapi/located.ts";

/** Endings of files that may be descriptions. */
export const descriptionEndings = [".json", ".yaml", ".yml"];

/** A tree with descriptions. */
export interface DescriptionTree {
  /** The bytes of a file; null if it is too large, undefined if it doesn't exist or may not be read. */
  read(path: string): Promise<Uint8Array | null | undefined>;
  /** Address of a file. */
  toUrl(path: string): string;
}

/** Files that may be descriptions. */
export interface DescriptionChoice {
  /** Ordered paths; files that are no descriptions are ignored. */
  readonly paths: readonly string[];
  /** Paths of files that were requested by name. */
  readonly named: ReadonlySet<string>;
}

interface TreeContext extends Pick<ReadContext, "signal" | "limits" | "known" | "pages"> {
  /** Number of pages of the tree that are not of descriptions. */
  readonly others: number;
}

/**
 * Reads the descriptions of a tree: each of their parts is a page, whose key is the file's path, `#` and the part's JSON pointer. Files
 * that they refer to are read from the same tree, never fetched. An unreadable file is a skipped page.
 * @throws Failure library_too_large for too many parts
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
          `API descriptions and the files they refer to have more than the ${limits.bytes} bytes that are read.`,
        );
    }
    const cut = "code" in whole ? whole : await orSkipReason(() => validateAndCut(whole, limits, thread));
    if ("code" in cut) {
      const page = { key: path, url: tree.toUrl(path), mediaType: openApiPartType, fingerprint: "" };
      yield { type: "skipped", page, ...cut };
      continue;
    }
    pages += cut.parts.length;
    if (pages > limits.pages)
      throw tooLarge(`The API descriptions have more than the ${limits.pages} parts that are indexed.`);
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

/** A line for each file of the descriptions of a tree: its path, and a hash or the reason why it is not read. */
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
export interface SkipReason {
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

/** A description with all files of the tree that it refers to; undefined if the file is no description. */
async function readFile(
  path: string,
  isNamed: boolean,
  tree: DescriptionTree,
  thread: DescriptionThread,
): Promise<DescriptionWithNotes | SkipReason | undefined> {
  const base = treeAddress(path);
  const submitted = treePath(base) === undefined ? undefined : await tree.read(path);
  if (submitted === undefined)
    return isNamed
      ? { code: "invalid_description", reason: `The file ${path} does not exist or may not be read.` }
      : undefined;
  if (submitted === null)
    return isNamed ? { code: "too_large", reason: `${path} is too large to be read.` } : undefined;
  if (!isNamed && !declaresVersion(submitted)) return undefined;
  return orSkipReason(() =>
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

/** The file that a reference leads to, or why it is not read. */
async function readReferred(
  { url }: FileReference,
  tree: DescriptionTree,
): Promise<{ readonly bytes: Uint8Array } | { readonly why: string }> {
  const path = url === null ? undefined : treePath(url);
  if (path === undefined) return { why: "only files of the same tree are read" };
  const bytes = await tree.read(path);
  if (bytes === null) return { why: "that file is too large to be read" };
  return bytes === undefined ? { why: "that file does not exist or may not be read" } : { bytes };
}

/** The result of some work, or why a fault in the files prevents it. @throws any other error */
export async function orSkipReason<Result>(work: () => Promise<Result>): Promise<Result | SkipReason> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, message: reason } = toFailureRecord(error);
    if (code === "library_too_large") return { code: "too_large", reason };
    if (code === "source_invalid" || code === "no_code_found") return { code: "invalid_description", reason };
    throw error;
  }
}

/** Whether a file has a key with which descriptions declare their version. */
export function declaresVersion(bytes: Uint8Array): boolean {
  return /(?:^|[\s{,])["']?(?:openapi|swagger)["']?[ \t]*:[ \t]*["']?\d/.test(Buffer.from(bytes).toString("latin1"));
}

/** Address of a part: that of its file, with its pointer. */
function pageUrl(place: string, { toUrl }: DescriptionTree): string {
  const hash = place.indexOf("#/");
  return `${toUrl(decodeURIComponent(place.slice(0, hash)))}${place.slice(hash)}`;
}
