import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { hasScope } from "../../domain/access.ts";
import { Failure } from "../../domain/failures.ts";
import type { ApiAnswer } from "../answers.ts";
import type { Call } from "../route.ts";
import { toQuery } from "../request.ts";
import type { Ask } from "./tool.ts";
import { createDesk, createToolServer, type ToolClient } from "./server.ts";

/** A placeholder: the library needs a URL, but does not use it. */
const anyAddress = "http://localhost/mcp";

/**
 * Answers a request of the Model Context Protocol over HTTP, without a session in any revision. The answer is JSON, never a stream.
 * @throws Failure timeout
 */
export async function exchange(call: Call): Promise<ApiAnswer> {
  const { request, options } = call;
  const { exchangeTimeout = 60_000 } = options;
  const controller = new AbortController();
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const end = (): void => {
    controller.abort();
    reject(new Failure("timeout", `The answer took longer than ${exchangeTimeout / 1000} s. Try again.`));
  };
  const timer = setTimeout(end, exchangeTimeout);
  request.signal.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([answerAll(call, controller.signal), timeout]);
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener("abort", end);
  }
}

/** The only revision with lists of messages, and the default for clients that name none (2025-06-18, Protocol Version Header). */
const revisionWithLists = "2025-03-26";

/** Maximum number of messages of a list. */
const maxMessages = 100;

async function answerAll(call: Call, signal: AbortSignal): Promise<ApiAnswer> {
  const { body: sent, request } = call;
  if (!Array.isArray(sent)) return toAnswer(await answer(call, sent, signal));
  const revision = request.headers["mcp-protocol-version"] ?? revisionWithLists;
  if (revision !== revisionWithLists)
    throw new Failure(
      "validation_error",
      `Revision ${plain(revision)} of the protocol has no lists of messages, only ${revisionWithLists} has. Send each message by itself.`,
    );
  if (sent.length === 0 || sent.length > maxMessages)
    throw new Failure("validation_error", `A list must have 1 to ${maxMessages} messages.`);
  const answers: object[] = [];
  // Sequentially: a list must not take more of the server at a time than a message.
  for (const message of sent as readonly unknown[]) {
    signal.throwIfAborted();
    const problem = problemOf(message);
    const { body } = problem ? { body: problem } : await toAnswer(await answer(call, message, signal));
    if (body !== null) answers.push(body as object);
  }
  const headers = { "Content-Type": "application/json" };
  return answers.length === 0 ? { status: 202, headers: {}, body: null } : { status: 200, headers, body: answers };
}

/** The error for a message that must not be in a list; undefined if it may. */
function problemOf(message: unknown): object | undefined {
  const isObject = typeof message === "object" && message !== null && !Array.isArray(message);
  const { jsonrpc, method, id = null } = isObject ? (message as Record<string, unknown>) : {};
  // Without a method it is a response. The server sends no requests, but accepts responses.
  const isMessage = jsonrpc === "2.0" && (typeof method === "string" || (isObject && id !== null));
  if (isMessage && method !== "initialize") return undefined;
  const problem = isMessage ? "initialize must be sent by itself." : "This is not a JSON-RPC 2.0 message.";
  return { jsonrpc: "2.0", id: isMessage ? id : null, error: { code: -32_600, message: problem } };
}

async function answer(
  { request, caller, callOperation: again, options }: Call,
  body: unknown,
  signal: AbortSignal,
): Promise<Response> {
  const { log, version } = options;
  const askAs =
    (client: ToolClient): Ask =>
    async (method, path, { query = {}, body: sent }) => {
      const headers = clientHeaders(client, request.headers);
      const answered = await again(method, path, { query: toQuery(query), body: sent, headers });
      return { ...answered, headers: new Headers(answered.headers) };
    };
  const desk = createDesk(hasScope(caller, "submit"), askAs);
  const unexpected = (error: unknown): string => {
    log.error({ err: error, keyId: caller.keyId }, "a tool failed unexpectedly");
    return "Unexpected error. Try again; if it persists, tell the operator the time of the call.";
  };
  const serve = () => createToolServer(version, desk, unexpected);
  const sent = new Request(anyAddress, { method: "POST", headers: protocolHeaders(request.headers), signal });
  if (await isLegacyRequest(sent, body)) return answerLegacy(serve(), sent, body);
  const onerror = (error: Error): void => log.debug({ err: error }, "an exchange was refused");
  // No subscriptions: nothing changes during an exchange.
  const { fetch } = createMcpHandler(serve, { legacy: "reject", maxSubscriptions: 0, keepAliveMs: 0, onerror });
  return fetch(sent, { parsedBody: body });
}

async function answerLegacy(
  server: ReturnType<typeof createToolServer>,
  sent: Request,
  body: unknown,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  await server.connect(transport);
  try {
    return await transport.handleRequest(sent, { parsedBody: body });
  } finally {
    await server.close();
  }
}

async function toAnswer(response: Response): Promise<ApiAnswer> {
  const { status } = response;
  if (status >= 500) throw new Error(`The protocol's library answered ${status}: ${await response.text()}`);
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  if (!isJson) return { status, headers: {}, body: null };
  return { status, headers: { "Content-Type": "application/json" }, body: (await response.json()) as object };
}

/** The headers of the protocol. */
function protocolHeaders(headers: Call["request"]["headers"]): Headers {
  // The answer is always JSON; the client's Accept header is ignored.
  const sent = new Headers({ "content-type": "application/json", accept: "application/json, text/event-stream" });
  for (const name of ["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"]) {
    const value = headers[name];
    if (value !== undefined) sent.set(name, value);
  }
  return sent;
}

/** The headers by which published clients identify the agent. */
function clientHeaders({ name, version }: ToolClient, headers: Call["request"]["headers"]): Record<string, string> {
  const [, agent, agentVersion] = /^([^/\s]{1,100})\/([^\s(]{1,100})/.exec(headers["user-agent"] ?? "") ?? [];
  const ide = plain(name ?? headers["x-context7-client-ide"] ?? agent);
  const ideVersion = plain(name === undefined ? (headers["x-context7-client-version"] ?? agentVersion) : version);
  return {
    "x-context7-source": "mcp-server",
    "x-context7-transport": headers["x-context7-transport"] ?? "http",
    ...(ide !== undefined && { "x-context7-client-ide": ide }),
    ...(ideVersion !== undefined && { "x-context7-client-version": ideVersion }),
  };
}

/** A text, made safe for a header. */
function plain(text: string | undefined): string | undefined {
  return text?.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 100);
}
