/**
 * The program of the process that starts git and ssh for the server: a fork of the server itself would block its event loop, for longer the
 * more memory it has. It speaks HTTP/2 with the server over a pipe. A request starts a process, which lasts as long as its stream: the body
 * is its input, the response its output, the trailer says how it ended. However the server ends, this process kills what it started, and
 * ends too.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { performServerHandshake, type ServerHttp2Stream } from "node:http2";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { killGroup } from "../lib/threads/kill-group.ts";

/** A process to start in its own process group: the header `x-order` of a request, in JSON and base64url. */
export interface SpawnOrder {
  readonly command: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Keep all that it prints to standard error, not warnings and errors of git only. */
  readonly keepsLines?: boolean;
}

/** How a process ended: the trailer `x-end` of a response, in JSON and base64url. */
export interface SpawnEnd {
  /** Exit code; null where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Warnings and errors that it printed, without progress. */
  readonly lines: readonly string[];
}

/** Time without work after which this process ends, in milliseconds. */
const idleTimeout = 60_000;

/** Limits of the kept messages of git, which can quote a server without end. Together they fit in a trailer. */
const maxLines = 20;
const maxLine = 500;
/** Limit of an unfinished line; longer than a kept line, so that a cut line is never continued. */
const maxRest = 2 * maxLine;

const running = new Set<ChildProcess>();
const idle = setTimeout(() => (running.size > 0 ? idle.refresh() : process.exit()), idleTimeout);

// In megabytes: beyond the default of 10, processes whose input or output waits would be refused.
const session = performServerHandshake(new Socket({ fd: 3, readable: true, writable: true }), {
  maxSessionMemory: 1000,
});
session.on("stream", (stream, headers) => {
  const order = Buffer.from(String(headers["x-order"]), "base64url").toString();
  stream.on("error", () => undefined);
  run(JSON.parse(order) as SpawnOrder, stream).catch(({ message }: Error) => {
    stream.respond({ ":status": 500 });
    stream.end(message);
  });
});
session.on("close", () => {
  for (const child of running) kill(child);
  process.exit();
});

async function run({ command, env, keepsLines }: SpawnOrder, stream: ServerHttp2Stream): Promise<void> {
  const [file = "", ...args] = command;
  const child = spawn(file, args, { env, detached: true });
  await once(child, "spawn");
  running.add(child);
  stream.once("close", () => {
    kill(child);
    child.stdout.destroy();
    running.delete(child);
    idle.refresh();
  });
  stream.respond({ ":status": 200 }, { waitForTrailers: true });
  // It may end without reading all of its input.
  stream.pipe(child.stdin.on("error", () => undefined));
  child.stdout.pipe(stream, { end: false });
  const linesOf = readProblems(child.stderr, keepsLines === true ? () => true : isProblem);
  child.once("close", (code, signal) => {
    const end: SpawnEnd = { code, signal, lines: linesOf(code) };
    stream.once("wantTrailers", () =>
      stream.sendTrailers({ "x-end": Buffer.from(JSON.stringify(end)).toString("base64url") }),
    );
    stream.end();
  });
}

/** Kills the process group of a process, unless it has ended: the ID may be reused. */
function kill({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) killGroup(pid);
}

/** Collects warnings and errors. An unfinished last line counts if the process failed. */
function readProblems(stream: Readable, isKept: (line: string) => boolean): (code: number | null) => readonly string[] {
  const lines: string[] = [];
  let rest = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split(/[\r\n]/);
    rest = (parts.pop() ?? "").slice(0, maxRest);
    for (const line of parts) if (lines.length < maxLines && isKept(line)) lines.push(shorten(line));
  });
  return (code) => (code === 0 || rest === "" ? lines : [...lines, shorten(rest)]);
}

/** The start of a line, without control characters, which JSON writes as six. */
function shorten(line: string): string {
  return line.slice(0, maxLine).replace(/\p{Cc}/gu, " ");
}

function isProblem(line: string): boolean {
  return /^(?:fatal|error|warning|sh|git): ?(?!.*\d% )/.test(line);
}
