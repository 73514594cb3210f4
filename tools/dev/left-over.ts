import { globSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Grace period of an orphaned program before SIGKILL, in milliseconds. */
const gracePeriod = 5000;

/** Records a running program, so that it can be ended if this process dies first. */
export async function recordProgram(file: string, pid: number | undefined): Promise<void> {
  const started = pid === undefined ? undefined : await startOf(pid);
  if (started !== undefined) await writeFile(file, JSON.stringify({ pid, started }), { mode: 0o600 });
}

/** Removes the record of a program that has ended. */
export async function forgetProgram(file: string): Promise<void> {
  await rm(file, { force: true });
}

/**
 * Ends the programs that a killed process left running, by the records in its folder and subfolders. Another process that now has the ID of
 * one is not ended. Returns the names of the ended programs.
 */
export async function endLeftOverPrograms(folder: string): Promise<readonly string[]> {
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
  // PostgreSQL then does not wait for connections; for other programs it is Ctrl-C.
  process.kill(pid, "SIGINT");
  for (const until = Date.now() + gracePeriod; Date.now() < until; await sleep(50))
    if ((await startOf(pid)) !== started) return true;
  process.kill(pid, "SIGKILL");
  while ((await startOf(pid)) === started) await sleep(50);
  return true;
}

/**
 * The start of a process in clock ticks since boot, which identifies it together with its ID; undefined if it does not run, or without
 * /proc.
 */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name, in parentheses, may have parentheses and blanks. Field 3 is the state, field 22 the start.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return stat === "" || fields[0] === "Z" ? undefined : fields[19];
}
