import { connectOverHttp, type Revision } from "../support/agent.ts";
import { codePassage, prosePassage } from "./samples.ts";
import { serve } from "./serving.ts";
import { setup } from "./setup.ts";

/** The question that most tests ask. */
export const widgets = { libraryId: "/acme/widgets", query: "widget" };

/** A server with one library, and ways to ask it as agents do. */
export async function start(...given: Parameters<typeof setup>) {
  const world = await setup(...given);
  await world.finish(await world.submit("/acme/widgets"), [codePassage, prosePassage]);
  const { server, ask } = await serve(world.app);
  const connect = (revision: Revision, key?: string, path = "/mcp") =>
    connectOverHttp(`${server.url}${path}`, revision, key === undefined ? {} : { Authorization: `Bearer ${key}` });
  return { ...world, url: server.url, ask, connect };
}

/** A message of the present revision, as an agent of it sends one. */
export function message(method: string, params: object = {}, headers: Record<string, string> = {}) {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params: { ...params, _meta: meta } }),
  };
}

/** What a message asks for that calls a tool. */
export const call = { name: "query-docs", arguments: widgets };
