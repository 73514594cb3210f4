import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { adminKey } from "./lectern-process.ts";

const ownProgram = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");

/** What a command printed, and its exit code. */
export interface CommandResult {
  readonly code: number | null;
  /** Standard output; on a terminal both outputs, as plain text. */
  readonly stdout: string;
  readonly stderr: string;
}

/** How a command is run. */
export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; with `prompt` it is typed once that text is on the screen. */
  readonly input?: string;
  readonly prompt?: string;
  /** Called with all output so far, whenever there is more. */
  readonly watch?: (printed: string, child: ChildProcess) => void;
  /** Path of the program; by default the one of this project. */
  readonly program?: string;
}

/** Runs `lectern` with its outputs in pipes. */
export async function inPipe(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const { program = ownProgram } = options;
  return resultOf(spawn(process.execPath, [program, ...args], { env: environment(options) }), options);
}

/** Runs `lectern` on a pseudo-terminal, which `script` of util-linux opens. */
export async function onTerminal(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const { program = ownProgram } = options;
  const quoted = [process.execPath, program, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const env = { ...environment(options), TERM: "xterm-256color", SHELL: "/bin/sh" };
  return resultOf(spawn("script", ["-qefc", quoted.join(" "), "/dev/null"], { env }), options);
}

/** The lines of an output, as JSON. */
export function jsonLines(output: string): readonly Record<string, unknown>[] {
  return output
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function environment({ env = {} }: CommandOptions): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", LECTERN_ADMIN_KEY: adminKey, ...env };
}

async function resultOf(child: ChildProcess, { input, prompt, watch }: CommandOptions): Promise<CommandResult> {
  let [stdout, stderr, isAnswered] = ["", "", false];
  const answer = (): void => {
    if (isAnswered || (prompt !== undefined && !stdout.includes(prompt))) return;
    isAnswered = true;
    if (prompt === undefined) child.stdin?.end(input ?? "");
    else child.stdin?.write(input ?? "");
  };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (prompt !== undefined) answer();
    watch?.(stdout, child);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = new Promise<number | null>((resolve) => child.on("close", resolve));
  // On a terminal the end of the input would be a hangup.
  if (prompt === undefined && child.spawnfile !== "script") answer();
  return { code: await code, stdout: plain(stdout), stderr };
}

function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll("\r\n", "\n");
}

/** A command line with what it prints, on a terminal and in a pipe, and its exit code. */
export interface CommandRow {
  readonly args: (id: string) => readonly string[];
  readonly terminal: RegExp;
  readonly pipe: RegExp;
  readonly code?: number;
  /** Possible codes on a terminal, if they differ. */
  readonly codes?: readonly number[];
  readonly options?: CommandOptions;
  /** Prepares what the command needs; its ID is passed to `args`. */
  readonly before?: () => Promise<string>;
}
