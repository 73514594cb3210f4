import { Failure } from "../../../domain/failures.ts";
import type { Unread } from "../../../domain/generation.ts";
import type { ReadContext, SourceItem } from "../../../domain/ports.ts";
import type { FileSelection } from "../../../domain/source.ts";
import { readTreeDescriptions, type DescriptionTree } from "../descriptions/in-tree.ts";
import { parseText, type ThreadPool, type Threads } from "../threads/thread-pool.ts";
import { beginsAsDescription, descriptionNotes, type ChosenFiles, type TreeFileNames } from "./choose-files.ts";
import { context7Path, ignoredSettings, mergeSelection, type Context7File } from "./context7-file.ts";
import { createLinkedOutside } from "./linked-outside.ts";
import { readManifestFacts, type ManifestFile, type ManifestFacts } from "./manifests.ts";
import { hasVersions, releasedVersion, versionFiles } from "./released-version.ts";
import type { SelectOptions } from "./select-files.ts";
import { isWantedSource, maxSourceBytes } from "./source-files.ts";
import { websiteFiles, websiteOf } from "./unread-documentation.ts";

/** The files of a tree at one revision. */
export interface FileTree extends DescriptionTree {
  /** The word for it in messages. */
  readonly noun: "repository" | "folder" | "package" | "archive";
  /** The paths of its relevant files. */
  readonly names: Omit<TreeFileNames, "selection" | "options"> & {
    /** Files named like manifests of packages or licences. */
    readonly manifests: readonly string[];
  };
  /** The library's context7.json; undefined without one. */
  readonly file: Context7File | undefined;
  /** Address of that file. */
  readonly fileUrl: string;
  /** The files at these paths, without those that are too large. */
  readManifests(paths: readonly string[]): Promise<readonly ManifestFile[]>;
  /** Items of the chosen files and of unreadable ones, in the order of their paths. */
  readChosen(chosen: ChosenFiles): AsyncIterable<SourceItem>;
  /** Items of sources. */
  readSources(paths: readonly string[]): AsyncIterable<SourceItem>;
  /** The beginnings of files that may be API descriptions, at least `maxBeginning` bytes of each, without those that are too large. */
  readBeginnings(paths: readonly string[]): AsyncIterable<{ readonly path: string; readonly bytes: Uint8Array }>;
  /** Called with the paths of files before they are read, so that they can be fetched together. */
  prepare?(paths: readonly string[]): Promise<void>;
}

/** How files of a tree are chosen. */
export interface TreeRules extends Omit<SelectOptions, "isDocumentation" | "latest"> {
  /** As submitted; the library's own file supplies what it leaves open. */
  readonly selection: FileSelection;
}

const choosing = { module: new URL("choose-files.ts", import.meta.url), name: "chosenFiles" };

/**
 * Chooses the files of a tree that are read, on a thread, as a tree may have hundreds of thousands.
 * @throws Failure validation_error for a pattern that would take too long to match, library_too_large for too many descriptions
 */
export async function chooseTreeFiles(
  { names, file, read, prepare }: Pick<FileTree, "names" | "file" | "read" | "prepare">,
  { selection, ...options }: TreeRules,
  threads: Threads,
): Promise<ChosenFiles> {
  let latest: string | undefined;
  if (hasVersions(names.documents)) {
    await prepare?.(versionFiles);
    latest = await releasedVersion(read);
  }
  const given: TreeFileNames = {
    ...names,
    selection: mergeSelection(selection, file?.selection),
    options: { ...options, ...(latest !== undefined && { latest }) },
  };
  return parseText(threads, choosing, given, options.within);
}

/** Reads the manifests and licence files of the library. @throws Failure source_invalid */
export function readManifestsOf(
  { names, file, readManifests: read }: Pick<FileTree, "names" | "file" | "readManifests">,
  { selection, within }: TreeRules,
  threads: Threads,
): Promise<ManifestFacts> {
  return readManifestFacts(threads, names.manifests, mergeSelection(selection, file?.selection), read, within);
}

/**
 * Reads a tree: its documents and the files they include, then its API descriptions, then manifests and licences. Notes name what is
 * not read; problems of the library's own file are an item.
 * @throws Failure library_too_large; as `chooseTreeFiles`
 */
export async function* readTree(
  tree: FileTree,
  rules: TreeRules,
  pool: ThreadPool,
  context: ReadContext,
): AsyncGenerator<SourceItem> {
  const { noun, names, file } = tree;
  const { limits, signal } = context;
  const chosen = await chooseTreeFiles(tree, rules, { pool, signal });
  const count = chosen.documents.length + names.unreadable;
  if (count > limits.pages)
    throw new Failure(
      "library_too_large",
      `The ${noun} has ${count} documents, more than the ${limits.pages} that are indexed. Choose some with folders or excludeFolders, or raise MAX_PAGES.`,
    );
  const sources = chosen.sources.slice(0, limits.pages - count);
  const unread = await unreadOf(tree, chosen);
  const notes = [
    ...sourceNotes(sources),
    ...chosen.notes,
    ...descriptionNotes(await unreadDescriptionsOf(tree, chosen)),
  ];
  if (notes.length > 0) context.account?.({ notes, ...(unread && { unread }) });
  const hasProblems = file !== undefined && file.problems.length > 0;
  const linked = createLinkedOutside(chosen.outside, context.earlier.notes);
  const others = count + sources.length + chosen.elsewhere.length + (hasProblems ? 1 : 0);
  context.pages(others);
  if (hasProblems) {
    const page = { key: context7Path, url: tree.fileUrl, mediaType: "application/json", fingerprint: "" };
    yield { type: "skipped", page, ...ignoredSettings(file) };
  }
  let bytes = 0;
  for await (const item of tree.readChosen(chosen)) {
    if (item.type === "page")
      bytes += (item.includes ?? []).reduce((sum, one) => sum + (one.bytes?.length ?? 0), item.bytes.length);
    if (bytes > limits.bytes)
      throw new Failure(
        "library_too_large",
        `The documents of the ${noun} have more than the ${limits.bytes} bytes that are indexed. Choose some with folders or excludeFolders, or raise MAX_BYTES.`,
      );
    linked.take(item);
    yield item;
  }
  if (linked.notes().length > 0) context.account?.({ notes: [...notes, ...linked.notes()] });
  yield* readSources(tree, sources, bytes, limits);
  await tree.prepare?.(chosen.descriptions.paths);
  yield* readTreeDescriptions(chosen.descriptions, tree, pool, { ...context, others });
  const { claims, licences } = await readManifestsOf(tree, rules, { pool, signal });
  if (claims.length > 0 || licences) context.account?.({ claims, ...(licences && { licences }) });
}

/** The sources that are worth reading, until their limits or that of the library. `before`: the bytes that are read. */
async function* readSources(
  tree: FileTree,
  sources: readonly string[],
  before: number,
  limits: ReadContext["limits"],
): AsyncGenerator<SourceItem> {
  if (sources.length === 0) return;
  let left = Math.min(maxSourceBytes, limits.bytes - before);
  for await (const item of tree.readSources(sources)) {
    // What cannot be read of them is no fault of the documentation.
    if (item.type === "skipped" || (item.type === "page" && !isWantedSource(item.page.mediaType, item.bytes))) continue;
    left -= item.type === "page" ? item.bytes.length : 0;
    if (left < 0) return;
    yield item;
  }
}

function sourceNotes({ length }: readonly string[]): string[] {
  return length === 0
    ? []
    : [`Names and comments of ${length} source ${length === 1 ? "file are" : "files are"} read as documentation.`];
}

/** API descriptions that are not read: files with a clear name, and other files that begin like one. */
async function unreadDescriptionsOf(
  tree: FileTree,
  { unreadDescriptions: { certain, candidates } }: ChosenFiles,
): Promise<readonly string[]> {
  const paths = [...certain];
  if (candidates.length === 0) return paths;
  for await (const { path, bytes } of tree.readBeginnings(candidates)) if (beginsAsDescription(bytes)) paths.push(path);
  return paths;
}

/** The documentation that is not read, and the website that the tree names; undefined if all is read. */
async function unreadOf(
  tree: FileTree,
  { unreadFormats: formats, isMostUnread }: ChosenFiles,
): Promise<Unread | undefined> {
  if (formats === "") return undefined;
  await tree.prepare?.(websiteFiles);
  const website = await websiteOf((path) => tree.read(path));
  return { formats, ...(website !== undefined && { website }), ...(isMostUnread && { isMost: true }) };
}
