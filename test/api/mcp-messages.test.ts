import { expect, it } from "vitest";

import { createMemoryLimiter } from "../../api/memory-limiter.ts";
import { call, message, start } from "./agents.ts";

it.each([
  ["another method than its header says", message("tools/list", {}, { "mcp-method": "tools/call" })],
  ["another tool than its header says", message("tools/call", call, { "mcp-name": "resolve-library-id" })],
  ["no name of the tool in its headers", message("tools/call", call)],
  ["another revision than its header says", message("tools/list", {}, { "mcp-protocol-version": "2025-06-18" })],
])("refuses a message that has %s", async (_what, sent) => {
  const { ask } = await start();
  const { statusCode, bytes } = await ask("/mcp", sent);
  expect({ statusCode, ...(JSON.parse(bytes.toString()) as object) }).toMatchObject({
    statusCode: 400,
    id: 7,
    error: { code: expect.any(Number) as number },
  });
});

it("answers a message whose headers are right, in JSON and without anything of another caller's", async () => {
  const { ask } = await start();
  const { statusCode, headers, bytes } = await ask("/mcp", message("tools/call", call, { "mcp-name": "query-docs" }));
  expect({ statusCode, type: headers["content-type"], cache: headers["cache-control"] }).toEqual({
    statusCode: 200,
    type: "application/json",
    cache: "no-store",
  });
  expect(JSON.parse(bytes.toString())).toMatchObject({ id: 7, result: { structuredContent: { documentation: /./ } } });
});

it("holds no stream open: neither for a GET, nor for who wants to be told of changes", async () => {
  const { ask } = await start();
  for (const method of ["GET", "DELETE", "HEAD"]) {
    const { statusCode, headers } = await ask("/mcp", { method, headers: { accept: "text/event-stream" } });
    expect({ statusCode, allow: headers["allow"] }).toEqual({ statusCode: 405, allow: "POST" });
  }
  const listening = message("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const { headers, bytes } = await ask("/mcp", listening);
  expect(headers["content-type"]).toBe("application/json");
  expect(JSON.parse(bytes.toString())).toMatchObject({ error: { message: "Subscription limit reached" } });
});

it.each([
  ["nothing", undefined, 400, "The request has no body."],
  ["no JSON", "{", 400, "not valid JSON"],
  ["several messages at once", "[]", 400, "The body must be a JSON object."],
  ["no message", "{}", 400, "jsonrpc is missing. method is missing."],
  ["something of another type", "text", 415, "Content-Type: application/json"],
  ["too much", "x".repeat(1_100_000), 413, "1048576 bytes"],
])("refuses %s", async (_what, body, status, sentence) => {
  const { ask } = await start();
  const type = body === "text" ? "text/plain" : "application/json";
  const { statusCode, bytes } = await ask("/mcp", {
    method: "POST",
    headers: { "content-type": type },
    ...(body !== undefined && { body }),
  });
  const { message: said } = JSON.parse(bytes.toString()) as { message: string };
  expect(statusCode).toBe(status);
  expect(said).toContain(sentence);
});

it("waits for no tool longer than it is given", async () => {
  const counting = createMemoryLimiter();
  const never = new Promise<never>(() => {});
  const limiter = {
    ...counting,
    take: (key: string, most: number) => (key.startsWith("read:") ? never : counting.take(key, most)),
  };
  const { ask } = await start({}, { limiter, exchangeTimeout: 20 });
  const legacy = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call });
  for (const sent of [
    message("tools/call", call, { "mcp-name": "query-docs" }),
    { method: "POST", headers: { "content-type": "application/json" }, body: legacy },
  ]) {
    const { statusCode, bytes } = await ask("/mcp", sent);
    expect([statusCode, JSON.parse(bytes.toString())]).toEqual([
      504,
      { error: "timeout", message: "The answer took longer than 0.02 s. Try again." },
    ]);
  }
});

it("answers a method that there is not as the protocol says, and takes a message that is nested deeply", async () => {
  const { ask, logged } = await start();
  const { statusCode, bytes } = await ask("/mcp", message("resources/list"));
  expect({ statusCode, ...(JSON.parse(bytes.toString()) as object) }).toMatchObject({
    statusCode: 404,
    error: { code: -32_601 },
  });
  const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query-docs","arguments":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}}`;
  const answered = await ask("/mcp", { method: "POST", headers: { "content-type": "application/json" }, body: deep });
  expect(answered.statusCode).toBe(200);
  expect(logged.filter((line) => line.includes("unexpected"))).toEqual([]);
});

it("lets pages of allowed origins send the protocol's headers, and no page of another origin ask, wherever the server listens", async () => {
  const { ask } = await start({ allowedOrigins: ["https://app.example.com"] });
  const preflight = await ask("/mcp", { method: "OPTIONS", headers: { origin: "https://app.example.com" } });
  expect(preflight.statusCode).toBe(204);
  const allowed = String(preflight.headers["access-control-allow-headers"]).split(", ");
  expect(allowed).toEqual(expect.arrayContaining(["Mcp-Method", "Mcp-Name", "MCP-Protocol-Version"]));
  const from = async (origin: string): Promise<number> =>
    (await ask("/mcp", message("tools/list", {}, { origin }))).statusCode;
  expect(await from("https://app.example.com")).toBe(200);
  expect(await from("https://evil.example.com")).toBe(403);
  expect(await from("null")).toBe(403);
});

it("takes the key from the headers in which agents of the hosted service have it, and an empty one for none", async () => {
  const { ask, addKey } = await start({ anonymous: "off" });
  const { key } = await addKey(["read"]);
  const statusWith = async (headers: Record<string, string>): Promise<number> =>
    (await ask("/mcp", message("tools/list", {}, headers))).statusCode;
  for (const name of ["CONTEXT7_API_KEY", "context7-api-key", "X-API-Key"])
    expect(await statusWith({ [name]: key })).toBe(200);
  expect(await statusWith({ "x-api-key": "lct_wrong" })).toBe(401);
  expect(await statusWith({ authorization: "" })).toBe(401);
  const open = await start();
  expect((await open.ask("/mcp", message("tools/list", {}, { authorization: "" }))).statusCode).toBe(200);
});

it("shows nothing without a key where one is needed", async () => {
  const { connect, ask } = await start({ anonymous: "off" });
  await expect(connect("2025-06-18")).rejects.toThrow("This operation needs an API key.");
  const { statusCode, bytes } = await ask("/api/auth/mcp");
  expect([statusCode, bytes.toString()]).toEqual([200, '{"enabled":true}']);
});
