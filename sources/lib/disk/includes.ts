import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { IncludedFile } from "../../../domain/ports.ts";
import type { IncludedRef } from "../../../domain/generation.ts";
import { includeLimits, includesOf, isIncludable } from "../../../extract/includes/index.ts";
import {
  createIncluded,
  createIncludeRefs,
  resolveIncludes,
  type IncludeTree,
  type TreeFile,
} from "../tree/includes.ts";
import { isMissing, readCapped, sha256Of } from "./read-file.ts";

/** The files of a folder that its pages include. Each file is examined once. */
export interface FolderTree {
  /** The files that a page includes, and missing ones that it tries to include; empty if its bytes are null. */
  includesOf(path: string, bytes: Uint8Array | null): Promise<readonly TreeFile[]>;
  /** As `includesOf`, with the content of the files. */
  read(path: string, bytes: Uint8Array): Promise<readonly IncludedFile[]>;
  /** Whether the includes of an earlier result are unchanged. */
  isStill(earlier: readonly IncludedRef[]): Promise<boolean>;
  /** Whether pages may include a file: it exists, and neither it nor a parent folder is a link. */
  isFile(path: string): Promise<boolean>;
  toUrl(path: string): string;
}

/** Maximum number of cached files. */
const maxRemembered = 100_000;

/** Creates the view of a folder for one reading of it. */
export function createFolderTree(root: string, toUrl: FolderTree["toUrl"], signal: AbortSignal): FolderTree {
  const cache = new Map<string, TreeFile | undefined>();

  const find = async (path: string): Promise<TreeFile | undefined> => {
    signal.throwIfAborted();
    if (cache.has(path)) return cache.get(path);
    const file = await examine(root, path);
    if (cache.size < maxRemembered) cache.set(path, file);
    return file;
  };
  const contentOf = async (path: string): Promise<Uint8Array | null> =>
    (await readCapped(join(root, path), includeLimits.fileBytes))?.bytes ?? null;
  const tree: IncludeTree = {
    find,
    fetch: async () => undefined,
    async *read(files) {
      for (const { path } of files) yield await contentOf(path);
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
        const isReadable = file.fingerprint !== "" && file.reason === undefined;
        const content = isReadable ? await contentOf(file.path) : null;
        // The file may have changed since it was examined.
        const fingerprint = content === null ? file.fingerprint : sha256Of(content);
        included.push(toIncluded({ ...file, fingerprint }, content));
      }
      return included;
    },
    async isStill(earlier) {
      for (const { path, fingerprint } of earlier)
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

/** The file at a path; undefined if it doesn't exist or a parent folder is a link. */
async function examine(root: string, path: string): Promise<TreeFile | undefined> {
  const steps = path.split("/");
  if (!isIncludable(path)) return undefined;
  for (let count = 1; count <= steps.length; count++) {
    const place = join(root, ...steps.slice(0, count));
    const stats = await lstat(place).catch((error: unknown) => {
      if (isMissing(error) || (error instanceof Error && "code" in error && error.code === "ENAMETOOLONG"))
        return undefined;
      throw error;
    });
    if (stats === undefined) return undefined;
    const isLast = count === steps.length;
    if (stats.isSymbolicLink())
      return isLast ? { path, fingerprint: "symlink", reason: "is a symbolic link" } : undefined;
    if (!isLast) continue;
    if (!stats.isFile()) return undefined;
    // The content of a file that is too large doesn't matter.
    if (stats.size > includeLimits.fileBytes) return { path, fingerprint: `size-${stats.size}` };
    const content = await readCapped(place, includeLimits.fileBytes);
    return content?.bytes ? { path, fingerprint: sha256Of(content.bytes) } : undefined;
  }
  return undefined;
}
