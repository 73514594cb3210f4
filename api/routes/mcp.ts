import * as z from "zod";
import { jsonAnswer } from "../answers.ts";
import { optionalJsonBody } from "../body.ts";
import { parseBody } from "../parameters.ts";
import { route, success, type Route } from "../route.ts";
import { errorSchema } from "../schemas/answers.ts";

const message = z
  .looseObject({
    jsonrpc: z.literal("2.0", { error: "must be 2.0" }).describe("Always `2.0`."),
    method: z.string({ error: "must be text" }).describe("Method of the message."),
  })
  .describe("A JSON-RPC message.")
  .meta({ id: "McpMessage" });
const answer = z
  .looseObject({ jsonrpc: z.literal("2.0").describe("Always `2.0`.") })
  .describe("A JSON-RPC response.")
  .meta({ id: "McpResponse" });
const messages = optionalJsonBody(
  z
    .union([message, z.array(message).min(1).max(100)])
    .describe("A message; with revision 2025-03-26 also a list of messages.")
    .meta({ id: "McpMessages" }),
);
const refusal = { content: { "application/json": z.union([errorSchema, answer]) } };

/** The Model Context Protocol. */
export const mcpRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/api/mcp",
    aliases: ["/mcp"],
    scope: "anonymous",
    // Called operations count for their own limits, and agents find a refusal in the tool's result.
    limit: "open",
    forPrograms: true,
    about: {
      operationId: "exchangeMcp",
      tag: "Reading",
      summary: "Model Context Protocol",
      description:
        "Streamable HTTP of the revisions 2026-07-28, 2025-06-18 and 2025-03-26, without sessions and streams; also at `/mcp`, without `/api`. The tools `resolve-library-id` and `query-docs` call the operations above; keys with the scope `submit` also have tools that add, refresh, list and monitor libraries.",
      headers: {
        "MCP-Protocol-Version": "Revision of the protocol.",
        "Mcp-Method": "With 2026-07-28: the method, as in the message.",
        "Mcp-Name": "With 2026-07-28: the called tool, as in the message.",
      },
    },
    body: {
      ...messages,
      missing: "Send a JSON object.",
      async read(request, caller) {
        const sent = await messages.read(request, caller);
        return Array.isArray(sent) ? (sent as readonly unknown[]) : parseBody(message, sent);
      },
    },
    called,
    answers: {
      200: {
        description: "The response. Refusals by a tool are in its result.",
        content: { "application/json": z.union([answer, z.array(answer)]) },
      },
      202: { description: "A notification was accepted." },
      400: { description: "The message is invalid, or does not match the headers.", ...refusal },
      404: { description: "The method does not exist.", ...refusal },
    },
    failures: ["timeout", "validation_error"],
    handler: async (call) => {
      await call.memory.noteAgent(call.caller, call.body, call.request.headers);
      // Loaded on demand: half a megabyte of code.
      const { exchange } = await import("../mcp/exchange.ts");
      return exchange(call);
    },
  }),
  route({
    method: "GET",
    path: "/api/auth/mcp",
    scope: "open",
    limit: "open",
    about: {
      operationId: "getMcpAuth",
      tag: "Server",
      summary: "Check whether agents have to sign in",
      description: "For the setup of the published command line client, which then requests an API key.",
    },
    answers: success(z.object({ enabled: z.boolean().describe("Agents need an API key, or a token of the issuer.") })),
    handler: async ({ options: { issuer, settings } }) =>
      jsonAnswer({ enabled: issuer !== undefined || settings.anonymous === "off" }),
  }),
];

/** The called method and tool of a message, and its trace context (https://modelcontextprotocol.io, `_meta`). */
function called(sent: z.infer<typeof message> | readonly unknown[]): ReturnType<NonNullable<Route["called"]>> {
  if (!("method" in sent)) return { name: "batch" };
  const { method, params } = sent;
  const { name, _meta } = objectOf(params);
  const { traceparent } = objectOf(_meta);
  // Names are untrusted: only plain ones get into a trace.
  const isTool = method === "tools/call" && typeof name === "string" && /^[a-z-]{1,40}$/.test(name);
  const known = /^[a-z]{1,20}(?:\/[a-z]{1,20}){0,2}$/i.test(method) ? method : "unknown";
  return {
    name: isTool ? `${known} ${name}` : known,
    ...(typeof traceparent === "string" && { traceparent }),
  };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
