import { describe, expect, it } from "vitest";

import { createApp } from "../../api/app.ts";
import { createMemoryLimiter } from "../../api/memory-limiter.ts";
import { makeKey } from "../../api/keys.ts";
import { adminKey, setup } from "./setup.ts";

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The headers of a body of one byte. */
const someJson = { "content-type": "application/json; charset=utf-8", "content-length": "1" };

describe("every answer", () => {
  it("has a request ID of the server, whatever the client sends", async () => {
    const { send } = await setup();
    const headers = { "x-request-id": "mine" };
    const ids = new Set<string>();
    for (const target of ["/health", "/nothing", "/v2/libs", "/v2/context"]) {
      const answer = await send("GET", target, { headers });
      expect(answer.headers["X-Request-Id"]).toMatch(uuid);
      ids.add(answer.headers["X-Request-Id"] ?? "");
    }
    expect(ids.size).toBe(4);
  });

  it("has one log line, without query, key or question", async () => {
    const { send, logged } = await setup();
    const { headers } = await send("GET", "/v2/libs/search?libraryName=hush&query=hush", { address: "192.0.2.7" });
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0] ?? "")).toMatchObject({
      requestId: headers["X-Request-Id"],
      method: "GET",
      path: "/api/v2/libs/search",
      status: 200,
      keyId: "admin",
      address: "192.0.2.7",
    });
    expect(logged[0]).not.toMatch(new RegExp(`hush|${adminKey}`));
  });

  it("has Cache-Control: no-store unless it is a cacheable 200", async () => {
    const { send } = await setup();
    for (const target of ["/health", "/nothing", "/v2/libs", "/v2/context"]) {
      expect((await send("GET", target)).headers["Cache-Control"]).toBe("no-store");
    }
  });
});

describe("an error", () => {
  it("is 404 for an unknown route, even with a bad key", async () => {
    const { send } = await setup();
    const { status, body } = await send("GET", "/v3/nothing", { key: "bad" });
    expect(status).toBe(404);
    expect(body).toMatchInlineSnapshot(`
      {
        "error": "route_not_found",
        "message": "There is no /api/v3/nothing. See /api/openapi.json.",
      }
    `);
    expect((await send("GET", "/oauth/device/code")).status).toBe(404);
    expect((await send("GET", "/v2/libs//")).status).toBe(404);
  });

  it("is 405 with Allow for another method, even with a bad key", async () => {
    const { send } = await setup();
    const answer = await send("PUT", "/v2/libs", { key: "bad" });
    expect(answer).toMatchObject({ status: 405, headers: { Allow: "GET, DELETE, PATCH, HEAD" } });
    expect(answer.body).toMatchInlineSnapshot(`
      {
        "error": "method_not_allowed",
        "message": "/api/v2/libs takes GET, DELETE, PATCH, HEAD, not PUT.",
      }
    `);
    expect((await send("OPTIONS", "/v2/libs")).status).toBe(405);
  });

  it.each([
    [{ "content-type": "text/plain" }],
    [{ "content-type": "application/x-www-form-urlencoded" }],
    [{ "content-type": "application/json; charset=latin1" }],
    [{ "content-type": "" }],
    [{ "content-encoding": "gzip" }],
  ])("is 415 for a body with %j, before any 401", async (headers: Record<string, string>) => {
    const { send } = await setup();
    expect(await send("POST", "/v1/refresh", { body: {}, key: null, headers })).toMatchObject({
      status: 415,
      body: { error: "unsupported_media_type" },
    });
  });

  it("is 400 for a missing or malformed body, or one that is not an object", async () => {
    const { send } = await setup();
    expect((await send("POST", "/v1/refresh")).body).toMatchObject({ error: "validation_error" });
    for (const body of [[], null, "x", 7]) {
      expect((await send("POST", "/v1/refresh", { body })).body).toMatchObject({
        error: "validation_error",
        message: "The body must be a JSON object.",
      });
    }
    for (const raw of ["{", "\xff"]) {
      const readBody = async () => Buffer.from(raw, "latin1");
      const answer = await send("POST", "/v1/refresh", { headers: someJson, readBody });
      expect(answer).toMatchObject({ status: 400, body: { message: "The body is not valid JSON in UTF-8." } });
    }
  });

  it("is sent before the body is read if the key is missing or the limit is reached", async () => {
    const { send } = await setup({ rateLimitSubmissions: 1 });
    let read = 0;
    const readBody = async () => {
      read += 1;
      return Buffer.from("{");
    };
    const post = (key: string | null) => send("POST", "/v1/refresh", { key, headers: someJson, readBody });
    expect([(await post(null)).status, read]).toEqual([401, 0]);
    expect([(await post("bad")).status, read]).toEqual([401, 0]);
    const malformed = await post(adminKey);
    expect([malformed.status, read]).toEqual([400, 1]);
    expect(malformed.headers).toMatchObject({ "RateLimit-Limit": "1", "RateLimit-Remaining": "0" });
    expect([(await post(adminKey)).status, read]).toEqual([429, 1]);
  });

  it("that is unexpected is a 500 without details, and logged with the request ID", async () => {
    const broken = await setup(
      {},
      { limiter: { ...createMemoryLimiter(), take: () => Promise.reject(new Error("secret inside")) } },
    );
    const { status, body, headers } = await broken.send("GET", "/v2/libs");
    expect(status).toBe(500);
    expect(body).toMatchObject({ error: "internal_error", message: expect.stringContaining("Unexpected error") });
    expect(JSON.stringify(body)).not.toContain("secret inside");
    const line = broken.logged.find((one) => one.includes("secret inside")) ?? "{}";
    expect(JSON.parse(line)).toMatchObject({ level: 50, requestId: headers["X-Request-Id"] });
  });
});

describe("a caller", () => {
  it.each(["Bearer", "Bearer ", "Basic YTpi", adminKey, `Bearer ${adminKey} x`, `Bearer ${adminKey}x`, "Bearer lct_x"])(
    "is refused with the header %j, also where anonymous callers are allowed",
    async (authorization) => {
      const { send } = await setup();
      for (const target of [
        "/v2/libs",
        "/v2/libs/search?libraryName=a&query=a",
        "/v2/context?libraryId=/a/b&query=a",
      ]) {
        expect(await send("GET", target, { headers: { authorization } })).toMatchObject({
          status: 401,
          headers: { "WWW-Authenticate": "Bearer" },
          body: { error: "invalid_api_key" },
        });
      }
    },
  );

  it("is refused with an unknown, an expired or a revoked key", async () => {
    const { send, addKey, catalog, clock } = await setup();
    const { key, id } = await addKey(["read"], { expiresAt: clock.now + 1000 });
    const status = async (used: string) => (await send("GET", "/v2/libs", { key: used })).status;
    expect(await status(key)).toBe(200);
    expect(await status(makeKey().key)).toBe(401);
    clock.now += 1000;
    expect(await status(key)).toBe(401);
    clock.now -= 1000;
    await catalog.keys.revoke("default", id, clock.now);
    expect(await status(key)).toBe(401);
  });

  it("needs a key for everything but search, context and the open routes", async () => {
    const { send } = await setup();
    for (const [method, target] of [
      ["GET", "/v2/libs"],
      ["GET", "/v2/libs/status?libraryId=/a/b"],
      ["DELETE", "/v2/libs?libraryId=/a/b"],
      ["GET", "/v2/keys"],
    ] as const) {
      expect(await send(method, target, { key: null })).toMatchObject({
        status: 401,
        body: { error: "invalid_api_key" },
      });
    }
    for (const target of ["/health", "/ready", "/openapi.json"]) {
      expect((await send("GET", target, { key: "bad" })).status).toBe(200);
    }
    expect(
      await send("POST", "/v2/cli/events", { key: "bad", headers: { "content-type": "text/plain" } }),
    ).toMatchObject({
      status: 204,
      body: null,
    });
  });
});

describe("GET /ready", () => {
  it("is ready while catalog and index respond, and has the state of the engine", async () => {
    const { send, engine } = await setup();
    expect((await send("GET", "/ready")).body).toEqual({
      status: "ready",
      checks: { catalog: "ok", index: "ok", engine: "ok" },
    });
    engine.isAway = true;
    expect(await send("GET", "/ready")).toMatchObject({
      status: 200,
      body: {
        status: "ready",
        checks: { catalog: "ok", index: "ok", engine: "unreachable" },
        warnings: [
          "The engine is unreachable: reads are answered, submissions are refused, and runs wait until it is back. The server's log says why.",
        ],
      },
    });
  });

  it("is over as soon as the process stops, while everything else is still answered", async () => {
    let isStopping = false;
    const { options } = await setup();
    const app = createApp({ ...options, isStopping: () => isStopping });
    const ask = (path: string) =>
      app({
        method: "GET",
        path,
        query: new URLSearchParams(),
        headers: { host: "localhost" },
        remoteAddress: "127.0.0.1",
        readBody: () => Promise.reject(new Error("There is no body.")),
        signal: new AbortController().signal,
      });
    expect(await ask("/api/ready")).toMatchObject({ status: 200 });
    isStopping = true;
    expect(await ask("/api/ready")).toMatchObject({ status: 503, body: { error: "service_unavailable" } });
    expect(await ask("/api/health")).toMatchObject({ status: 200 });
  });

  it("names an unreachable part that reads need", async () => {
    const { send, engine } = await setup();
    engine.down = true;
    expect(await send("GET", "/ready")).toMatchObject({
      status: 503,
      headers: { "Retry-After": "5" },
      body: { error: "search_failed", message: "Not ready, unreachable: index. The server's log says why." },
    });
  });
});

describe("CORS", () => {
  it("is off by default", async () => {
    const { send } = await setup();
    const { headers } = await send("GET", "/health", { headers: { origin: "https://ide.example" } });
    expect(Object.keys(headers).filter((name) => name.startsWith("Access-Control"))).toEqual([]);
  });

  it("answers an allowed origin, preflight and errors included", async () => {
    const { send } = await setup({ allowedOrigins: ["https://ide.example/"] });
    const headers = { origin: "https://ide.example", "access-control-request-method": "GET" };
    expect(await send("OPTIONS", "/v2/context", { headers, key: null })).toMatchObject({
      status: 204,
      headers: { "Access-Control-Allow-Origin": "https://ide.example", "Access-Control-Allow-Methods": "GET, HEAD" },
    });
    expect(await send("GET", "/v2/context", { headers })).toMatchObject({
      status: 400,
      headers: { "Access-Control-Allow-Origin": "https://ide.example", Vary: "Origin" },
    });
    const other = await send("GET", "/health", { headers: { origin: "https://other.example" } });
    expect(other.headers["Access-Control-Allow-Origin"]).toBeUndefined();
  });
});
