import { createHash } from "node:crypto";
import { lstat, opendir, realpath } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { Failure } from "../../domain/failures.ts";
import type { PageRef, ReadContext, Source, SourceItem } from "../../domain/ports.ts";
import type { FolderSourceSpec } from "../../domain/kinds/index.ts";
import { mediaTypeOf } from "../../extract/formats.ts";
import type { ThreadPool } from "../thread-pool.ts";
import { createFolderTree } from "./folder-tree.ts";
import type { FolderTree } from "./folder-tree.ts";
import { hashFile, hashOf, isMissing, readCapped, readOrHash } from "./read-file.ts";
import { context7Path, ignoredSettings, maxContext7Bytes, mergeSelection, parseContext7File } from "./context7-file.ts";
import type { Context7File } from "./context7-file.ts";
import { chooseDescriptions, mayBeDescription } from "./description-files.ts";
import { hashTreeDescriptions, readTreeDescriptions } from "./openapi/in-tree.ts";
import type { DescriptionChoice, DescriptionTree } from "./openapi/in-tree.ts";
import { selectionSchema } from "./reader.ts";
import type { SourceReader } from "./reader.ts";
import { createDocumentTest, createFileSelector } from "./select-files.ts";
import type { Omitted } from "./omissions.ts";
import { createUnreadFiles } from "./unread-formats.ts";

/** What the folder source is made of. */
export interface FolderSourceOptions {
  /** Folders that may be read, with all below them. */
  readonly roots: readonly string[];
  /** Endings of document names in lower case, with the dot. */
  readonly extensions: readonly string[];
  /** Where API descriptions are read; absent: none are. */
  readonly pool?: ThreadPool;
}

/** Maximum number of files and folders in a tree. */
const maxEntries = 2_000_000;

/** Maximum size of a document that may include others, in bytes; larger pages are skipped. */
const maxIncludingBytes = 10_000_000;

/** Reads documents out of folders on the server's own disk, those inside `roots`. */
export function createFolderSource({ roots, extensions, pool }: FolderSourceOptions): Source<FolderSourceSpec> {
  async function list(spec: FolderSourceSpec, signal: AbortSignal): Promise<Listed> {
    const root = await findFolder(spec.path, roots);
    const unread = createUnreadFiles();
    const named: string[] = [];
    const found = await walk(
      root,
      createDocumentTest(extensions),
      (path) => {
        unread.add(path);
        if (mayBeDescription(path)) named.push(path);
      },
      signal,
    );
    const file = await readContext7(root);
    const selection = file ? mergeSelection(spec.selection, file.selection) : spec.selection;
    const options = { skipVersionFiltering: false, within: basename(root) };
    const select = createFileSelector(selection, { ...options, extensions });
    const omitted: Omitted = new Map();
    const chosen = new Set(
      select(
        found.map(({ path }) => path),
        omitted,
      ),
    );
    const files = found.filter(({ path }) => chosen.has(path));
    const notes = unread.notes(selection, options, files.length, omitted);
    const descriptions = chooseDescriptions(named, selection, options);
    return { root, file, files: files.sort((one, other) => (one.path < other.path ? -1 : 1)), descriptions, notes };
  }

  return {
    kind: "folder",

    async resolve(spec, _ref, { signal }) {
      const { root, file, files, descriptions } = await list(spec, signal);
      const hash = createHash("sha256");
      const tree = createFolderTree(root, signal);
      if (file) hash.update(`${context7Path}\0${JSON.stringify(file)}\n`);
      for (const { path, isLink } of files) {
        const content = isLink ? undefined : await readOrHash(join(root, path), maxIncludingBytes, signal);
        hash.update(`${path}\0${content?.fingerprint ?? "-"}\n`);
        // What is included is part of what the folder says.
        for (const file of await tree.includesOf(path, content?.bytes ?? null)) {
          hash.update(`  ${file.path}\0${file.fingerprint}\n`);
        }
      }
      if (pool !== undefined)
        for (const line of await hashTreeDescriptions(descriptions, descriptionTree(root, tree), pool, signal))
          hash.update(`${line}\n`);
      return { revision: `sha256-${hash.digest("hex").slice(0, 40)}`, ref: null, location: root, refs: [] };
    },

    async *read(spec, _state, context) {
      const { signal, limits } = context;
      const { root, file, files, descriptions, notes } = await list(spec, signal);
      if (notes.length > 0) context.account?.({ notes });
      if (file && Object.keys(file.settings).length > 0) context.account?.({ settings: file.settings });
      if (files.length > limits.pages)
        throw new Failure(
          "library_too_large",
          `The folder has ${files.length} documents, more than the ${limits.pages} that are indexed. Choose some with folders or excludeFolders, or raise MAX_PAGES.`,
        );
      const tree = createFolderTree(root, signal);
      const hasProblems = file !== undefined && file.problems.length > 0;
      context.pages(files.length + (hasProblems ? 1 : 0));
      if (hasProblems) {
        const url = pathToFileURL(join(root, context7Path)).href;
        yield {
          type: "skipped",
          page: { key: context7Path, url, mediaType: "application/json", fingerprint: "" },
          ...ignoredSettings(file),
        };
      }
      let bytes = 0;
      for (const file of files) {
        signal.throwIfAborted();
        const item = await readItem(root, file, tree, context);
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
      if (pool !== undefined)
        yield* readTreeDescriptions(descriptions, descriptionTree(root, tree), pool, {
          ...context,
          others: files.length,
        });
    },
  };
}

/** How folders are read. */
export const folderReader: SourceReader<FolderSourceSpec> = {
  spec: z.object({ kind: z.literal("folder"), path: z.string(), selection: selectionSchema }),
  create: ({ folderRoots: roots, extensions, pool }) => createFolderSource({ roots, extensions, pool }),
};

/** The folder as the tree of descriptions: links are not followed, nor what is hidden read. */
function descriptionTree(root: string, tree: FolderTree): DescriptionTree {
  return {
    toUrl: tree.toUrl,
    async read(path) {
      if (!mayBeDescription(path) || !(await tree.isFile(path))) return undefined;
      return (await readCapped(join(root, path), maxIncludingBytes))?.bytes;
    },
  };
}

/** What is to be read of a folder, and the file that says how. */
interface Listed {
  readonly root: string;
  readonly file: Context7File | undefined;
  readonly files: readonly FoundFile[];
  readonly descriptions: DescriptionChoice;
  /** What of it is not read, in sentences. */
  readonly notes: readonly string[];
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
