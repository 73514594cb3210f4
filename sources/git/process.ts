import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { killGroup } from "../../threads/kill-group.ts";

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
  readonly stdin: ChildProcessWithoutNullStreams["stdin"];
  readonly stdout: ChildProcessWithoutNullStreams["stdout"];
  /** Kills the process and all it started, and makes `done` reject with the reason. */
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

/** Enough to see what went wrong; a server may send as much as it likes. */
const maxLines = 50;
const maxLine = 1000;
/** Of a line that is still coming: what comes behind it is not kept, so that a kept line ends where it was cut and nowhere else. */
const maxRest = 2 * maxLine;

/**
 * Starts git in a process group of its own, with exactly this environment and within these limits, which the processes that
 * it starts have too. macOS knows no limit on address space.
 */
export function startGit(
  args: readonly string[],
  { env, limits, signal, command = ["git"] }: StartOptions,
): GitProcess {
  const { cpuSeconds, memory, fileSize } = limits;
  const ulimits = [
    "ulimit -c 0",
    `ulimit -t ${cpuSeconds}`,
    `ulimit -f ${Math.ceil(fileSize / 512)}`,
    `{ ulimit -v ${Math.ceil(memory / 1024)} || :; } 2>/dev/null`,
  ];
  const child = spawn("/bin/sh", ["-c", `${ulimits.join("; ")}; exec "$@"`, "sh", ...command, ...args], {
    env,
    detached: true,
    stdio: "pipe",
  });
  const lines: string[] = [];
  let rest = "";
  let stopped: { readonly reason: unknown } | undefined;

  const stop = (reason: unknown): void => {
    if (stopped !== undefined || child.exitCode !== null || child.signalCode !== null) return;
    stopped = { reason };
    if (child.pid !== undefined) killGroup(child.pid);
    child.stdout.destroy();
  };
  const abort = (): void => stop(signal.reason);

  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split(/[\r\n]/);
    rest = (parts.pop() ?? "").slice(0, maxRest);
    for (const line of parts) if (lines.length < maxLines && isTelling(line)) lines.push(line.slice(0, maxLine));
  });
  // A process that ends early breaks its input; why it ended is what `done` tells.
  child.stdin.on("error", () => undefined);

  const ended = new Promise<readonly string[]>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, killedBy) => {
      if (stopped !== undefined) reject(stopped.reason);
      else if (code === 0) resolve(lines);
      else
        reject(
          new GitExit(args[0] ?? "", {
            code,
            signal: killedBy,
            lines: rest === "" ? lines : [...lines, rest.slice(0, maxLine)],
          }),
        );
    });
  }).finally(() => signal.removeEventListener("abort", abort));
  // Whoever stops reading half-way never asks for the end.
  ended.catch(() => undefined);

  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return { stdin: child.stdin, stdout: child.stdout, stop, done: () => ended };
}

interface StartOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly limits: GitLimits;
  readonly signal: AbortSignal;
  /** The program, with arguments that come before; `git`, if not told otherwise. */
  readonly command?: readonly string[];
}

function isTelling(line: string): boolean {
  return /^(?:fatal|error|warning|remote|sh|git): ?(?!.*\d% )/.test(line);
}
