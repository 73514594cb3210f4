import { Failure } from "../../domain/failures.ts";
import { mediaTypeOf } from "../../extract/formats.ts";
import type { PageRef } from "../../domain/ports.ts";
import type { SkipCode } from "../../domain/skip-codes.ts";
import { context7Path } from "../lib/tree/context7-file.ts";
import { mayBeDescription, type ChosenFiles } from "../lib/tree/choose-files.ts";
import { createManifestPaths } from "../lib/tree/manifests.ts";
import { versionFiles } from "../lib/tree/released-version.ts";
import { createSourceNames, pageTypeOf } from "../lib/tree/source-files.ts";
import { createUnreadFiles, websiteFiles, type UnreadFiles } from "../lib/tree/unread-documentation.ts";

/** A file of a commit's tree; folders are not listed. */
export interface TreeEntry {
  /** 100644 and 100755: file; 120000: symbolic link; 160000: submodule. */
  readonly mode: string;
  readonly oid: string;
  readonly path: string;
}

/** The content of a file; `bytes` is null if it is larger than requested. */
export interface GitBlob {
  readonly size: number;
  readonly bytes: Uint8Array | null;
}

/** A commit that can be read as long as its scratch folder exists. */
export interface Checkout {
  /** All entries of the tree, in batches. */
  entries(): AsyncIterable<readonly TreeEntry[]>;
  /** Fetches the missing ones of these blobs, in one request. */
  fetch(oids: readonly string[]): Promise<void>;
  /** Streams these blobs in their order, and fetches missing ones. Those larger than `maxBytes` come without their bytes. */
  blobs(oids: readonly string[], maxBytes: number): AsyncIterable<GitBlob>;
}

/** The relevant files of a commit. */
export interface Tree {
  /** Files named like documents, by path. */
  readonly documents: ReadonlyMap<string, TreeEntry>;
  /** Documents with unsafe paths. */
  readonly unsafe: readonly TreeEntry[];
  /** Submodules and symbolic links that are named like documentation. */
  readonly elsewhere: readonly TreeEntry[];
  /** The library's own configuration file. */
  readonly settings: TreeEntry | undefined;
  /** Files named like API descriptions, and those that may name the website; read only on request. */
  readonly descriptions: ReadonlyMap<string, TreeEntry>;
  /** Files named like manifests of packages, or licences. */
  readonly manifests: ReadonlyMap<string, TreeEntry>;
  /** Documentation in formats that are not read. */
  readonly unread: UnreadFiles;
  /** Sources and examples. */
  readonly sources: ReadonlyMap<string, TreeEntry>;
}

/** Maximum number of entries: a small malicious tree can repeat folders without end. */
const maxEntries = 2_000_000;

/** Maximum number of files named like documents: all their paths are in memory. */
const maxDocuments = 500_000;

/** Maximum number of folders with documents: each is judged by its name and its neighbours. */
const maxFolders = 200_000;

/** Maximum number of recorded submodules and links. */
const maxElsewhere = 100;

/** Maximum number of files that may be API descriptions or parts of them, the first of the tree. */
const maxDescriptions = 200_000;

/** Maximum depth of a path, and its maximum length in characters: choosing costs length times depth. */
const maxDepth = 32;
const maxPath = 500;

/** Files with facts of the whole tree. */
const factFiles = new Set([...websiteFiles, ...versionFiles]);

/** Sorts the entries of a tree. @throws Failure library_too_large */
export async function listTree(
  batches: AsyncIterable<readonly TreeEntry[]>,
  isDocument: (path: string) => boolean,
): Promise<Tree> {
  const documents = new Map<string, TreeEntry>();
  const unsafe: TreeEntry[] = [];
  const elsewhere: TreeEntry[] = [];
  const unread = createUnreadFiles();
  const sourceNames = createSourceNames();
  const sources = new Map<string, TreeEntry>();
  const descriptions = new Map<string, TreeEntry>();
  const manifests = createManifestPaths<TreeEntry>();
  let settings: TreeEntry | undefined;
  let entries = 0;
  let folders = 0;
  let before = "";
  for await (const batch of batches) {
    entries += batch.length;
    if (entries > maxEntries)
      throw new Failure("library_too_large", `The repository has more than ${maxEntries} files in one commit.`);
    for (const entry of batch) {
      const { mode, path } = entry;
      if (path === context7Path && mode.startsWith("100")) settings ??= entry;
      if (mode === submodule || !isDocument(path)) {
        if (mode.startsWith("100") && isSafePath(path)) {
          unread.add(path);
          if (sourceNames.add(path)) sources.set(path, entry);
          manifests.add(path, entry);
          if (factFiles.has(path) || (descriptions.size < maxDescriptions && mayBeDescription(path)))
            descriptions.set(path, entry);
        }
        if (isElsewhere(entry) && elsewhere.length < maxElsewhere) elsewhere.push(entry);
      } else if (isSafePath(path) && !documents.has(path)) {
        documents.set(path, entry);
        folders += newFolders(before, path);
        before = path;
      } else unsafe.push(entry);
    }
    if (documents.size > maxDocuments)
      throw new Failure("library_too_large", `The repository has more than ${maxDocuments} documents in one commit.`);
    if (folders > maxFolders)
      throw new Failure("library_too_large", `The repository has documents in more than ${maxFolders} folders.`);
  }
  return { documents, unsafe, elsewhere, settings, descriptions, manifests: manifests.entries, unread, sources };
}

/** Number of folders of a path that the previous path is not in; each folder comes once in Git's order. */
function newFolders(before: string, path: string): number {
  let same = 0;
  while (same < path.length && path[same] === before[same]) same += 1;
  let count = 0;
  for (let slash = path.indexOf("/", same); slash >= 0; slash = path.indexOf("/", slash + 1)) count += 1;
  return count;
}

/** A page to read, or the reason to skip it. */
export interface PlannedPage {
  readonly page: PageRef;
  readonly skip?: { readonly code: SkipCode; readonly reason: string };
}

/** Options of `planPages`. */
export interface PlanOptions {
  readonly chosen: Pick<ChosenFiles, "documents" | "elsewhere">;
  /** The address of a file; "" is the repository itself. */
  readonly toUrl: (path: string) => string;
}

/** Plans the pages of a tree, ordered by path in code units. */
export function planPages(
  { documents, sources, unsafe, elsewhere }: Tree,
  { chosen, toUrl }: PlanOptions,
): PlannedPage[] {
  const planned: PlannedPage[] = unsafe.map(({ path, oid }) => ({
    page: { key: toPrintable(path), url: toUrl(""), mediaType: mediaTypeOf(path), fingerprint: oid },
    skip: {
      code: "unsafe_path",
      reason: "The path leaves the repository, occurs twice, is too deep or not plain text.",
    },
  }));
  const wanted = new Set(chosen.elsewhere);
  for (const { mode, path, oid } of elsewhere) {
    if (!wanted.has(path)) continue;
    const skip = mode === submodule ? submoduleSkip : linkedFolderSkip;
    planned.push({ page: { key: path, url: toUrl(path), mediaType: "", fingerprint: oid }, skip });
  }
  for (const path of chosen.documents) {
    const entry = documents.get(path) ?? sources.get(path);
    if (entry === undefined) continue;
    const page = { key: path, url: toUrl(path), mediaType: pageTypeOf(path), fingerprint: entry.oid };
    const skip = { code: "symlink", reason: "The file is a symbolic link." } as const;
    planned.push(entry.mode === symlink ? { page, skip } : { page });
  }
  return planned.toSorted((one, other) => (one.page.key < other.page.key ? -1 : one.page.key > other.page.key ? 1 : 0));
}

const submodule = "160000";
const symlink = "120000";

const submoduleSkip = {
  code: "submodule",
  reason: "The folder is a submodule, so its files are in another repository. Submit that one as a library of its own.",
} as const;

const linkedFolderSkip = {
  code: "symlink",
  reason: "The folder is a symbolic link. Its target is read where it is, if it is in the repository.",
} as const;

/** Whether an entry is a link with a name of documentation, or a submodule with one or inside such a folder. */
function isElsewhere({ mode, path }: TreeEntry): boolean {
  if (mode !== submodule && mode !== symlink) return false;
  const names = path.split("/");
  return (
    isSafePath(path) && (mode === submodule ? names : names.slice(-1)).some((name) => namesDocumentation.test(name))
  );
}

const namesDocumentation =
  /^(?:content|website|guides?|manual|handbook|tutorials?|book)$|(?:^|[-_.])(?:docs?|documentation|wiki)(?:$|[-_.])/i;

/** Whether a path is relative, without `..`, empty segments, control characters or bytes that are not UTF-8. */
function isSafePath(path: string): boolean {
  const segments = path.split(/[/\\]/);
  return (
    !hasUnprintable.test(path) &&
    path.length <= maxPath &&
    segments.length <= maxDepth &&
    segments.every((segment) => segment !== "" && segment !== "." && segment !== "..")
  );
}

// Decoding replaces bytes that are not UTF-8 with U+FFFD.
const hasUnprintable = /[\p{Cc}\p{Zl}\p{Zp}\uFFFD]/u;

function toPrintable(path: string): string {
  return path.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "\uFFFD").slice(0, 1024);
}

const newline = 0x0a;

/**
 * Reads the output of `git cat-file --batch`: `<oid> <type> <size>\n<content>\n` for each object. A blob is copied once, and the content of
 * one larger than `maxBytes` is skipped. `onSize` gets the size of each blob before its content, and may throw.
 * @throws Failure source_invalid for an object that is missing or not a blob
 */
export async function* parseCatFile(
  output: AsyncIterable<Uint8Array>,
  maxBytes: number,
  onSize: (size: number) => void,
): AsyncGenerator<GitBlob> {
  let header = "";
  /** The present blob; `left` counts its remaining bytes and the line feed after them. */
  let blob: { readonly size: number; readonly bytes: Uint8Array | null; left: number } | undefined;
  for await (const chunk of output) {
    let at = 0;
    while (at < chunk.length) {
      if (blob === undefined) {
        const end = chunk.indexOf(newline, at);
        header += Buffer.from(chunk.subarray(at, end < 0 ? chunk.length : end)).toString("latin1");
        if (end < 0) break;
        at = end + 1;
        const size = parseHeader(header);
        onSize(size);
        header = "";
        blob = { size, bytes: size > maxBytes ? null : new Uint8Array(size), left: size + 1 };
      }
      const taken = Math.min(blob.left, chunk.length - at);
      const offset = blob.size + 1 - blob.left;
      const content = Math.min(taken, blob.size - offset);
      if (blob.bytes !== null && content > 0) blob.bytes.set(chunk.subarray(at, at + content), offset);
      blob.left -= taken;
      at += taken;
      if (blob.left === 0) {
        yield { size: blob.size, bytes: blob.bytes };
        blob = undefined;
      }
    }
  }
}

function parseHeader(header: string): number {
  const [, size] = /^[\da-f]{40} blob (\d+)$/.exec(header) ?? [];
  if (size === undefined)
    throw new Failure("source_invalid", "The Git server left out a document that the commit has. Try again later.");
  return Number(size);
}

/** Caps on the listing of a tree and on one path in it, in bytes. */
const maxOutput = 256_000_000;
const maxListedPath = 65_536;
/** Bytes of a path that are kept: longer ones are refused anyway. */
const maxKeptPath = 4096;

/**
 * Parses `git ls-tree -z`: `<mode> <type> <oid>\t<path>\0` for each entry, in batches.
 * @throws Failure library_too_large
 */
export async function* parseTree(output: AsyncIterable<Buffer>): AsyncGenerator<TreeEntry[]> {
  let rest: Buffer = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of output) {
    size += chunk.length;
    if (size > maxOutput || rest.length > maxListedPath)
      throw new Failure(
        "library_too_large",
        `The repository lists more than ${maxOutput} bytes of paths, or a path of more than ${maxListedPath} bytes.`,
      );
    const bytes = Buffer.concat([rest, chunk]);
    const entries: TreeEntry[] = [];
    let start = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
      entries.push(parseEntry(bytes.subarray(start, end)));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    yield entries;
  }
}

function parseEntry(entry: Buffer): TreeEntry {
  const tab = entry.indexOf("\t");
  return {
    mode: entry.toString("latin1", 0, 6),
    oid: entry.toString("latin1", tab - 40, tab),
    path: entry.toString("utf8", tab + 1, Math.min(entry.length, tab + 1 + maxKeptPath)),
  };
}
