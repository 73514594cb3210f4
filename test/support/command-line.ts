import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { adminKey } from "./lectern-process.ts";

const program = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");

/** What a command printed, and its exit code. */
export interface Ended {
  readonly code: number | null;
  /** Standard output; on a terminal all that it showed, as plain text. */
  readonly stdout: string;
  readonly stderr: string;
}

/** How a command is run. */
export interface Running {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; on a terminal what is typed when `asked` is on the screen. */
  readonly input?: string;
  readonly asked?: string;
  /** Called with what was printed so far, whenever there is more. */
  readonly watch?: (printed: string, child: ChildProcess) => void;
  /** The program, where it is another one. */
  readonly of?: string;
}

/** Runs `lectern` with its outputs in pipes. */
export async function inPipe(args: readonly string[], running: Running = {}): Promise<Ended> {
  return ended(spawn(process.execPath, [running.of ?? program, ...args], { env: environment(running) }), running);
}

/** Runs `lectern` on a pseudo-terminal, which `script` of util-linux opens. */
export async function onTerminal(args: readonly string[], running: Running = {}): Promise<Ended> {
  const quoted = [process.execPath, running.of ?? program, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const env = { ...environment(running), TERM: "xterm-256color", SHELL: "/bin/sh" };
  return ended(spawn("script", ["-qefc", quoted.join(" "), "/dev/null"], { env }), running);
}

/** The lines of an output, as JSON. */
export function jsonLines(output: string): readonly Record<string, unknown>[] {
  return output
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function environment({ env = {} }: Running): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", LECTERN_ADMIN_KEY: adminKey, ...env };
}

async function ended(child: ChildProcess, { input, asked, watch }: Running): Promise<Ended> {
  let [stdout, stderr, isAnswered] = ["", "", false];
  const answer = (): void => {
    if (isAnswered || (asked !== undefined && !stdout.includes(asked))) return;
    isAnswered = true;
    if (asked === undefined) child.stdin?.end(input ?? "");
    else child.stdin?.write(input ?? "");
  };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (asked !== undefined) answer();
    watch?.(stdout, child);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = new Promise<number | null>((resolve) => child.on("close", resolve));
  // A terminal whose input ends hangs up.
  if (asked === undefined && child.spawnfile !== "script") answer();
  return { code: await code, stdout: plain(stdout), stderr };
}

function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll("\r\n", "\n");
}
