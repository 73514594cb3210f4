import { Failure } from "../../domain/failures.ts";
import type { IncludedFile } from "../../domain/ports.ts";
import type { IncludedRef } from "../../domain/generation.ts";
import { includeLimits, includesOf, mayInclude } from "../../extract/includes.ts";
import type { IncludeRef } from "../../extract/includes.ts";

/** A file of a tree, as pages that include it see it. */
export interface TreeFile extends IncludedRef {
  /** Why it cannot be included, such as a symbolic link: the end of a sentence that begins with its path. */
  readonly reason?: string;
}

/** The tree that pages are read from, as far as their includes need it. */
export interface IncludeTree {
  /** The file at a path; undefined where there is none. */
  find(path: string): Promise<TreeFile | undefined>;
  /** Brings files here, in one request. */
  fetch(files: readonly TreeFile[]): Promise<void>;
  /** The content of files that are here, in their order; null for what is larger than may be included, or gone. */
  read(files: readonly TreeFile[]): AsyncIterable<Uint8Array | null>;
}

/** All that a page looks for in the tree, files that are not there among them; those that it includes first come first. */
export type IncludesOfPage = (page: string) => readonly TreeFile[];

/** What texts of a tree include, by their path. */
export interface IncludeRefs extends Pick<ReadonlyMap<string, readonly IncludeRef[]>, "get" | "has"> {
  /** @throws Failure library_too_large where it is more than is kept in memory */
  add(path: string, refs: readonly IncludeRef[]): void;
}

/** Creates an empty collection. */
export function createIncludeRefs(): IncludeRefs {
  const refs = new Map<string, readonly IncludeRef[]>();
  let characters = 0;
  return {
    get: (path) => refs.get(path),
    has: (path) => refs.has(path),
    add(path, own) {
      for (const { places } of own) characters += places.reduce((sum, place) => sum + place.length, 0);
      if (characters > maxCharacters)
        throw new Failure(
          "library_too_large",
          "The pages include more files than can be looked for. Choose some pages with folders or excludeFolders.",
        );
      refs.set(path, own);
    },
  };
}

/** Cap on the paths that all pages of a library name, in characters. */
const maxCharacters = 50_000_000;

/** Reads what pages include: what is found by one round of looking is fetched at once, for all of them. */
export async function resolveIncludes(
  pages: readonly string[],
  refs: IncludeRefs,
  tree: IncludeTree,
): Promise<IncludesOfPage> {
  const looked = new Map<string, TreeFile>();
  const look = async (path: string): Promise<TreeFile> => {
    const file = looked.get(path) ?? (await tree.find(path)) ?? { path, fingerprint: "" };
    looked.set(path, file);
    return file;
  };
  let frontier = pages;
  for (let round = 1; round <= includeLimits.depth && frontier.length > 0; round++) {
    const found = new Map<string, TreeFile>();
    for (const page of frontier) {
      for (const { places } of refs.get(page) ?? []) {
        const file = await firstOf(places, look);
        if (file !== undefined && file.reason === undefined && !refs.has(file.path)) found.set(file.path, file);
      }
    }
    await tree.fetch([...found.values()]);
    for (const { path } of found.values()) refs.add(path, []);
    const texts = [...found.values()].filter(({ path }) => mayInclude(path));
    let at = 0;
    for await (const bytes of tree.read(texts)) {
      const path = texts[at++]?.path ?? "";
      if (bytes !== null) refs.add(path, includesOf({ path, bytes }));
    }
    frontier = texts.map(({ path }) => path);
  }
  return (page) => closure(page, refs, looked);
}

async function firstOf(
  places: readonly string[],
  look: (path: string) => Promise<TreeFile>,
): Promise<TreeFile | undefined> {
  for (const place of places) {
    const file = await look(place);
    if (file.fingerprint !== "") return file;
  }
  return undefined;
}

/** Maximum number of places that are looked at for one page. */
const maxLooked = 4 * includeLimits.files;

/** What one page looks for: its own includes, then theirs. It does not depend on what other pages include. */
function closure(page: string, refs: IncludeRefs, looked: ReadonlyMap<string, TreeFile>): readonly TreeFile[] {
  const files = new Map<string, TreeFile>();
  let found = 0;
  let level: readonly string[] = [page];
  for (let depth = 1; depth <= includeLimits.depth && level.length > 0; depth++) {
    const next: string[] = [];
    for (const { places } of level.flatMap((path) => refs.get(path) ?? [])) {
      if (found >= includeLimits.files || files.size >= maxLooked) return [...files.values()];
      for (const place of places) {
        const file = looked.get(place);
        const isNew = !files.has(place);
        if (file !== undefined) files.set(place, file);
        if (file === undefined || file.fingerprint === "") continue;
        if (isNew && place !== page) {
          found += 1;
          if (file.reason === undefined) next.push(place);
        }
        break;
      }
    }
    level = next;
  }
  return [...files.values()];
}

/** Makes what a page is handed over with, from the contents of its files in their order. */
export function createIncluded(
  toUrl: (path: string) => string,
): (file: TreeFile, bytes: Uint8Array | null) => IncludedFile {
  let total = 0;
  return ({ path, fingerprint, reason }, bytes) => {
    const ref = { path, url: fingerprint === "" ? "" : toUrl(path), fingerprint };
    if (reason !== undefined || fingerprint === "")
      return { ...ref, bytes: null, ...(reason !== undefined && { reason }) };
    total += bytes?.length ?? 0;
    if (bytes !== null && bytes.length <= includeLimits.fileBytes && total <= includeLimits.bytes)
      return { ...ref, bytes };
    return { ...ref, bytes: null, reason: "is larger than what a page may include" };
  };
}
