import { isIncludable } from "../../extract/includes.ts";
import type { TreeFile } from "../lib/tree/includes.ts";
import type { TreeEntry } from "./tree.ts";

/** The files of a commit that pages may include. */
export interface TreeFiles {
  /** Hands entries on, and remembers them. */
  through(batches: AsyncIterable<readonly TreeEntry[]>): AsyncGenerator<readonly TreeEntry[]>;
  find(path: string): TreeFile | undefined;
}

/** Maximum number of files of a tree that can be included, the first ones in its order; it bounds memory, at some 200 bytes each. */
const maxFiles = 500_000;
/** Longest path that can be included, in characters. */
const maxPath = 500;

/** Creates an empty collection. */
export function createTreeFiles(): TreeFiles {
  const oids = new Map<string, string>();
  const links = new Set<string>();
  return {
    async *through(batches) {
      for await (const batch of batches) {
        for (const { path, mode, oid } of batch) {
          if (
            mode === "160000" ||
            oids.size >= maxFiles ||
            path.length > maxPath ||
            oids.has(path) ||
            !isIncludable(path)
          )
            continue;
          oids.set(path, oid);
          if (mode === "120000") links.add(path);
        }
        yield batch;
      }
    },
    find(path) {
      const fingerprint = oids.get(path);
      if (fingerprint === undefined) return undefined;
      return links.has(path) ? { path, fingerprint, reason: "is a symbolic link" } : { path, fingerprint };
    },
  };
}
