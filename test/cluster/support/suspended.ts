import { readdirSync, readFileSync } from "node:fs";

/**
 * Stops a process and all that it has started, as a machine that hangs would: its sockets take connections and data, and
 * nothing answers. The result lets them go on.
 */
export function suspend(pid: number): () => void {
  // Parents first, so that none starts another one in between.
  const stopped = new Set<number>();
  for (let found = [pid]; found.length > 0; found = childrenOf(stopped)) {
    for (const one of found) {
      stopped.add(one);
      signal(one, "SIGSTOP");
    }
  }
  return () => {
    for (const one of [...stopped].toReversed()) signal(one, "SIGCONT");
  };
}

function childrenOf(parents: ReadonlySet<number>): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && !parents.has(pid) && parents.has(parentOf(pid)));
}

function parentOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").replace(/^.*\)/s, "").trim().split(" ");
    return Number(fields[1]);
  } catch {
    // It has ended.
    return 0;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
