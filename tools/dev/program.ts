import { spawn } from "node:child_process";
import { accessSync, constants, openSync, closeSync, readFileSync, statSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../domain/failures.ts";
import { testedMeilisearch } from "../../search/meilisearch/settings.ts";
import { forgetProgram, recordProgram } from "./left-over.ts";

/** The versions of the servers that the tests run on; docker-compose.yml names the same ones. */
export const testedVersions = { temporal: "1.29.1", temporalUi: "2.42.1", meilisearch: testedMeilisearch } as const;

/** A program that was started. */
export interface Program {
  readonly pid: number;
  /** Sends the stop signal and waits; after ten seconds SIGKILL. */
  stop(): Promise<void>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Resolves when it has ended, however that came. */
  readonly exited: Promise<void>;
}

export interface ProgramOptions {
  /** Path of the program. */
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** File that its output is appended to; beside it, a file of the same name and `.pid` says that it runs. */
  readonly log: string;
  /** The user that it runs as. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** What asks it to end. */
  readonly stopSignal?: NodeJS.Signals;
  /** Whether it answers by now; asked again until it does. */
  ready(): Promise<boolean>;
}

/** Start and stop timeouts of a program, in milliseconds. */
const startTimeout = 60_000;
const stopTimeout = 10_000;

/** Path of a program on the PATH, or in one of the folders that it is usually installed in. */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  const places = [...(process.env["PATH"] ?? "").split(delimiter), ...folders];
  return places
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** Starts a program and resolves once it answers. @throws Failure service_unavailable with the end of its output */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { command, args, env, log, user, stopSignal = "SIGTERM", ready } = options;
  const output = openSync(log, "a", 0o600);
  const child = spawn(command, args, {
    stdio: ["ignore", output, output],
    env: { ...process.env, ...env },
    // A Ctrl-C at the terminal is for this process, which ends its programs in order.
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

/** A port of the loopback address that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Whether a server answers a GET with a status of success. */
export async function answers(url: string): Promise<boolean> {
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
