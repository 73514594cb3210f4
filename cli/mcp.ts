import { once } from "node:events";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Logger } from "pino";
import { createToolServer, refusedResult, type ToolDesk, type ToolClient } from "../api/mcp/server.ts";
import { loadConfig } from "./config.ts";
import type { Given } from "./command.ts";
import { openLog } from "./log.ts";
import { serverAddress } from "./client.ts";
import { takeStopSignals, type Stop } from "./stopping.ts";
import { programVersion } from "./package-info.ts";
import { ProtocolError, type CallToolResult, type ListToolsResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import { Failure } from "../domain/failures.ts";

/**
 * `lectern mcp`: the Model Context Protocol on standard input and output, until the agent closes it. Serves a running server, or a data
 * folder, which must not be in use.
 */
export async function run(given: Given): Promise<void> {
  const data = given.text("data");
  const config = loadConfig(data === undefined ? process.env : { ...process.env, DATA_DIR: data });
  const log = openLog(config.logLevel);
  const stop = takeStopSignals({ log });
  if (data === undefined) {
    const stopping = new AbortController();
    const desk = createForwardingDesk({
      address: serverAddress(config, given.text("url")),
      key: config.apiKey ?? config.adminKey,
      signal: stopping.signal,
    });
    void stop.asked.then(() => stopping.abort());
    await serveTools(desk, log, stop, new Promise(() => {}));
    return;
  }
  // Loaded on demand, as only a data folder needs a whole server.
  const { openFolderDesk } = await import("./mcp-folder.ts");
  await using closing = new AsyncDisposableStack();
  closing.defer(() => log.flush());
  const { desk, ended } = closing.adopt(await openFolderDesk(config, log), ({ close }) => close());
  await serveTools(desk, log, stop, ended);
}

async function serveTools(desk: ToolDesk, log: Logger, stop: Stop, broken: Promise<void>): Promise<void> {
  const unexpected = (error: unknown): string => {
    log.error({ err: error }, "a tool failed unexpectedly");
    return "Unexpected error. See the log of lectern mcp on its standard error.";
  };
  // A pipe emits both events, a file only `end`.
  const ended = Promise.race([once(process.stdin, "end"), once(process.stdin, "close")]);
  const handle = serveStdio(() => createToolServer(programVersion, desk, unexpected), {
    maxSubscriptions: 0,
    onerror: (error) => log.debug({ err: error }, "a message was refused"),
  });
  try {
    await Promise.race([ended, stop.asked, broken]);
  } finally {
    stop.begin();
    await handle.close();
  }
}

/** Timeout of a request, in milliseconds: slightly longer than that of the server. */
const timeout = 70_000;

/** The protocol revision of requests: one without sessions. */
const revision = "2025-06-18";

/** Options of `createForwardingDesk`. */
interface Forwarding {
  /** Address of the server, without `/api`. */
  readonly address: string;
  readonly key: string | null;
  /** Aborting ends all requests. */
  readonly signal: AbortSignal;
}

const response = z.union([
  z.object({ jsonrpc: z.literal("2.0"), result: z.looseObject({}) }),
  z.object({ jsonrpc: z.literal("2.0"), error: z.object({ code: z.int(), message: z.string() }) }),
]);

/** The tools of a running server, which forward its responses unchanged. */
function createForwardingDesk({ address, key, signal }: Forwarding): ToolDesk {
  const endpoint = `${address}/api/mcp`;

  /** @throws Failure if the server is unreachable or refuses, ProtocolError of the server */
  async function forward(method: string, params: object, client: ToolClient): Promise<unknown> {
    const reply = await fetch(endpoint, {
      method: "POST",
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      headers: headersFor(client, key),
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    }).catch((cause: unknown) => {
      const message = `Connection to ${endpoint} failed. Start the server, or set PUBLIC_URL to where it is.`;
      throw new Failure("service_unavailable", message, { cause });
    });
    const body: unknown = await reply.json().catch(() => undefined);
    const parsed = response.safeParse(body);
    if (parsed.success && "result" in parsed.data) return parsed.data.result;
    if (parsed.success && "error" in parsed.data)
      throw new ProtocolError(parsed.data.error.code, parsed.data.error.message);
    throw new Failure("service_unavailable", refusalOf(endpoint, reply.status, body, key));
  }

  return {
    async list() {
      try {
        return (await forward("tools/list", {}, {})) as ListToolsResult;
      } catch (error) {
        if (error instanceof Failure) throw new ProtocolError(-32_603, error.message);
        throw error;
      }
    },
    async call(name, given, client) {
      try {
        return (await forward("tools/call", { name, arguments: given }, client)) as CallToolResult;
      } catch (error) {
        if (error instanceof Failure) return refusedResult(error.message);
        throw error;
      }
    },
  };
}

function headersFor({ name, version }: ToolClient, key: string | null): Record<string, string> {
  const header = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 100);
  return {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": revision,
    "User-Agent": `lectern-mcp/${programVersion}`,
    "X-Context7-Transport": "stdio",
    ...(name !== undefined && { "X-Context7-Client-IDE": header(name) }),
    ...(version !== undefined && { "X-Context7-Client-Version": header(version) }),
    ...(key !== null && { Authorization: `Bearer ${key}` }),
  };
}

/** The message of the server, with the origin of the key if it is about the key. */
function refusalOf(endpoint: string, status: number, body: unknown, key: string | null): string {
  const message = typeof body === "object" && body !== null && "message" in body ? body.message : undefined;
  if (typeof message !== "string")
    return `The server at ${endpoint} is not Lectern (status ${status}). Set PUBLIC_URL to where the server is.`;
  if (status !== 401) return message;
  return `${message} ${key === null ? "Set" : "The key is taken from"} LECTERN_API_KEY.`;
}
