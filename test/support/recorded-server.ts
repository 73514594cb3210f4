import { hash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** The answers of one session by request, in order. */
type Session = Record<string, Answer[]>;

export interface RecordedServerOptions {
  /** Brotli-compressed JSON: the sessions by name. */
  readonly file: string;
  /** Name of the test. */
  readonly session: string;
  /** Address of a real server, whose answers replace the recorded session. */
  readonly record?: string | undefined;
  /** False for answers that are not recorded, such as an unfinished task. */
  readonly keep?: (request: string, body: string) => boolean;
}

export interface RecordedServer {
  readonly url: string;
  /** Stops it. @throws Error if a request was not recorded */
  close(): Promise<void>;
}

/**
 * Replays recorded answers of a real server: the same method, path and body gets the same answers in the same order, then the last
 * one repeatedly. Any other request is answered 501 and makes `close` throw.
 */
export async function startRecordedServer(options: RecordedServerOptions): Promise<RecordedServer> {
  const { file, session, record, keep = () => true } = options;
  const recorded: Session = record === undefined ? (readSessions(file)[session] ?? {}) : {};
  const given = new Map<string, number>();
  const unknown: string[] = [];

  const server = createServer((request, response) => {
    void handle(request).then(
      (answer) => send(response, answer),
      (error: unknown) => send(response, { status: 502, body: String(error) }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (record !== undefined) writeSessions(file, { ...readSessions(file), [session]: recorded });
      if (unknown.length > 0)
        throw new Error(`Not recorded under "${session}": ${unknown.join(", ")}. Record the answers anew.`);
    },
  };

  async function handle(request: IncomingMessage): Promise<Answer> {
    const body = await text(request);
    const name = `${request.method} ${request.url}${body === "" ? "" : ` ${hash("sha256", normalized(body), "hex").slice(0, 16)}`}`;
    if (record !== undefined) return forward(record, request, body, name);
    const at = given.get(name) ?? 0;
    given.set(name, at + 1);
    const answers = recorded[name];
    const answer = answers?.[at] ?? answers?.at(-1);
    if (answer !== undefined) return answer;
    unknown.push(name);
    return { status: 501, body: JSON.stringify({ message: `Not recorded: ${name}`, code: "not_recorded" }) };
  }

  async function forward(record: string, request: IncomingMessage, body: string, name: string): Promise<Answer> {
    const { authorization = "", "content-type": type = "application/json" } = request.headers;
    const answered = await fetch(new URL(request.url ?? "/", record), {
      method: request.method ?? "GET",
      headers: { authorization, "content-type": type },
      ...(body !== "" && { body }),
    });
    const answer = { status: answered.status, body: await answered.text() };
    if (keep(name, answer.body)) (recorded[name] ??= []).push(answer);
    return answer;
  }
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { "content-type": "application/json" }).end(body);
}

/** JSON with sorted keys; a body that is not one JSON value stays as it is. */
function normalized(body: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(body)));
  } catch (error) {
    if (error instanceof SyntaxError) return body;
    throw error;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

function readSessions(file: string): Record<string, Session> {
  if (!existsSync(file)) return {};
  return JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as Record<string, Session>;
}

function writeSessions(file: string, sessions: Record<string, Session>): void {
  mkdirSync(dirname(file), { recursive: true });
  const ordered = Object.entries(sessions).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const json = JSON.stringify(Object.fromEntries(ordered));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 };
  writeFileSync(file, brotliCompressSync(json, { params }));
}
