import { fork } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { Failure } from "../../domain/failures.ts";
import { temporaryFolder } from "../lib/threads/temporary-folders.ts";
import {
  greetingLength,
  spawnFolder,
  toGreeting,
  type SpawnEnd,
  type SpawnOrder,
  type StartOrder,
} from "./spawn-messages.ts";

/** A process that was started by the spawner. */
export interface Spawned {
  readonly stdin: Socket;
  readonly stdout: Socket;
  /** Resolves at its end. @throws Failure service_unavailable if the spawner ends first */
  readonly ended: Promise<SpawnEnd>;
  /** Kills its process group. */
  kill(): void;
}

type Command = Pick<StartOrder, "command" | "env" | "keepsLines">;
type Spawn = (command: Command) => Promise<Spawned>;

/** Time without work after which the spawner ends, in milliseconds. */
const idleTimeout = 60_000;

let current: Promise<Spawn> | undefined;

/**
 * Starts a process from another, small one (`spawner.ts`), so that the event loop does not wait for a fork of this one.
 * @throws Failure service_unavailable if the spawner ends before the process starts
 */
export async function spawnElsewhere(command: Command): Promise<Spawned> {
  const used = (current ??= openSpawner());
  try {
    const spawn = await used;
    return await spawn(command);
  } catch {
    // It has ended, or the folder of its socket was removed. Processes that it started continue.
    if (current === used) current = openSpawner();
    const spawn = await current;
    return spawn(command);
  }
}

/** Starts the spawner. */
async function openSpawner(): Promise<Spawn> {
  const folder = await temporaryFolder();
  const path = join(folder, "socket");
  /** Expected connections, by greeting. */
  const expected = new Map<string, PromiseWithResolvers<Socket>>();
  const running = new Map<number, PromiseWithResolvers<SpawnEnd>>();
  /** The order IDs of open connections, 0 until known. An abandoned connection would keep this process alive. */
  const open = new Map<Socket, number>();
  const server = createServer((socket) => {
    open.set(socket, 0);
    socket.once("close", () => open.delete(socket));
    socket.on("error", () => undefined);
    socket.once("readable", () => {
      const greeting = String(socket.read(greetingLength));
      const awaited = expected.get(greeting);
      if (awaited === undefined) return void socket.destroy();
      expected.delete(greeting);
      open.set(socket, Number.parseInt(greeting, 10));
      awaited.resolve(socket);
    });
  });
  server.listen(path).unref();
  await once(server, "listening");
  const spawner = fork(join(import.meta.dirname, "spawner.ts"), {
    env: { [spawnFolder]: folder, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "" },
    execArgv: ["--max-old-space-size=64"],
    // Signals to this process's group must not reach git, which may be needed for an orderly stop.
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  let orders = 0;
  const idle = setTimeout(() => (running.size + open.size > 0 ? idle.refresh() : end()), idleTimeout).unref();

  /** Keeps this process alive only while the spawner has work. */
  function update(): void {
    if (running.size > 0) spawner.channel?.ref();
    else spawner.channel?.unref();
  }

  function end(): void {
    clearTimeout(idle);
    server.close();
    if (spawner.connected) spawner.disconnect();
    const failure = new Failure("service_unavailable", "The process that starts git ended. The run is retried.");
    for (const { reject } of [...expected.values(), ...running.values()]) reject(failure);
    // The output of processes that have ended may still be read.
    for (const [socket, id] of open) if (id === 0 || running.has(id)) socket.destroy();
    expected.clear();
    running.clear();
    void rm(folder, { recursive: true, force: true });
  }

  function refuse(greeting: string, problem: string): void {
    expected.get(greeting)?.reject(new Error(problem));
    expected.delete(greeting);
  }

  function send(order: SpawnOrder): void {
    spawner.send(order, (error) => void (error && end()));
  }

  spawner.unref();
  spawner.once("error", end);
  spawner.once("exit", end);
  spawner.on("message", (news: SpawnEnd) => {
    // A process may have ended before its connections are accepted here.
    if (news.problem !== undefined) for (const greeting of greetingsOf(news.id)) refuse(greeting, news.problem);
    running.get(news.id)?.resolve(news);
    running.delete(news.id);
    update();
    idle.refresh();
  });

  return async (command) => {
    const id = (orders += 1);
    const ended = Promise.withResolvers<SpawnEnd>();
    // A reader that stops early never awaits the end.
    ended.promise.catch(() => undefined);
    running.set(id, ended);
    const connected = greetingsOf(id).map((greeting) => {
      const connection = Promise.withResolvers<Socket>();
      expected.set(greeting, connection);
      return connection.promise;
    });
    update();
    send({ type: "start", id, socket: path, ...command });
    const [stdin, stdout] = (await Promise.all(connected)) as [Socket, Socket];
    // Nothing reads from it, so it would not notice the end of the process.
    void ended.promise.finally(() => stdin.destroy()).catch(() => undefined);
    return { stdin, stdout, ended: ended.promise, kill: () => send({ type: "kill", id }) };
  };
}

function greetingsOf(id: number): readonly string[] {
  return [toGreeting(id, 0), toGreeting(id, 1)];
}

/** Limits of one git process. */
export interface GitLimits {
  /** Seconds of processor time. */
  readonly cpuSeconds: number;
  /** Bytes of address space. */
  readonly memory: number;
  /** Bytes of each file that it writes. */
  readonly fileSize: number;
}

/** A running git process. */
interface GitProcess {
  readonly stdin: Socket;
  readonly stdout: Socket;
  /** Closes its input and output, kills its process group unless it has ended, and makes `done` reject with the reason. */
  stop(reason: unknown): void;
  /** Resolves at its end with its warnings. @throws GitExit if it fails; the reason of `stop` or of the aborted signal */
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
 * Starts git in its own process group, with exactly this environment and within these limits, which its child processes inherit. macOS has
 * no limit on address space. @throws the signal's reason
 */
export async function startGit(
  args: readonly string[],
  { env, limits, signal, command = ["git"], keepsLines = false }: StartOptions,
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
  const { stdin, stdout, ended, kill } = await spawnElsewhere({ command: limited, env, keepsLines });
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

interface StartOptions extends Pick<StartOrder, "keepsLines"> {
  readonly env: Readonly<Record<string, string>>;
  readonly limits: GitLimits;
  readonly signal: AbortSignal;
  /** Program and its first arguments; `git` by default. */
  readonly command?: readonly string[];
}
