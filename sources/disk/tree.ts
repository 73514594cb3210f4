import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { IncludedFile } from "../../domain/ports.ts";
import type { IncludedRef } from "../../domain/generation.ts";
import { includeLimits, includesOf, isIncludable } from "../../extract/includes.ts";
import { createIncluded, createIncludeRefs, resolveIncludes } from "../tree/includes.ts";
import type { IncludeTree, TreeFile } from "../tree/includes.ts";
import { hashOf, isMissing, readCapped } from "./read-file.ts";

/** The files of a folder that its pages include. A file is taken as it was when it was first looked at. */
export interface FolderTree {
  /** What a page includes, and what it looks for in vain; nothing where its bytes are null. */
  includesOf(path: string, bytes: Uint8Array | null): Promise<readonly TreeFile[]>;
  /** The same with the bytes. */
  read(path: string, bytes: Uint8Array): Promise<readonly IncludedFile[]>;
  /** True where the folder has, or has not, what a kept result was made with. */
  isStill(kept: readonly IncludedRef[]): Promise<boolean>;
  /** True for a file that pages may include, none of whose folders is a link. */
  isFile(path: string): Promise<boolean>;
  toUrl(path: string): string;
}

/** Maximum number of files in the cache. */
const maxRemembered = 100_000;

/** Creates the view of a folder for one reading of it. */
export function createFolderTree(root: string, toUrl: FolderTree["toUrl"], signal: AbortSignal): FolderTree {
  const seen = new Map<string, TreeFile | undefined>();

  const find = async (path: string): Promise<TreeFile | undefined> => {
    signal.throwIfAborted();
    if (seen.has(path)) return seen.get(path);
    const file = await look(root, path);
    if (seen.size < maxRemembered) seen.set(path, file);
    return file;
  };
  const tree: IncludeTree = {
    find,
    fetch: async () => undefined,
    async *read(files) {
      for (const { path } of files) yield (await readCapped(join(root, path), includeLimits.fileBytes))?.bytes ?? null;
    },
  };
  const includesOfPage: FolderTree["includesOf"] = async (path, bytes) => {
    const includes = bytes === null ? [] : includesOf({ path, bytes });
    if (includes.length === 0) return [];
    const refs = createIncludeRefs();
    refs.add(path, includes);
    return (await resolveIncludes([path], refs, tree))(path);
  };

  return {
    includesOf: includesOfPage,
    async read(path, bytes) {
      const toIncluded = createIncluded(toUrl);
      const included: IncludedFile[] = [];
      for (const file of await includesOfPage(path, bytes)) {
        const isThere = file.fingerprint !== "" && file.reason === undefined;
        const content = isThere
          ? ((await readCapped(join(root, file.path), includeLimits.fileBytes))?.bytes ?? null)
          : null;
        // What was written meanwhile does not go by the name of what was looked at.
        const fingerprint = content === null ? file.fingerprint : hashOf(content);
        included.push(toIncluded({ ...file, fingerprint }, content));
      }
      return included;
    },
    async isStill(kept) {
      for (const { path, fingerprint } of kept)
        if (((await find(path))?.fingerprint ?? "") !== fingerprint) return false;
      return true;
    },
    async isFile(path) {
      const file = await find(path);
      return file !== undefined && file.reason === undefined;
    },
    toUrl,
  };
}

/** The file at a path, none of whose folders is a link. */
async function look(root: string, path: string): Promise<TreeFile | undefined> {
  const steps = path.split("/");
  if (!isIncludable(path)) return undefined;
  for (let count = 1; count <= steps.length; count++) {
    const place = join(root, ...steps.slice(0, count));
    const found = await lstat(place).catch((error: unknown) => {
      if (isMissing(error) || (error instanceof Error && "code" in error && error.code === "ENAMETOOLONG"))
        return undefined;
      throw error;
    });
    if (found === undefined) return undefined;
    const isLast = count === steps.length;
    if (found.isSymbolicLink())
      return isLast ? { path, fingerprint: "symlink", reason: "is a symbolic link" } : undefined;
    if (!isLast) continue;
    if (!found.isFile()) return undefined;
    // Its content does not matter, as it is left out.
    if (found.size > includeLimits.fileBytes) return { path, fingerprint: `size-${found.size}` };
    const content = await readCapped(place, includeLimits.fileBytes);
    return content?.bytes ? { path, fingerprint: hashOf(content.bytes) } : undefined;
  }
  return undefined;
}
