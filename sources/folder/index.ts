import { createHash } from "node:crypto";
import { lstat, opendir, realpath } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { Failure } from "../../domain/failures.ts";
import type { PageRef, ReadContext, Source, SourceItem } from "../../domain/ports.ts";
import type { FolderSourceSpec } from "../../domain/kinds/index.ts";
import { mediaTypeOf } from "../../extract/formats.ts";
import type { ThreadPool } from "../../threads/thread-pool.ts";
import { createFolderTree } from "./tree.ts";
import type { FolderTree } from "./tree.ts";
import { hashFile, hashOf, isMissing, readBeginning, readCapped, readOrHash } from "./read-file.ts";
import { context7Path, maxContext7Bytes, parseContext7File } from "../tree/context7-file.ts";
import type { Context7File } from "../tree/context7-file.ts";
import type { ChosenFiles } from "../tree/choose-files.ts";
import { maxBeginning, mayBeDescription } from "../tree/description-files.ts";
import { hashTreeDescriptions } from "../descriptions/in-tree.ts";
import type { DescriptionTree } from "../descriptions/in-tree.ts";
import { createManifestPaths, maxManifestBytes } from "../tree/manifests.ts";
import type { ManifestFile } from "../tree/manifests.ts";
import { chooseOf, readTree, statedOf } from "../tree/read-tree.ts";
import type { FileTree, TreeRules } from "../tree/read-tree.ts";
import { selectionSchema } from "../reader/reader.ts";
import type { SourceReader } from "../reader/reader.ts";
import { createDocumentTest } from "../tree/select-files.ts";
import { createUnreadFiles } from "../tree/unread-formats.ts";
import { websiteFiles } from "../tree/website.ts";

/** What the folder source is made of. */
export interface FolderSourceOptions {
  /** Folders that may be read, with all below them. */
  readonly roots: readonly string[];
  /** Endings of document names in lower case, with the dot. */
  readonly extensions: readonly string[];
  /** Where files are chosen, and API descriptions read. */
  readonly pool: ThreadPool;
}

/** Maximum number of files and folders in a tree. */
const maxEntries = 2_000_000;

/** Maximum size of a document that may include others, in bytes; larger pages are skipped. */
const maxIncludingBytes = 10_000_000;

/** Reads documents out of folders on the server's own disk, those inside `roots`. */
export function createFolderSource({ roots, extensions, pool }: FolderSourceOptions): Source<FolderSourceSpec> {
  /** Lists the files of a folder. */
  async function open(spec: FolderSourceSpec, signal: AbortSignal): Promise<Opened> {
    const root = await findFolder(spec.path, roots);
    const unread = createUnreadFiles();
    const descriptions: string[] = [];
    const manifests = createManifestPaths<string>();
    const isDocument = createDocumentTest(extensions);
    const addOther = (path: string): void => {
      unread.add(path);
      manifests.add(path, path);
      if (mayBeDescription(path)) descriptions.push(path);
    };
    const found = await walk(root, isDocument, addOther, signal);
    const documents = found.map(({ path }) => path);
    const names = {
      documents,
      unreadable: 0,
      elsewhere: [],
      unread: unread.paths,
      codeFiles: unread.codeFiles(),
      descriptions,
      manifests: [...manifests.entries.keys()],
    };
    const rules = { selection: spec.selection, skipVersionFiltering: false, extensions, within: basename(root) };
    return { root, found, names, rules, file: await readContext7(root), tree: createFolderTree(root, signal) };
  }

  return {
    kind: "folder",

    async resolve(spec, _ref, { signal }) {
      const opened = await open(spec, signal);
      const { root, file, tree } = opened;
      const chosen = await chooseOf(opened, opened.rules, { pool, signal });
      const hash = createHash("sha256");
      if (file) hash.update(`${context7Path}\0${JSON.stringify(file)}\n`);
      for (const { path, isLink } of chosenOf(opened, chosen)) {
        const content = isLink ? undefined : await readOrHash(join(root, path), maxIncludingBytes, signal);
        hash.update(`${path}\0${content?.fingerprint ?? "-"}\n`);
        // What is included is part of what the folder says.
        for (const file of await tree.includesOf(path, content?.bytes ?? null)) {
          hash.update(`  ${file.path}\0${file.fingerprint}\n`);
        }
      }
      for (const line of await hashTreeDescriptions(chosen.descriptions, descriptionsOf(opened), pool, signal))
        hash.update(`${line}\n`);
      const threads = { pool, signal };
      const stated = await statedOf({ ...opened, readManifests: readFrom(root) }, opened.rules, threads);
      for (const { name, manifest } of stated.claims) hash.update(`${name}\0${manifest}\n`);
      if (stated.licences) hash.update(`${JSON.stringify(stated.licences)}\n`);
      return { revision: `sha256-${hash.digest("hex").slice(0, 40)}`, ref: null, location: root, refs: [] };
    },

    async *read(spec, _state, context) {
      const opened = await open(spec, context.signal);
      const { root, names, file, rules } = opened;
      if (file && Object.keys(file.settings).length > 0) context.account?.({ settings: file.settings });
      const tree: FileTree = {
        noun: "folder",
        names,
        file,
        fileUrl: pathToFileURL(join(root, context7Path)).href,
        ...descriptionsOf(opened),
        readManifests: readFrom(root),
        async *readBeginnings(paths) {
          for (const path of paths) {
            if (!(await opened.tree.isFile(path))) continue;
            const bytes = await readBeginning(join(root, path), maxBeginning);
            if (bytes !== undefined) yield { path, bytes };
          }
        },
        readChosen: (chosen) => readChosen(opened, chosen, context),
      };
      yield* readTree(tree, rules, pool, context);
    },
  };
}

/** How folders are read. */
export const folderReader: SourceReader<FolderSourceSpec> = {
  spec: z.object({ kind: z.literal("folder"), path: z.string(), selection: selectionSchema }),
  create: ({ folderRoots: roots, extensions, pool }) => createFolderSource({ roots, extensions, pool }),
};

/** A folder whose files are listed. */
interface Opened extends Pick<FileTree, "names" | "file"> {
  readonly root: string;
  readonly found: readonly FoundFile[];
  readonly rules: TreeRules;
  readonly tree: FolderTree;
}

/** The chosen files, in the order of their paths. */
function chosenOf({ found }: Opened, { documents }: ChosenFiles): readonly FoundFile[] {
  const chosen = new Set(documents);
  return found.filter(({ path }) => chosen.has(path)).toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

async function* readChosen(opened: Opened, chosen: ChosenFiles, context: ReadContext): AsyncGenerator<SourceItem> {
  const { signal, limits } = context;
  let bytes = 0;
  for (const file of chosenOf(opened, chosen)) {
    signal.throwIfAborted();
    const item = await readItem(opened.root, file, opened.tree, context);
    if (item === undefined) continue;
    if (item.type === "page")
      bytes += (item.includes ?? []).reduce((sum, one) => sum + (one.bytes?.length ?? 0), item.bytes.length);
    if (bytes > limits.bytes)
      throw new Failure(
        "library_too_large",
        `The documents of the folder have more than the ${limits.bytes} bytes that are indexed. Choose some with folders or excludeFolders, or raise MAX_BYTES.`,
      );
    yield item;
  }
}

/** The folder as a tree of descriptions: links are not followed, nor what is hidden read. */
function descriptionsOf({ root, tree }: Opened): DescriptionTree {
  return {
    toUrl: tree.toUrl,
    async read(path) {
      if (!mayBeDescription(path) && !websiteFiles.includes(path)) return undefined;
      if (!(await tree.isFile(path))) return undefined;
      return (await readCapped(join(root, path), maxIncludingBytes))?.bytes;
    },
  };
}

/** Reads manifests of a folder; those that went away, and those that are too large, are left out. */
function readFrom(root: string): FileTree["readManifests"] {
  return async (paths) => {
    const files: ManifestFile[] = [];
    for (const path of paths) {
      const bytes = (await readCapped(join(root, path), maxManifestBytes))?.bytes ?? null;
      if (bytes !== null) files.push({ path, bytes });
    }
    return files;
  };
}

/** The folder's own file; undefined where it has none. A link is none. */
async function readContext7(root: string): Promise<Context7File | undefined> {
  const path = join(root, context7Path);
  const found = await lstat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (found?.isFile() !== true) return undefined;
  const content = await readCapped(path, maxContext7Bytes);
  return content && parseContext7File(content.bytes);
}

interface FoundFile {
  /** Relative, with forward slashes. */
  readonly path: string;
  readonly isLink: boolean;
}

async function findFolder(path: string, roots: readonly string[]): Promise<string> {
  const [folder, ...allowed] = await Promise.all([path, ...roots].map(realFolder));
  // The same words in both cases: what lies outside the roots is nobody's business.
  if (folder === undefined || !allowed.some((root) => root !== undefined && isInside(folder, root)))
    throw new Failure("source_not_found", "There is no such folder inside FOLDER_ROOTS. Check its path.");
  return folder;
}

async function realFolder(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await lstat(real)).isDirectory() ? real : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** All files named like documents, in no order; `other` is told of other files. Links are listed and never followed. */
async function walk(
  root: string,
  isDocument: (path: string) => boolean,
  other: (path: string) => void,
  signal: AbortSignal,
): Promise<FoundFile[]> {
  const files: FoundFile[] = [];
  const folders = [""];
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal.throwIfAborted();
    for await (const entry of await opendir(join(root, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      seen += 1;
      if (seen > maxEntries)
        throw new Failure("library_too_large", `The folder has more than ${maxEntries} files and folders.`);
      if (entry.isDirectory()) {
        if (entry.name !== ".git") folders.push(path);
      } else if (isDocument(path) && (entry.isFile() || entry.isSymbolicLink()))
        files.push({ path, isLink: entry.isSymbolicLink() });
      else if (entry.isFile()) other(path);
    }
  }
  return files;
}

/** The item of a file; undefined where it went away since it was listed. */
async function readItem(
  root: string,
  { path, isLink }: FoundFile,
  tree: FolderTree,
  { limits, known, signal }: ReadContext,
): Promise<SourceItem | undefined> {
  const place = join(root, path);
  const page = (fingerprint: string): PageRef => ({
    key: path,
    url: pathToFileURL(place).href,
    mediaType: mediaTypeOf(path),
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
  const kept = known(page(fingerprint));
  if (kept !== undefined && (await tree.isStill(kept))) {
    const includes = kept
      .filter((file) => file.fingerprint !== "")
      .map((file) => ({ ...file, url: tree.toUrl(file.path) }));
    return { type: "known", page: page(fingerprint), ...(includes.length > 0 && { includes }) };
  }
  const content = await readCapped(place, limits.pageBytes);
  if (content === undefined) return undefined;
  if (content.bytes === null) {
    const reason = `The file has ${content.size} bytes, more than the ${limits.pageBytes} that are read.`;
    return { type: "skipped", page: page(fingerprint), code: "too_large", reason, bytes: content.size };
  }
  // Hashed again from what is handed over, so that a file written meanwhile cannot go by a wrong name.
  const { bytes } = content;
  const includes = await tree.read(path, bytes);
  return { type: "page", page: page(hashOf(bytes)), bytes, ...(includes.length > 0 && { includes }) };
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
