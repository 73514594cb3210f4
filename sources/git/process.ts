import type { Socket } from "node:net";
import type { SpawnEnd } from "./spawn-messages.ts";
import { spawnElsewhere } from "./spawning.ts";

/** What one git process may take. */
export interface GitLimits {
  /** Seconds of processor time. */
  readonly cpuSeconds: number;
  /** Bytes of address space. */
  readonly memory: number;
  /** Bytes of a file that it writes. */
  readonly fileSize: number;
}

/** A git process at work. */
export interface GitProcess {
  readonly stdin: Socket;
  readonly stdout: Socket;
  /** Closes its input and output. Kills the process and all it started, unless it has ended, and makes `done` reject with the reason. */
  stop(reason: unknown): void;
  /** Resolves at its end with what it warned of. @throws GitExit where it fails; what it was stopped with; the signal's reason when aborted */
  done(): Promise<readonly string[]>;
}

/** A git process that ended with an error. */
export class GitExit extends Error {
  override readonly name = "GitExit";
  /** Exit code; null where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Warnings and errors that it printed, without progress. */
  readonly lines: readonly string[];

  constructor(command: string, end: Pick<GitExit, "code" | "signal" | "lines">) {
    super(`git ${command} ended with ${end.code ?? end.signal}.`);
    this.code = end.code;
    this.signal = end.signal;
    this.lines = end.lines;
  }
}

/**
 * Starts git in a process group of its own, with exactly this environment and within these limits, which the processes that
 * it starts have too. macOS knows no limit on address space. @throws the signal's reason
 */
export async function startGit(
  args: readonly string[],
  { env, limits, signal, command = ["git"] }: StartOptions,
): Promise<GitProcess> {
  const { cpuSeconds, memory, fileSize } = limits;
  const ulimits = [
    "ulimit -c 0",
    `ulimit -t ${cpuSeconds}`,
    `ulimit -f ${Math.ceil(fileSize / 512)}`,
    `{ ulimit -v ${Math.ceil(memory / 1024)} || :; } 2>/dev/null`,
  ];
  signal.throwIfAborted();
  const limited = ["/bin/sh", "-c", `${ulimits.join("; ")}; exec "$@"`, "sh", ...command, ...args];
  const { stdin, stdout, ended, kill } = await spawnElsewhere({ command: limited, env });
  let stopped: { readonly reason: unknown } | undefined;
  let isOver = false;

  const stop = (reason: unknown): void => {
    stdin.destroy();
    stdout.destroy();
    if (stopped !== undefined || isOver) return;
    stopped = { reason };
    kill();
  };
  const abort = (): void => stop(signal.reason);

  const done = ended
    .then(({ problem, ...end }: SpawnEnd) => {
      if (stopped !== undefined) throw stopped.reason;
      if (problem !== undefined) throw new Error(problem);
      if (end.code !== 0) throw new GitExit(args[0] ?? "", end);
      return end.lines;
    })
    .finally(() => {
      isOver = true;
      signal.removeEventListener("abort", abort);
    });
  // A reader that stops early never awaits the end.
  done.catch(() => undefined);

  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return { stdin, stdout, stop, done: () => done };
}

interface StartOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly limits: GitLimits;
  readonly signal: AbortSignal;
  /** The program, with arguments that come before; `git`, if not told otherwise. */
  readonly command?: readonly string[];
}
