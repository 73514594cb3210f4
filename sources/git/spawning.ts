import { spawn } from "node:child_process";
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from "node:http2";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { Failure } from "../../domain/failures.ts";
import type { SpawnEnd, SpawnOrder } from "./spawner.ts";

/** A process that was started by the spawner. */
export interface Spawned {
  readonly stdin: ClientHttp2Stream;
  readonly stdout: ClientHttp2Stream;
  /** Resolves at its end. @throws Failure service_unavailable if it is killed, or the spawner ends first */
  readonly ended: Promise<SpawnEnd>;
  /** Closes its input and output, and kills its process group. */
  kill(): void;
}

/** The connection to the spawner. */
let current: ClientHttp2Session | undefined;

/**
 * Starts a process from another, small one (`spawner.ts`), so that the event loop does not wait for a fork of this one.
 * @throws Failure service_unavailable if the spawner ends before the process starts
 */
export async function spawnElsewhere(order: SpawnOrder): Promise<Spawned> {
  const used = (current ??= openSpawner());
  try {
    return await start(used, order);
  } catch {
    // It may have ended, as it does after a time without work.
    if (current === used && used.destroyed) current = undefined;
    return start((current ??= openSpawner()), order);
  }
}

function openSpawner(): ClientHttp2Session {
  const spawner = spawn(process.execPath, ["--max-old-space-size=64", join(import.meta.dirname, "spawner.ts")], {
    env: { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "" },
    // Signals to this process's group must not reach git, which may be needed for an orderly stop.
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  // Its connection closes then.
  spawner.on("error", () => undefined);
  spawner.unref();
  const session = connect("http://spawner", {
    createConnection: () => spawner.stdio[3] as Duplex,
    maxSessionMemory: 1000,
  });
  session.on("error", () => undefined);
  session.once("close", () => {
    if (current === session) current = undefined;
  });
  session.unref();
  return session;
}

async function start(session: ClientHttp2Session, order: SpawnOrder): Promise<Spawned> {
  const stream = session.request({
    ":method": "POST",
    "x-order": Buffer.from(JSON.stringify(order)).toString("base64url"),
  });
  // A process keeps this one alive, and an idle spawner does not.
  const alive = setInterval(() => undefined, 60_000);
  const started = Promise.withResolvers<IncomingHttpHeaders & IncomingHttpStatusHeader>();
  const ended = Promise.withResolvers<SpawnEnd>();
  // A reader that stops early never awaits the end.
  ended.promise.catch(() => undefined);
  stream.once("response", started.resolve);
  stream.once("trailers", (trailers) =>
    ended.resolve(JSON.parse(Buffer.from(String(trailers["x-end"]), "base64url").toString()) as SpawnEnd),
  );
  // Without this code a stream whose output waits would stay open at the other end.
  const kill = (): void => stream.close(constants.NGHTTP2_CANCEL);
  // It may have ended without reading all of its input.
  stream.once("end", () => void (stream.writableFinished || kill()));
  stream.on("error", () => undefined);
  stream.once("close", () => {
    clearInterval(alive);
    const failure = new Failure("service_unavailable", "The process that starts git ended. The run is retried.");
    for (const { reject } of [started, ended]) reject(failure);
  });
  const { ":status": status } = await started.promise;
  if (status !== 200) throw new Error(await text(stream));
  return { stdin: stream, stdout: stream, ended: ended.promise, kill };
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
interface GitProcess extends Pick<Spawned, "stdin" | "stdout"> {
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
  const stop = (reason: unknown): void => {
    stopped ??= { reason };
    kill();
  };
  const abort = (): void => stop(signal.reason);

  const done = ended
    .then((end) => {
      if (end.code !== 0) throw new GitExit(args[0] ?? "", end);
      return end.lines;
    })
    .catch((error: unknown) => {
      throw stopped === undefined ? error : stopped.reason;
    })
    .finally(() => signal.removeEventListener("abort", abort));
  // A reader that stops early never awaits the end.
  done.catch(() => undefined);

  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return { stdin, stdout, stop, done: () => done };
}

interface StartOptions extends Pick<SpawnOrder, "keepsLines"> {
  readonly env: Readonly<Record<string, string>>;
  readonly limits: GitLimits;
  readonly signal: AbortSignal;
  /** Program and its first arguments; `git` by default. */
  readonly command?: readonly string[];
}
