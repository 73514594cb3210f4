import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { IncludedFile } from "../../../domain/ports.ts";
import type { IncludedRef } from "../../../domain/generation.ts";
import { includeLimits, includesOf, isIncludable } from "../../../extract/includes/index.ts";
import { createIncluded, createIncludeRefs, resolveIncludes } from "../tree/includes.ts";
import type { IncludeTree, TreeFile } from "../tree/includes.ts";
import { isMissing, readCapped, sha256Of } from "./read-file.ts";

/** The files of a folder that its pages include. Each file is looked at once. */
export interface FolderTree {
  /** The files that a page includes or looks for in vain; none where its bytes are null. */
  includesOf(path: string, bytes: Uint8Array | null): Promise<readonly TreeFile[]>;
  /** As `includesOf`, with the content of the files. */
  read(path: string, bytes: Uint8Array): Promise<readonly IncludedFile[]>;
  /** Whether the includes of a kept result are as they were. */
  isStill(kept: readonly IncludedRef[]): Promise<boolean>;
  /** Whether pages may include a file: it exists, and neither it nor a folder above it is a link. */
  isFile(path: string): Promise<boolean>;
  toUrl(path: string): string;
}

/** Maximum number of cached files. */
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
        // The file may have changed since it was looked at.
        const fingerprint = content === null ? file.fingerprint : sha256Of(content);
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

/** The file at a path; undefined where there is none, or a folder above it is a link. */
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
    // A file that is too large is left out, whatever its content.
    if (found.size > includeLimits.fileBytes) return { path, fingerprint: `size-${found.size}` };
    const content = await readCapped(place, includeLimits.fileBytes);
    return content?.bytes ? { path, fingerprint: sha256Of(content.bytes) } : undefined;
  }
  return undefined;
}
