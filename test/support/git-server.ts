import { execFile } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { spawnSmall } from "./spawner.ts";
import { createGitRepository, type FileContent, type GitRepository, type RepositoryOptions } from "./git-repository.ts";

interface ServedOptions extends RepositoryOptions {
  /** Credentials that every request needs. */
  readonly auth?: { readonly user: string; readonly password: string };
  /** Speaks protocol version 1 only. */
  readonly oldProtocol?: boolean;
  /** Answers to POST hang after this number of bytes. */
  readonly hangAfter?: number;
}

/** A repository with its address. */
interface ServedRepository extends GitRepository {
  readonly url: string;
}

/** A request; `sent`: bytes of its answer's body so far; `objects`: number of objects in its pack. */
interface ServedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  sent: number;
  objects: number;
}

/** A real Git server, `git http-backend`, on loopback. */
export interface GitServer {
  /** Without a trailing slash. */
  readonly url: string;
  /** host:port, as in FETCH_ALLOW. */
  readonly host: string;
  readonly requests: ServedRequest[];
  repository(
    name: string,
    files: Readonly<Record<string, FileContent>>,
    options?: ServedOptions,
  ): Promise<ServedRepository>;
  /** Redirects requests from one name to another, as after a rename. */
  redirect(from: string, to: string): void;
  /** Handles all requests below a name. */
  answer(name: string, listener: (request: IncomingMessage, response: ServerResponse) => void): void;
  /** Delays every request for a repository until `release`; `reached` resolves at the first one. */
  hold(name: string): { readonly reached: Promise<void>; release(): void };
  close(): Promise<void>;
}

/** Starts a server in a temporary folder, which `close` removes. */
export async function startGitServer(): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), "lectern-git-server-"));
  const backend = join((await promisify(execFile)("git", ["--exec-path"])).stdout.trim(), "git-http-backend");
  const served = new Map<string, ServedOptions>();
  const answers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  const requests: ServedRequest[] = [];
  const gates = new Map<string, { readonly opened: Promise<void>; reach(): void }>();

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", "http://server.invalid");
    const record = { method: request.method ?? "", path: url.pathname, headers: request.headers, sent: 0, objects: 0 };
    requests.push(record);
    const name = decodeURIComponent(
      url.pathname.replace(/\/(?:info\/refs|git-[a-z-]+|HEAD|objects\/.*)$/, "").slice(1),
    );
    const gate = gates.get(name);
    gate?.reach();
    await gate?.opened;
    const answer = answers.get(name);
    const options = served.get(name);
    if (answer !== undefined) answer(request, response);
    else if (options === undefined) response.writeHead(404).end("not found");
    else if (!mayEnter(request, options)) response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    else await runBackend({ backend, root, url, options, record }, request, response);
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url: `http://${host}`,
    host,
    requests,
    async repository(name, files, options = {}) {
      const repository = await createGitRepository(join(root, name), files, options);
      served.set(name, options);
      // A new repository ends the redirect from its name.
      answers.delete(name);
      return { ...repository, url: `http://${host}/${name}` };
    },
    redirect(from, to) {
      answers.set(from, (request, response) => {
        const rest = (request.url ?? "").slice(from.length + 1);
        response.writeHead(301, { location: `/${to}${rest}` }).end("moved");
      });
    },
    answer: (name, listener) => void answers.set(name, listener),
    hold(name) {
      const opened = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      gates.set(name, { opened: opened.promise, reach: reached.resolve });
      return {
        reached: reached.promise,
        release() {
          gates.delete(name);
          opened.resolve();
        },
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(root, { recursive: true, force: true });
    },
  };
}

function mayEnter(request: IncomingMessage, { auth }: ServedOptions): boolean {
  if (auth === undefined) return true;
  const expected = `Basic ${Buffer.from(`${auth.user}:${auth.password}`).toString("base64")}`;
  return request.headers.authorization === expected;
}

interface BackendCall {
  readonly backend: string;
  readonly root: string;
  readonly url: URL;
  readonly options: ServedOptions;
  readonly record: ServedRequest;
}

/** Runs the CGI program. */
async function runBackend(call: BackendCall, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { headers } = request;
  const program = await spawnSmall({
    command: call.backend,
    args: [],
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: call.root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      PATH_INFO: decodeURIComponent(call.url.pathname),
      QUERY_STRING: call.url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: headers["content-type"],
      CONTENT_LENGTH: headers["content-length"],
      HTTP_CONTENT_ENCODING: headers["content-encoding"],
      REMOTE_ADDR: "127.0.0.1",
      ...(call.options.oldProtocol !== true && { GIT_PROTOCOL: headers["git-protocol"] as string | undefined }),
    },
  });
  // Ends the program if the client disconnects.
  program.on("error", () => response.destroy());
  response.on("close", () => program.destroy());
  program.on("response", (output) => answerWith(output, call, response));
  request.pipe(program);
}

/** Sends the CGI program's output as the answer. */
function answerWith(output: IncomingMessage, { options, record }: BackendCall, response: ServerResponse): void {
  const limit = record.method === "POST" ? (options.hangAfter ?? Infinity) : Infinity;
  const write = (chunk: Buffer): void => {
    const pack = chunk.indexOf("PACK\0\0\0\x02", 0, "latin1");
    if (pack >= 0 && pack + 12 <= chunk.length) record.objects = chunk.readUInt32BE(pack + 8);
    const part = chunk.subarray(0, Math.max(0, limit - record.sent));
    record.sent += part.length;
    if (part.length > 0 && !response.write(part)) {
      output.pause();
      response.once("drain", () => output.resume());
    }
  };
  let head: Buffer | undefined = Buffer.alloc(0);
  output.on("data", (chunk: Buffer) => {
    if (head === undefined) return write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    const lines = head.subarray(0, end).toString("latin1").split("\r\n");
    const fields = lines.map((line): [string, string] => [line.split(":")[0] ?? "", line.slice(line.indexOf(":") + 2)]);
    const status = fields.find(([name]) => name === "Status")?.[1] ?? "200";
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(fields.filter(([name]) => name !== "Status")));
    const rest = head.subarray(end + 4);
    head = undefined;
    write(rest);
  });
  output.on("end", () => {
    if (head !== undefined && !response.headersSent) response.writeHead(500);
    if (record.sent < limit) response.end();
  });
}
