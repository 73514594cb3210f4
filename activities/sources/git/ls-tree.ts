import type { TreeEntry } from "./tree.ts";

/** Parses `git ls-tree -z`: `<mode> <type> <oid>\t<path>\0` for each entry. */
export async function* parseTree(output: AsyncIterable<Buffer>): AsyncGenerator<TreeEntry[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of output) {
    const end = chunk.lastIndexOf(0);
    if (end < 0) {
      rest = Buffer.concat([rest, chunk]);
      continue;
    }
    const whole = Buffer.concat([rest, chunk.subarray(0, end)]).toString("utf8");
    rest = chunk.subarray(end + 1);
    yield whole.split("\0").map((line) => {
      const tab = line.indexOf("\t");
      const space = line.lastIndexOf(" ", tab);
      return { mode: line.slice(0, 6), oid: line.slice(space + 1, tab), path: line.slice(tab + 1) };
    });
  }
}
