import { readdir, readFile } from "node:fs/promises";

/**
 * Bytes that the processes of some process groups hold for themselves; what they share with others, such as the program,
 * does not count. 0 where the system has no /proc, as on macOS.
 */
export async function memoryOf(groups: ReadonlySet<number>): Promise<number> {
  const sizes = (await namesIn("/proc")).map(async (name) => {
    if (!/^\d+$/.test(name)) return 0;
    // The fields follow the name of the program, which may have any characters: state, parent, group …
    const stat = await read(`/proc/${name}/stat`);
    const group = Number(stat.slice(stat.lastIndexOf(")") + 1).split(" ")[3]);
    if (!groups.has(group)) return 0;
    const status = await read(`/proc/${name}/status`);
    const kilobytes = [...status.matchAll(/^Rss(?:Anon|Shmem):\s*(\d+) kB$/gm)].map(([, size]) => Number(size));
    return kilobytes.reduce((sum, size) => sum + size, 0) * 1024;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

/** "" where the process has ended meanwhile. */
async function read(file: string): Promise<string> {
  return readFile(file, "latin1").catch(() => "");
}
