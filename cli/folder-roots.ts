import { realpath, stat } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { Failure } from "../domain/failures.ts";

/** A check that a folder exists inside one of the roots, links followed; it answers the folder's real path. */
export function createFolderCheck(roots: readonly string[]): (path: string) => Promise<string> {
  return async (path) => {
    const real = await realpath(resolve(path)).catch(() => undefined);
    const rootPaths = await Promise.all(roots.map((root) => realpath(root).catch(() => resolve(root))));
    const inside =
      real !== undefined &&
      rootPaths.some((root) => real === root || real.startsWith(root.endsWith(sep) ? root : root + sep));
    // The same message for a missing folder and one outside the roots, so that it does not disclose what is on the disk.
    if (!inside || !(await stat(real)).isDirectory()) {
      throw new Failure("validation_error", `path must be a folder inside one of FOLDER_ROOTS, and "${path}" is not.`);
    }
    return real;
  };
}
