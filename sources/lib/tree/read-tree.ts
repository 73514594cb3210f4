import { Failure } from "../../../domain/failures.ts";
import type { Unread } from "../../../domain/generation.ts";
import type { ReadContext, SourceItem } from "../../../domain/ports.ts";
import type { FileSelection } from "../../../domain/source.ts";
import { readTreeDescriptions } from "../descriptions/in-tree.ts";
import type { DescriptionTree } from "../descriptions/in-tree.ts";
import type { ThreadPool } from "../threads/thread-pool.ts";
import { chooseFiles, beginsAsDescription, descriptionNotes } from "./choose-files.ts";
import type { ChosenFiles, TreeFileNames } from "./choose-files.ts";
import { context7Path, ignoredSettings, mergeSelection } from "./context7-file.ts";
import type { Context7File } from "./context7-file.ts";
import { readStated } from "./manifests.ts";
import type { ManifestFile, Stated } from "./manifests.ts";
import type { SelectOptions } from "./select-files.ts";
import { websiteFiles, websiteOf } from "./unread-documentation.ts";

/** The files of a tree at one revision. */
export interface FileTree extends DescriptionTree {
  /** What it is called in a sentence. */
  readonly noun: "repository" | "folder" | "package";
  /** The paths of its files, as far as they matter. */
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
  /** Items of the chosen files and of those that cannot be read, in the order of their paths. @throws Failure library_too_large */
  readChosen(chosen: ChosenFiles): AsyncIterable<SourceItem>;
  /** The beginnings of files named like API descriptions, at least `maxBeginning` bytes of each; those that are too large are left out. */
  readBeginnings(paths: readonly string[]): AsyncIterable<{ readonly path: string; readonly bytes: Uint8Array }>;
  /** Called with the paths of files that will be read, so that they can be fetched together. */
  prepare?(paths: readonly string[]): Promise<void>;
}

/** How files of a tree are chosen. */
export interface TreeRules extends Omit<SelectOptions, "isDocumentation"> {
  /** As submitted; the library's own file fills in what it leaves open. */
  readonly selection: FileSelection;
}

/**
 * Chooses the files of a tree that are read, on a thread.
 * @throws Failure validation_error for a pattern that would take too long to match, library_too_large for too many descriptions
 */
export function chooseOf(
  { names, file }: Pick<FileTree, "names" | "file">,
  { selection, ...options }: TreeRules,
  tools: { readonly pool: ThreadPool; readonly signal: AbortSignal },
): Promise<ChosenFiles> {
  return chooseFiles(tools, { ...names, selection: merged(selection, file), options }, options.within);
}

/** Reads the manifests and licence files of the library that is chosen of a tree. @throws Failure source_invalid */
export async function statedOf(
  { names, file, readManifests: read }: Pick<FileTree, "names" | "file" | "readManifests">,
  { selection, within }: TreeRules,
  threads: { readonly pool: ThreadPool; readonly signal: AbortSignal },
): Promise<Stated> {
  return readStated(threads, names.manifests, merged(selection, file), read, within);
}

function merged(selection: FileSelection, file: Context7File | undefined): FileSelection {
  return file ? mergeSelection(selection, file.selection) : selection;
}

/**
 * Reads a tree: its documents with what they include, then its API descriptions, then manifests and licences. Notes say what is not
 * read; problems of the library's own file are an item.
 * @throws Failure library_too_large; as `chooseOf`
 */
export async function* readTree(
  tree: FileTree,
  rules: TreeRules,
  pool: ThreadPool,
  context: ReadContext,
): AsyncGenerator<SourceItem> {
  const { noun, names, file } = tree;
  const { limits, signal } = context;
  const chosen = await chooseOf(tree, rules, { pool, signal });
  const count = chosen.documents.length + names.unreadable;
  if (count > limits.pages)
    throw new Failure(
      "library_too_large",
      `The ${noun} has ${count} documents, more than the ${limits.pages} that are indexed. Choose some with folders or excludeFolders, or raise MAX_PAGES.`,
    );
  const unread = await unreadOf(tree, chosen);
  const notes = [...chosen.notes, ...descriptionNotes(await findUnasked(tree, chosen))];
  if (notes.length > 0) context.account?.({ notes, ...(unread && { unread }) });
  const hasProblems = file !== undefined && file.problems.length > 0;
  const others = count + chosen.elsewhere.length + (hasProblems ? 1 : 0);
  context.pages(others);
  if (hasProblems) {
    const page = { key: context7Path, url: tree.fileUrl, mediaType: "application/json", fingerprint: "" };
    yield { type: "skipped", page, ...ignoredSettings(file) };
  }
  yield* tree.readChosen(chosen);
  await tree.prepare?.(chosen.descriptions.paths);
  yield* readTreeDescriptions(chosen.descriptions, tree, pool, { ...context, others });
  const { claims, licences } = await statedOf(tree, rules, { pool, signal });
  if (claims.length > 0 || licences) context.account?.({ claims, ...(licences && { licences }) });
}

/** Finds API descriptions that were not asked for, by their names and by the beginnings of other files. */
async function findUnasked(tree: FileTree, { unasked: { named, perhaps } }: ChosenFiles): Promise<readonly string[]> {
  const found = [...named];
  if (perhaps.length === 0) return found;
  for await (const { path, bytes } of tree.readBeginnings(perhaps)) if (beginsAsDescription(bytes)) found.push(path);
  return found;
}

/** The documentation that is not read, and the website that the tree names; undefined where all is read. */
async function unreadOf(
  tree: FileTree,
  { unreadFormats: formats, isMostUnread }: ChosenFiles,
): Promise<Unread | undefined> {
  if (formats === "") return undefined;
  await tree.prepare?.(websiteFiles);
  const website = await websiteOf((path) => tree.read(path));
  return { formats, ...(website !== undefined && { website }), ...(isMostUnread && { isMost: true }) };
}
