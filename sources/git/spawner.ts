/**
 * The program of the process that starts git for the server. A fork of the server itself would block its event loop, for longer the more
 * memory it has. However the server ends, this process kills what it started, and ends too.
 */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { killGroup } from "../lib/threads/kill-group.ts";
import { spawnFolder, toGreeting, type SpawnEnd, type SpawnOrder, type StartOrder } from "./spawn-messages.ts";

/** Limits of the kept messages of git, which can quote a server without end. */
const maxLines = 50;
const maxLine = 1000;
/** Limit of an unfinished line; longer than a kept line, so that a cut line is never continued. */
const maxRest = 2 * maxLine;

/** Leaders of process groups, by the ID of their order. */
const groups = new Map<number, number>();
/** Orders whose connections are being made. */
const connecting = new Set<number>();

process.on("message", (order: SpawnOrder) => {
  if (order.type === "start") start(order);
  else kill(order.id);
});
process.on("disconnect", () => {
  for (const id of groups.keys()) kill(id);
  rmSync(process.env[spawnFolder] ?? "", { recursive: true, force: true });
  process.exit();
});

function start({ id, command, env, socket: path, keepsLines }: StartOrder): void {
  const end = (how: Pick<SpawnEnd, "code" | "signal" | "lines" | "problem">): void => {
    groups.delete(id);
    process.send?.({ id, ...how } satisfies SpawnEnd);
  };
  const fail = ({ message }: Error): void => end({ code: null, signal: null, lines: [], problem: message });
  connecting.add(id);
  Promise.all([greet(path, toGreeting(id, 0)), greet(path, toGreeting(id, 1))])
    .then(([input, output]) => {
      if (!connecting.delete(id)) {
        input.destroy();
        output.destroy();
        return end({ code: null, signal: "SIGKILL", lines: [] });
      }
      const [file = "", ...args] = command;
      const child = spawn(file, args, { env, detached: true, stdio: [input, output, "pipe"] });
      input.destroy();
      output.destroy();
      if (child.pid !== undefined) groups.set(id, child.pid);
      const linesOf = readProblems(child.stdio[2] as Readable, keepsLines === true ? () => true : isProblem);
      child.once("error", fail);
      child.once("close", (code, signal) => end({ code, signal, lines: linesOf(code) }));
    })
    .catch(fail);
}

/** Connects to the server, without reading: input is for the started process. */
async function greet(path: string, greeting: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(path);
  socket.pause();
  socket.once("error", reject);
  socket.write(greeting, () => resolve());
  await promise;
  return socket;
}

function kill(id: number): void {
  const leader = groups.get(id);
  if (leader === undefined) connecting.delete(id);
  else killGroup(leader);
}

/** Collects warnings and errors. An unfinished last line counts if the process failed. */
function readProblems(stream: Readable, isKept: (line: string) => boolean): (code: number | null) => readonly string[] {
  const lines: string[] = [];
  let rest = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split(/[\r\n]/);
    rest = (parts.pop() ?? "").slice(0, maxRest);
    for (const line of parts) if (lines.length < maxLines && isKept(line)) lines.push(line.slice(0, maxLine));
  });
  return (code) => (code === 0 || rest === "" ? lines : [...lines, rest.slice(0, maxLine)]);
}

function isProblem(line: string): boolean {
  return /^(?:fatal|error|warning|sh|git): ?(?!.*\d% )/.test(line);
}
