import { spawn } from "node:child_process";
import { accessSync, constants, openSync, closeSync, readFileSync, statSync } from "node:fs";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../domain/failures.ts";
import { testedMeilisearch } from "../../search/meilisearch/settings.ts";
import { forgetProgram, recordProgram } from "./left-over.ts";

/** The versions of the servers that the tests run on; compose.cluster.yaml names the same ones. */
export const testedVersions = { temporal: "1.29.1", temporalUi: "2.42.1", meilisearch: testedMeilisearch } as const;

/** A started program. */
export interface Program {
  readonly pid: number;
  /** Sends the stop signal and waits; after ten seconds sends SIGKILL. */
  stop(): Promise<void>;
  /** Kills it, like a crash. */
  kill(): Promise<void>;
  /** Resolves at its end. */
  readonly exited: Promise<void>;
}

export interface ProgramOptions {
  /** Path of the program. */
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** File for its output, which is appended; while it runs, a file with the same name and `.pid` records it. */
  readonly log: string;
  /** The user that it runs as. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** The signal that stops it. */
  readonly stopSignal?: NodeJS.Signals;
  /** Whether it is ready; called until it is. */
  ready(): Promise<boolean>;
}

/** Start and stop timeouts of a program, in milliseconds. */
const startTimeout = 60_000;
const stopTimeout = 10_000;

/** Path of a program on the PATH or in one of its usual folders. */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  const places = [...(process.env["PATH"] ?? "").split(delimiter), ...folders];
  return places
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** Starts a program and waits until it is ready. @throws Failure service_unavailable with the end of its output */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { command, args, env, log, user, stopSignal = "SIGTERM", ready } = options;
  const output = openSync(log, "a", 0o600);
  const child = spawn(command, args, {
    stdio: ["ignore", output, output],
    env: { ...process.env, ...env },
    // Ctrl-C at the terminal must reach only this process, which stops its programs in order.
    detached: true,
    ...user,
  });
  closeSync(output);
  const record = `${log}.pid`;
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  }).then(() => {
    ended = true;
    return forgetProgram(record);
  });
  await recordProgram(record, child.pid);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!ended) child.kill(signal);
    await exited;
  };
  const program: Program = {
    pid: child.pid ?? 0,
    exited,
    kill: () => end("SIGKILL"),
    async stop() {
      const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeout);
      await end(stopSignal);
      clearTimeout(timer);
    },
  };
  const deadline = Date.now() + startTimeout;
  while (!ended && Date.now() < deadline) {
    if (await ready()) return program;
    await sleep(50);
  }
  await program.kill();
  const tail = readFileSync(log, "utf8").trimEnd().split("\n").slice(-5).join("\n");
  throw new Failure("service_unavailable", `${command} did not start. The end of ${log}:\n${tail}`);
}

/** A free port of the loopback address. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/** Whether a server answers a GET successfully. */
export async function isReachable(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(1000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
