import { close, open, read, readdir } from "node:fs";
import { promisify } from "node:util";

/** Bytes that are read of a file in /proc: both kinds of file are shorter. */
const maxRead = 4096;

/** Looks after which all processes are looked at again; in between only new ones and those of the groups are. */
const looksBetween = 4;

const [openFile, readInto, closeFile, list] = [promisify(open), promisify(read), promisify(close), promisify(readdir)];

/**
 * Makes what measures the memory of process groups, in bytes; what their processes share with others, such as the program, does not count.
 * 0 where the system has no /proc, as on macOS.
 */
export function watchMemory(groups: ReadonlySet<number>): () => Promise<number> {
  // One for all files: the process grew when each look, four times a second, took its own.
  const buffer = Buffer.allocUnsafeSlow(maxRead);
  let others = new Set<string>();
  let looks = 0;
  return async () => {
    if (looks++ % looksBetween === 0) others = new Set();
    let sum = 0;
    for (const name of await namesIn("/proc")) {
      if (others.has(name) || !/^\d+$/.test(name)) continue;
      // The fields follow the name of the program, which may have any characters: state, parent, group …
      const stat = await beginningOf(`/proc/${name}/stat`, buffer);
      const group = Number(stat.slice(stat.lastIndexOf(")") + 1).split(" ")[3]);
      if (groups.has(group)) sum += ownBytes(await beginningOf(`/proc/${name}/status`, buffer));
      else others.add(name);
    }
    return sum;
  };
}

function ownBytes(status: string): number {
  const sizes = [...status.matchAll(/^Rss(?:Anon|Shmem):\s*(\d+) kB$/gm)].map(([, size]) => Number(size));
  return sizes.reduce((sum, size) => sum + size, 0) * 1024;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return list(folder).catch(() => []);
}

/** The beginning of a file; "" where the process has ended meanwhile. */
async function beginningOf(path: string, buffer: Buffer): Promise<string> {
  const file = await openFile(path, "r").catch(() => undefined);
  if (file === undefined) return "";
  const bytes = await readInto(file, buffer, 0, maxRead, 0)
    .then(({ bytesRead }) => bytesRead)
    .catch(() => 0);
  await closeFile(file);
  return buffer.toString("latin1", 0, bytes);
}
