import { expect, it } from "vitest";

import { createMemoryLimiter } from "../../api/memory-limiter.ts";
import { call, message, start } from "./agents.ts";

it.each([
  ["another method than its header", message("tools/list", {}, { "mcp-method": "tools/call" })],
  ["another tool than its header", message("tools/call", call, { "mcp-name": "resolve-library-id" })],
  ["no header with the tool's name", message("tools/call", call)],
  ["another revision than its header", message("tools/list", {}, { "mcp-protocol-version": "2025-06-18" })],
])("refuses a message that has %s", async (_what, sent) => {
  const { ask } = await start();
  const { statusCode, bytes } = await ask("/mcp", sent);
  expect({ statusCode, ...(JSON.parse(bytes.toString()) as object) }).toMatchObject({
    statusCode: 400,
    id: 7,
    error: { code: expect.any(Number) as number },
  });
});

it("answers a message with matching headers, as uncached JSON", async () => {
  const { ask } = await start();
  const { statusCode, headers, bytes } = await ask("/mcp", message("tools/call", call, { "mcp-name": "query-docs" }));
  expect({ statusCode, type: headers["content-type"], cache: headers["cache-control"] }).toEqual({
    statusCode: 200,
    type: "application/json",
    cache: "no-store",
  });
  expect(JSON.parse(bytes.toString())).toMatchObject({ id: 7, result: { structuredContent: { documentation: /./ } } });
});

it("opens no streams: neither for a GET nor for a subscription", async () => {
  const { ask } = await start();
  for (const method of ["GET", "DELETE", "HEAD"]) {
    const { statusCode, headers } = await ask("/mcp", { method, headers: { accept: "text/event-stream" } });
    expect({ statusCode, allow: headers["allow"] }).toEqual({ statusCode: 405, allow: "POST" });
  }
  const subscription = message("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const { headers, bytes } = await ask("/mcp", subscription);
  expect(headers["content-type"]).toBe("application/json");
  expect(JSON.parse(bytes.toString())).toMatchObject({ error: { message: "Subscription limit reached" } });
});

it.each([
  ["nothing", undefined, 400, "The request has no body."],
  ["no JSON", "{", 400, "not valid JSON"],
  ["no message in a list", "[]", 400, "A list must have 1 to 100 messages."],
  ["too many messages in a list", JSON.stringify(Array.from({ length: 101 }, () => 1)), 400, "1 to 100 messages."],
  ["neither a message nor a list", "1", 400, "The body must be a JSON object."],
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
  const { message: text } = JSON.parse(bytes.toString()) as { message: string };
  expect(statusCode).toBe(status);
  expect(text).toContain(sentence);
});

const older = (method: string, id?: number | string, params: object = {}) => ({
  jsonrpc: "2.0",
  method,
  params,
  ...(id !== undefined && { id }),
});
const listOf = (messages: readonly unknown[], headers: Record<string, string> = {}) => ({
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
  body: JSON.stringify(messages),
});

it("answers a batch of revision 2025-03-26, each message separately", async () => {
  const { ask } = await start();
  const initialization = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "old", version: "1" } };
  const { bytes: first } = await ask("/mcp", {
    ...listOf([]),
    body: JSON.stringify(older("initialize", 0, initialization)),
  });
  expect(JSON.parse(first.toString())).toMatchObject({ id: 0, result: { protocolVersion: "2025-03-26" } });
  const list = [
    older("notifications/initialized"),
    older("tools/call", 1, call),
    older("tools/list", "two"),
    older("resources/list", 3),
    // A duplicate ID is answered twice.
    older("ping", 1),
    older("initialize", 5, initialization),
    { jsonrpc: "2.0", id: 9, result: {} },
    [],
    null,
    "text",
  ];
  for (const headers of [{}, { "mcp-protocol-version": "2025-03-26" }]) {
    const { statusCode, bytes } = await ask("/mcp", listOf(list, headers));
    const answers = JSON.parse(bytes.toString()) as object[];
    const invalid = { id: null, error: { code: -32_600 } };
    expect([statusCode, answers]).toMatchObject([
      200,
      [
        { id: 1, result: { structuredContent: { documentation: expect.any(String) as string } } },
        { id: "two", result: { tools: [{}, {}, {}, {}, {}] } },
        { id: 3, error: { code: -32_601 } },
        { id: 1, result: {} },
        { id: 5, error: { code: -32_600, message: "initialize must be sent by itself." } },
        invalid,
        invalid,
        invalid,
      ],
    ]);
  }
  const { statusCode, bytes } = await ask("/mcp", listOf([older("notifications/initialized")]));
  expect([statusCode, bytes.length]).toEqual([202, 0]);
});

it.each(["2025-06-18", "2025-11-25", "2026-07-28"])(
  "refuses a batch of revision %s, and says why",
  async (revision) => {
    const { ask } = await start();
    const { statusCode, bytes } = await ask("/mcp", listOf([older("ping", 1)], { "mcp-protocol-version": revision }));
    expect([statusCode, JSON.parse(bytes.toString())]).toEqual([
      400,
      {
        error: "validation_error",
        message: `Revision ${revision} of the protocol has no lists of messages, only 2025-03-26 has. Send each message by itself.`,
      },
    ]);
  },
);

it("counts each call of a batch for the limit of reads", async () => {
  const { ask } = await start({ rateLimitAnonymous: 3 });
  const list = Array.from({ length: 5 }, (_, id) => older("tools/call", id, call));
  const answers = JSON.parse((await ask("/mcp", listOf(list))).bytes.toString()) as { result: { isError?: boolean } }[];
  expect(answers.map(({ result }) => result.isError === true)).toEqual([false, false, false, true, true]);
});

it("aborts a tool after exchangeTimeout", async () => {
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

it("answers an unknown method with the protocol's error, and accepts a deeply nested message", async () => {
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

it("permits the protocol's headers to allowed origins, and refuses other origins", async () => {
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

it("accepts the key in the headers of the hosted service's agents, and ignores an empty one", async () => {
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

it("shows nothing without a key if one is needed", async () => {
  const { connect, ask } = await start({ anonymous: "off" });
  await expect(connect("2025-06-18")).rejects.toThrow("This operation needs an API key.");
  const { statusCode, bytes } = await ask("/api/auth/mcp");
  expect([statusCode, bytes.toString()]).toEqual([200, '{"enabled":true}']);
});
