import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { problemsOf } from "./described.ts";

/** The key that servers under test take as their admin key. */
export const adminKey = "test-admin-key-0123456789";

const ownProgram = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");

/** How a server is started. */
interface Starting {
  /** What starts it, with its arguments. */
  readonly command?: readonly [string, ...string[]];
  /** Gives it a process group of its own. */
  readonly detached?: boolean;
}

/** A server process, and what it printed. */
export interface LecternProcess {
  readonly url: string;
  readonly pid: number;
  /** Standard output so far. */
  stdout(): string;
  /** Standard error so far: the log, as JSON lines. */
  stderr(): string;
  /** Sends a signal, to a detached one's whole group if asked, and waits for the end; answers exit code and signal. */
  kill(signal: NodeJS.Signals, group?: boolean): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Resolves at its end. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** A request with the admin key; the body is parsed where it is JSON. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; body: unknown }>;
  /** Waits until the library has something to read, or its run failed; answers its status. `every`: milliseconds between two looks. */
  settled(libraryId: string, every?: number): Promise<Record<string, unknown>>;
}

/** Starts `lectern serve` as a process of its own on a free port. Unless `env` says others, it indexes nothing by itself and has one thread that parses. */
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
      // Few pages come at once, and each thread takes a quarter of a second to start.
      PARSE_THREADS: "1",
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
  const call: LecternProcess["call"] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}/api${path}`, {
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
    const { status, headers: answered } = response;
    const answer: unknown = json ? JSON.parse(text) : text;
    const type = answered.get("content-type");
    const problems = problemsOf(method, `/api${path.replace(/\?.*/s, "")}`, { status, type, body: answer });
    if (problems.length > 0) throw new Error(`${method} ${path}, ${status}: ${problems.join("; ")}`);
    return { status, headers: answered, body: answer };
  };
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

/** A folder that is removed by `[Symbol.asyncDispose]`. */
export async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "lectern-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
