import { connectOverHttp, type Revision } from "../support/agent.ts";
import { codePassage, prosePassage } from "./samples.ts";
import { serve } from "./serving.ts";
import { setup } from "./setup.ts";

/** The question of most tests. */
export const widgets = { libraryId: "/acme/widgets", query: "widget" };

/** A server with one library, and functions to call it like an agent. */
export async function start(...args: Parameters<typeof setup>) {
  const world = await setup(...args);
  await world.finish(await world.submit("/acme/widgets"), [codePassage, prosePassage]);
  const { server, ask } = await serve(world.app);
  const connect = (revision: Revision, key?: string, path = "/mcp") =>
    connectOverHttp(`${server.url}${path}`, revision, key === undefined ? {} : { Authorization: `Bearer ${key}` });
  return { ...world, url: server.url, ask, connect };
}

/** A message of the current revision. */
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

/** The parameters of a tool call. */
export const call = { name: "query-docs", arguments: widgets };
