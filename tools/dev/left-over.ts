import { globSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Grace period of an orphaned program before SIGKILL, in milliseconds. */
const gracePeriod = 5000;

/** Writes down that a program runs, so that it can be ended should this process die before it. */
export async function recordProgram(file: string, pid: number | undefined): Promise<void> {
  const started = pid === undefined ? undefined : await startOf(pid);
  if (started !== undefined) await writeFile(file, JSON.stringify({ pid, started }), { mode: 0o600 });
}

/** Removes what `recordProgram` wrote: the program has ended. */
export async function forgetProgram(file: string): Promise<void> {
  await rm(file, { force: true });
}

/**
 * Ends the programs that a killed process left running, as the records in its folder and the folders in it name them.
 * A process that has got the ID of one meanwhile is left alone. Answers the names of what was ended.
 */
export async function endLeftOver(folder: string): Promise<readonly string[]> {
  const files = globSync(["*.log.pid", "*/*.log.pid"], { cwd: folder }).map((name) => join(folder, name));
  const ended = await Promise.all(
    files.map(async (file) => {
      const { pid, started } = JSON.parse(await readFile(file, "utf8")) as { pid: number; started: string };
      const running = await endProgram(pid, started);
      await forgetProgram(file);
      return running ? [basename(file, ".log.pid")] : [];
    }),
  );
  return ended.flat().toSorted();
}

async function endProgram(pid: number, started: string): Promise<boolean> {
  if ((await startOf(pid)) !== started) return false;
  // What PostgreSQL takes for: do not wait for connections. The others know it as Ctrl-C.
  process.kill(pid, "SIGINT");
  for (const until = Date.now() + gracePeriod; Date.now() < until; await sleep(50))
    if ((await startOf(pid)) !== started) return true;
  process.kill(pid, "SIGKILL");
  while ((await startOf(pid)) === started) await sleep(50);
  return true;
}

/**
 * When a process started, in clock ticks since boot, which together with its ID identifies it; undefined where it does not
 * run, or where the system has no /proc.
 */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name, in brackets, may itself hold brackets and blanks. Field 3 is the state, field 22 the start.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return stat === "" || fields[0] === "Z" ? undefined : fields[19];
}
