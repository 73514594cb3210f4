import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";

/** A git program at work. */
export interface GitProcess {
  readonly stdin: ChildProcessWithoutNullStreams["stdin"];
  readonly stdout: ChildProcessWithoutNullStreams["stdout"];
  /** Bytes printed to the error stream so far: a sign of life. */
  noise(): number;
  /** Kills the program and all it started, and makes `done` reject with the reason. */
  stop(reason: unknown): void;
  /** Resolves at its end. @throws GitExit where it fails; what it was stopped with; the signal's reason when aborted */
  done(): Promise<{ readonly lines: readonly string[] }>;
}

/** A git program that ended with an error. */
export class GitExit extends Error {
  override readonly name = "GitExit";
  /** What it said of warnings and errors, without progress. */
  readonly lines: readonly string[];

  constructor(args: readonly string[], code: number | null, lines: readonly string[]) {
    super(`git ${args[0] ?? ""} ended with ${code ?? "a signal"}`);
    this.lines = lines;
  }
}

/** Enough to see what went wrong; a server may send as much as it likes. */
const maxLines = 50;
const maxLine = 1000;

/** Starts a git program with its own process group and exactly this environment. */
export function startGit(
  binary: string,
  args: readonly string[],
  { env, signal }: { readonly env: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): GitProcess {
  const child = spawn(binary, args, { env, detached: true, stdio: "pipe" });
  const lines: string[] = [];
  let noise = 0;
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
    noise += text.length;
    const parts = (rest + text).split(/[\r\n]/);
    rest = (parts.pop() ?? "").slice(0, maxLine);
    for (const line of parts)
      if (lines.length < maxLines && /^(?:fatal|error|warning|remote): (?!.*\d+% )/.test(line))
        lines.push(line.slice(0, maxLine));
  });
  // A program that ends early breaks its input; why it ended is what `done` tells.
  child.stdin.on("error", () => undefined);

  const ended = new Promise<{ lines: readonly string[] }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (stopped !== undefined) reject(stopped.reason);
      else if (code === 0) resolve({ lines });
      else reject(new GitExit(args, code, rest === "" ? lines : [...lines, rest]));
    });
  }).finally(() => signal.removeEventListener("abort", abort));
  // Whoever stops reading half-way never asks for the end.
  ended.catch(() => undefined);

  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return { stdin: child.stdin, stdout: child.stdout, noise: () => noise, stop, done: () => ended };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // It has ended by itself.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
