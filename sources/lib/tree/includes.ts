import { Failure } from "../../../domain/failures.ts";
import type { IncludedFile, PageRef, SourceItem } from "../../../domain/ports.ts";
import type { IncludedRef } from "../../../domain/generation.ts";
import {
  decidesIncludes,
  includeLimits,
  includesOf,
  mayRefer,
  type IncludeRef,
} from "../../../extract/includes/index.ts";

/** A file of a tree that pages may include. */
export interface TreeFile extends IncludedRef {
  /** Why it cannot be included, such as a symbolic link: the end of a sentence that begins with its path. */
  readonly reason?: string;
}

/** A tree in which includes are resolved. */
export interface IncludeTree {
  /** The file at a path; undefined without one. */
  find(path: string): Promise<TreeFile | undefined>;
  /** Fetches the content of files in one request. */
  fetch(files: readonly TreeFile[]): Promise<void>;
  /** The content of fetched files in their order; null for one that is too large to include, or deleted. */
  read(files: readonly TreeFile[]): AsyncIterable<Uint8Array | null>;
}

/** The files that a page includes, and missing ones that it tries to include, breadth first. */
export type IncludesOfPage = (page: string) => readonly TreeFile[];

/** The includes in the texts of a tree, by path. */
export interface IncludeRefs extends Pick<ReadonlyMap<string, readonly IncludeRef[]>, "get" | "has"> {
  /** @throws Failure library_too_large if they take too much memory */
  add(path: string, refs: readonly IncludeRef[]): void;
}

/** Creates an empty collection. */
export function createIncludeRefs(): IncludeRefs {
  const refs = new Map<string, readonly IncludeRef[]>();
  let characters = 0;
  return {
    get: (path) => refs.get(path),
    has: (path) => refs.has(path),
    add(path, added) {
      for (const { places } of added) characters += places.reduce((sum, place) => sum + place.length, 0);
      if (characters > maxCharacters)
        throw new Failure(
          "library_too_large",
          "The pages include more files than can be looked for. Choose some pages with folders or excludeFolders.",
        );
      refs.set(path, added);
    },
  };
}

/** Cap on the paths in all includes of a library, in characters. */
const maxCharacters = 50_000_000;

/** Resolves the includes of pages, level by level: files that one level includes are fetched in one request. */
export async function resolveIncludes(
  pages: readonly string[],
  refs: IncludeRefs,
  tree: IncludeTree,
): Promise<IncludesOfPage> {
  const files = new Map<string, TreeFile>();
  const find = async (path: string): Promise<TreeFile> => {
    const file = files.get(path) ?? (await tree.find(path)) ?? { path, fingerprint: "" };
    files.set(path, file);
    return file;
  };
  /** The content of files that decide what pages include. */
  const known = new Map<string, Uint8Array>();
  let size = 0;
  let level = pages;
  for (let depth = 1; depth <= includeLimits.depth && level.length > 0; depth++) {
    const included = new Map<string, TreeFile>();
    for (const { places } of level.flatMap((page) => refs.get(page) ?? [])) {
      const file = await firstOf(places, find);
      if (file !== undefined && file.reason === undefined && !refs.has(file.path)) included.set(file.path, file);
    }
    await tree.fetch([...included.values()]);
    for (const path of included.keys()) refs.add(path, []);
    const texts = [...included.values()].filter(({ path }) => mayRefer(path) || decidesIncludes(path));
    let at = 0;
    const before = size;
    for await (const bytes of tree.read(texts)) {
      const path = texts[at++]?.path ?? "";
      if (bytes !== null && mayRefer(path)) refs.add(path, includesOf({ path, bytes }));
      if (bytes === null || !decidesIncludes(path) || size > maxKnown) continue;
      size += bytes.length;
      known.set(path, bytes);
    }
    const open = size === before ? [] : await Promise.all(pages.filter((page) => isOpen(page, refs)).map(find));
    at = 0;
    for await (const bytes of tree.read(open)) {
      const path = open[at++]?.path ?? "";
      if (bytes !== null) refs.add(path, includesOf({ path, bytes, files: known }));
    }
    level = [...texts, ...open].map(({ path }) => path);
  }
  return (page) => closure(page, refs, files);
}

/** Maximum size of the files that decide what pages include, in bytes. */
const maxKnown = 100_000_000;

/** Whether a page, or a file that it includes, has an include whose path is not known yet. */
function isOpen(page: string, refs: IncludeRefs): boolean {
  const own = refs.get(page) ?? [];
  return [page, ...own.flatMap(({ places }) => places)].some((path) =>
    refs.get(path)?.some((ref) => ref.isOpen === true),
  );
}

async function firstOf(
  places: readonly string[],
  find: (path: string) => Promise<TreeFile>,
): Promise<TreeFile | undefined> {
  for (const place of places) {
    const file = await find(place);
    if (file.fingerprint !== "") return file;
  }
  return undefined;
}

/** Maximum number of paths that are looked up for one page. */
const maxLookups = 4 * includeLimits.files;

/** The files that one page looks for: its own includes, then theirs. They don't depend on other pages. */
function closure(page: string, refs: IncludeRefs, known: ReadonlyMap<string, TreeFile>): readonly TreeFile[] {
  const files = new Map<string, TreeFile>();
  const followed = new Set<string>();
  let included = 0;
  let level: readonly string[] = [page];
  for (let depth = 1; depth <= includeLimits.depth && level.length > 0; depth++) {
    const next: string[] = [];
    for (const { places, isLeaf = false } of level.flatMap((path) => refs.get(path) ?? [])) {
      if (included >= includeLimits.files || files.size >= maxLookups) return [...files.values()];
      for (const place of places) {
        const file = known.get(place);
        const isNew = !files.has(place);
        if (file !== undefined) files.set(place, file);
        if (file === undefined || file.fingerprint === "") continue;
        if (isNew && place !== page) included += 1;
        if (!isLeaf && !followed.has(place) && place !== page && file.reason === undefined) {
          followed.add(place);
          next.push(place);
        }
        break;
      }
    }
    level = next;
  }
  return [...files.values()];
}

/** The item of an unchanged page, with the files that it includes. */
export function knownItem(
  page: PageRef,
  includes: readonly IncludedRef[],
  toUrl: (path: string) => string,
): SourceItem {
  const files = includes.filter((file) => file.fingerprint !== "").map((file) => ({ ...file, url: toUrl(file.path) }));
  return { type: "known", page, ...(files.length > 0 && { includes: files }) };
}

/** Creates the function that turns the files of one page, in their order, into its includes, within the limits. */
export function createIncluded(
  toUrl: (path: string) => string,
): (file: TreeFile, bytes: Uint8Array | null) => IncludedFile {
  let total = 0;
  return ({ path, fingerprint, reason }, bytes) => {
    const ref = { path, url: fingerprint === "" ? "" : toUrl(path), fingerprint };
    if (reason !== undefined) return { ...ref, bytes: null, reason };
    if (fingerprint === "") return { ...ref, bytes: null };
    total += bytes?.length ?? 0;
    if (bytes !== null && bytes.length <= includeLimits.fileBytes && total <= includeLimits.bytes)
      return { ...ref, bytes };
    return { ...ref, bytes: null, reason: "is larger than what a page may include" };
  };
}
