import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { problemsOf } from "./described.ts";

/** Admin key of servers under test. */
export const adminKey = "test-admin-key-0123456789";

const ownProgram = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");

interface Starting {
  /** Program and arguments. */
  readonly command?: readonly [string, ...string[]];
  /** In a process group of its own. */
  readonly detached?: boolean;
}

/** A running server process. */
export interface LecternProcess {
  readonly url: string;
  readonly pid: number;
  /** Standard output so far. */
  stdout(): string;
  /** Standard error so far: the log, as JSON lines. */
  stderr(): string;
  /** Sends a signal (with `group` to the process group of a detached one) and waits for the exit. */
  kill(signal: NodeJS.Signals, group?: boolean): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Resolves when it exits. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Sends a request with the admin key. Parses a JSON body. @throws if the answer differs from the OpenAPI document */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; body: unknown }>;
  /** Waits until the library's run has ended; returns its status. `every`: polling interval in milliseconds. */
  settled(libraryId: string, every?: number): Promise<Record<string, unknown>>;
}

/** Starts `lectern serve` as a process on a free port. Unless `env` says otherwise, it does not index its own docs and has one parsing thread. */
export async function startLectern(
  dataDir: string,
  env: Record<string, string> = {},
  program = ownProgram,
  { command = [process.execPath, program, "serve"], detached = false }: Starting = {},
): Promise<LecternProcess> {
  const [file, ...args] = command;
  const child = spawn(file, args, {
    detached,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOST: "127.0.0.1",
      PORT: "0",
      DATA_DIR: dataDir,
      LECTERN_ADMIN_KEY: adminKey,
      INDEX_OWN_DOCS: "off",
      // Tests index few pages, and a thread takes 250 ms to start.
      PARSE_THREADS: "1",
      READ_THREADS: "0",
      RATE_LIMIT_READS: "1000000",
      RATE_LIMIT_ANONYMOUS: "1000000",
      RATE_LIMIT_SUBMISSIONS: "1000000",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  let stdout = "";
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      const running = /running at (\S+)/.exec(stdout)?.[1];
      if (running !== undefined) resolve(running);
    });
    void exit.then(([code]) => reject(new Error(`The server ended with ${code}: ${stdout}${stderr}`)));
  });
  const ended = exit.then(([code, signal]) => ({ code, signal }));
  const call = callOf(`${url}/api`);
  return {
    url,
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    kill(signal, group = false) {
      if (group) process.kill(-(child.pid ?? 0), signal);
      else child.kill(signal);
      return ended;
    },
    call,
    async settled(libraryId, every = 40) {
      for (;;) {
        const path = `/v2/libs/status?libraryId=${encodeURIComponent(libraryId)}`;
        const { status, body } = await call("GET", path, undefined, { "Accept-Encoding": "identity" });
        if (status !== 200) throw new Error(`Status of ${libraryId} answered ${status}: ${JSON.stringify(body)}`);
        const answer = body as Record<string, unknown>;
        if (answer["openRun"] === null && ["finalized", "error", "redirected"].includes(String(answer["state"])))
          return answer;
        await new Promise((resolve) => setTimeout(resolve, every));
      }
    },
  };
}

/** Requests with the admin key to an API at an address. They throw if the answer differs from the OpenAPI document. */
export function callOf(base: string): LecternProcess["call"] {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${base}${path}`, {
      method,
      redirect: "manual",
      headers: {
        Authorization: `Bearer ${adminKey}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    const { status, headers: responseHeaders } = response;
    const answer: unknown = json ? JSON.parse(text) : text;
    const type = responseHeaders.get("content-type");
    const problems = problemsOf(method, `/api${path.replace(/\?.*/s, "")}`, { status, type, body: answer });
    if (problems.length > 0) throw new Error(`${method} ${path}, ${status}: ${problems.join("; ")}`);
    return { status, headers: responseHeaders, body: answer };
  };
}

/** A folder that is removed by `[Symbol.asyncDispose]`. */
export async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "lectern-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
