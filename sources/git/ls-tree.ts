import { Failure } from "../../domain/failures.ts";
import type { TreeEntry } from "./tree.ts";

/** Caps on what is read of a tree, which can repeat folders without end at no cost to its maker: in all, and of a path, in bytes. */
const maxOutput = 256_000_000;
const maxPath = 65_536;
/** Bytes of a path that are kept: longer ones are refused as they are. */
const maxKeptPath = 4096;

/**
 * Parses `git ls-tree -z`: `<mode> <type> <oid>\t<path>\0` for each entry, in batches.
 * @throws Failure library_too_large where there is too much of it
 */
export async function* parseTree(output: AsyncIterable<Buffer>): AsyncGenerator<TreeEntry[]> {
  let rest: Buffer = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of output) {
    size += chunk.length;
    if (size > maxOutput || rest.length > maxPath)
      throw new Failure(
        "library_too_large",
        `The repository lists more than ${maxOutput} bytes of paths, or a path of more than ${maxPath} bytes.`,
      );
    const bytes = Buffer.concat([rest, chunk]);
    const entries: TreeEntry[] = [];
    let start = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
      entries.push(parseEntry(bytes.subarray(start, end)));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    yield entries;
  }
}

function parseEntry(entry: Buffer): TreeEntry {
  const tab = entry.indexOf("\t");
  return {
    mode: entry.toString("latin1", 0, 6),
    oid: entry.toString("latin1", tab - 40, tab),
    path: entry.toString("utf8", tab + 1, Math.min(entry.length, tab + 1 + maxKeptPath)),
  };
}
