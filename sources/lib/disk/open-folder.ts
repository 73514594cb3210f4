import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Failure } from "../../../domain/failures.ts";
import type { PageRef, ReadContext, SourceItem } from "../../../domain/ports.ts";
import type { ThreadPool } from "../threads/thread-pool.ts";
import { createFolderTree, type FolderTree } from "./includes.ts";
import { hashFile, isMissing, readBeginning, readCapped, sha256Of } from "./read-file.ts";
import { context7Path, maxContext7Bytes, parseContext7File, type Context7File } from "../tree/context7-file.ts";
import { maxBeginning, mayBeDescription, type ChosenFiles } from "../tree/choose-files.ts";
import type { DescriptionTree } from "../descriptions/in-tree.ts";
import { knownItem } from "../tree/includes.ts";
import { createManifestPaths, maxManifestBytes, type ManifestFile } from "../tree/manifests.ts";
import { readTree, type FileTree, type TreeRules } from "../tree/read-tree.ts";
import { createDocumentTest } from "../tree/select-files.ts";
import { versionFiles } from "../tree/released-version.ts";
import { createSourceNames, pageTypeOf } from "../tree/source-files.ts";
import { createUnreadFiles, websiteFiles } from "../tree/unread-documentation.ts";

/** Maximum number of files and folders in a tree. */
const maxEntries = 2_000_000;

/** Maximum size of a document that may include others, in bytes. */
export const maxIncludingBytes = 10_000_000;

/** A folder to read. */
export interface FolderToRead {
  /** Its real path. */
  readonly root: string;
  /** The word for it in messages. */
  readonly noun: FileTree["noun"];
  readonly rules: TreeRules;
  /** The address of a file by its path in the folder; absent: its file URL. */
  readonly toUrl?: (path: string) => string;
}

/** Lists the files of a folder. @throws Failure library_too_large for too many */
export async function openFolder(folder: FolderToRead, signal: AbortSignal): Promise<OpenFolder> {
  const { root, rules, toUrl = (path) => pathToFileURL(join(root, path)).href } = folder;
  const unread = createUnreadFiles();
  const descriptions: string[] = [];
  const manifests = createManifestPaths<string>();
  const others: string[] = [];
  const sources = createSourceNames();
  const addOther = (path: string): void => {
    others.push(path);
    sources.add(path);
    unread.add(path);
    manifests.add(path, path);
    if (mayBeDescription(path)) descriptions.push(path);
  };
  const files = await walk(folder, createDocumentTest(rules.extensions), addOther, signal);
  const documents = files.map(({ path }) => path);
  const names = {
    documents,
    unreadable: 0,
    elsewhere: [],
    unread: unread.paths,
    sources: sources.paths,
    codeFiles: unread.codeFiles(),
    descriptions,
    manifests: [...manifests.entries.keys()],
  };
  return {
    ...folder,
    found: [...files, ...sources.paths.map((path) => ({ path, isLink: false }))],
    paths: [...documents, ...others],
    names,
    file: await readContext7(root),
    tree: createFolderTree(root, toUrl, signal),
  };
}

/** Reads an open folder. @throws Failure library_too_large, and as `readTree` */
export function readFolder(opened: OpenFolder, pool: ThreadPool, context: ReadContext): AsyncGenerator<SourceItem> {
  const { root, names, file, rules, noun } = opened;
  if (file && Object.keys(file.settings).length > 0) context.account?.({ settings: file.settings });
  const tree: FileTree = {
    noun,
    names,
    file,
    fileUrl: opened.tree.toUrl(context7Path),
    ...descriptionsOf(opened),
    readManifests: manifestReaderFor(root),
    async *readBeginnings(paths) {
      for (const path of paths) {
        if (!(await opened.tree.isFile(path))) continue;
        const bytes = await readBeginning(join(root, path), maxBeginning);
        if (bytes !== undefined) yield { path, bytes };
      }
    },
    readChosen: (chosen) => readChosen(opened, chosen, context),
    readSources: (documents) => readChosen(opened, { documents }, context),
  };
  return readTree(tree, rules, pool, context);
}

/** A folder whose files are listed. */
export interface OpenFolder extends FolderToRead, Pick<FileTree, "names" | "file"> {
  readonly found: readonly DocumentFile[];
  /** All its files. */
  readonly paths: readonly string[];
  readonly tree: FolderTree;
}

/** The chosen files, in the order of their paths. */
export function chosenOf(
  { found }: OpenFolder,
  { documents }: Pick<ChosenFiles, "documents">,
): readonly DocumentFile[] {
  const chosen = new Set(documents);
  return found.filter(({ path }) => chosen.has(path)).toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

async function* readChosen(
  opened: OpenFolder,
  chosen: Pick<ChosenFiles, "documents">,
  context: ReadContext,
): AsyncGenerator<SourceItem> {
  for (const file of chosenOf(opened, chosen)) {
    context.signal.throwIfAborted();
    const item = await readItem(opened.root, file, opened.tree, context);
    if (item !== undefined) yield item;
  }
}

/** The folder as a tree of descriptions; links are not followed. */
export function descriptionsOf({ root, tree }: OpenFolder): DescriptionTree {
  return {
    toUrl: tree.toUrl,
    async read(path) {
      if (!mayBeDescription(path) && ![...websiteFiles, ...versionFiles].includes(path)) return undefined;
      if (!(await tree.isFile(path))) return undefined;
      return (await readCapped(join(root, path), maxIncludingBytes))?.bytes;
    },
  };
}

/** Creates the function that reads manifests of a folder, without missing and too large ones. */
export function manifestReaderFor(root: string): FileTree["readManifests"] {
  return async (paths) => {
    const files: ManifestFile[] = [];
    for (const path of paths) {
      const bytes = (await readCapped(join(root, path), maxManifestBytes))?.bytes ?? null;
      if (bytes !== null) files.push({ path, bytes });
    }
    return files;
  };
}

/** The folder's context7.json; undefined if it is missing or a link. */
async function readContext7(root: string): Promise<Context7File | undefined> {
  const path = join(root, context7Path);
  const stats = await lstat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (stats?.isFile() !== true) return undefined;
  const content = await readCapped(path, maxContext7Bytes);
  return content && parseContext7File(content.bytes);
}

/** A file named like a document. */
export interface DocumentFile {
  /** Relative, with forward slashes. */
  readonly path: string;
  readonly isLink: boolean;
}

/** All files named like documents, in any order; `other` is called with each other file. Links are listed but not followed. */
async function walk(
  { root, noun }: Pick<FolderToRead, "root" | "noun">,
  isDocument: (path: string) => boolean,
  other: (path: string) => void,
  signal: AbortSignal,
): Promise<DocumentFile[]> {
  const files: DocumentFile[] = [];
  const folders = [""];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal.throwIfAborted();
    for await (const entry of await opendir(join(root, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      entries += 1;
      if (entries > maxEntries)
        throw new Failure("library_too_large", `The ${noun} has more than ${maxEntries} files and folders.`);
      if (entry.isDirectory()) {
        if (entry.name !== ".git") folders.push(path);
      } else if (isDocument(path) && (entry.isFile() || entry.isSymbolicLink()))
        files.push({ path, isLink: entry.isSymbolicLink() });
      else if (entry.isFile()) other(path);
    }
  }
  return files;
}

/** The item of a file; undefined if it was deleted after it was listed. */
async function readItem(
  root: string,
  { path, isLink }: DocumentFile,
  tree: FolderTree,
  { limits, known, signal }: ReadContext,
): Promise<SourceItem | undefined> {
  const place = join(root, path);
  const page = (fingerprint: string): PageRef => ({
    key: path,
    url: tree.toUrl(path),
    mediaType: pageTypeOf(path),
    fingerprint,
  });
  if (isLink) {
    const reason = "The file is a symbolic link, and links are not followed.";
    return { type: "skipped", page: page("symlink"), code: "symlink", reason };
  }
  if (/[\p{Cc}\uFFFD]/u.test(path)) {
    const reason = "The path has control characters or is not UTF-8.";
    return { type: "skipped", page: page("unsafe"), code: "unsafe_path", reason };
  }
  const fingerprint = await hashFile(place, signal);
  if (fingerprint === undefined) return undefined;
  const earlier = known(page(fingerprint));
  if (earlier !== undefined && (await tree.isStill(earlier))) return knownItem(page(fingerprint), earlier, tree.toUrl);
  const content = await readCapped(place, limits.pageBytes);
  if (content === undefined) return undefined;
  if (content.bytes === null) {
    const reason = `The file has ${content.size} bytes; at most ${limits.pageBytes} are read.`;
    return { type: "skipped", page: page(fingerprint), code: "too_large", reason, bytes: content.size };
  }
  // Hashed again, as the file may have changed since.
  const { bytes } = content;
  const includes = await tree.read(path, bytes);
  return { type: "page", page: page(sha256Of(bytes)), bytes, ...(includes.length > 0 && { includes }) };
}
