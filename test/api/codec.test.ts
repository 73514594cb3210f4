import { randomBytes } from "node:crypto";

import { describe, expect, it } from "vitest";

import type { ApiSettings } from "../../api/options.ts";
import { createPayloadCodec, type PayloadKey } from "../../workers/codec.ts";
import { setup } from "./setup.ts";

const ui = "https://temporal.example.com";
const newKey = (id: string): PayloadKey => ({ id, key: randomBytes(32) });
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const json = (value: unknown) => ({
  metadata: { encoding: base64("json/plain") },
  data: base64(JSON.stringify(value)),
});

interface Payloads {
  readonly payloads: readonly { metadata: Record<string, string>; data?: string }[];
}

/** The app with a codec, and its two operations as Temporal's Web UI calls them. */
async function open(settings: Partial<ApiSettings> = {}, ring = [newKey("first")]) {
  const world = await setup({ temporalUiOrigins: [ui], ...settings }, { codec: createPayloadCodec(ring) });
  const call = (name: string, body: unknown, key?: string | null, headers: Record<string, string> = {}) =>
    world.send("POST", `/temporal/codec/${name}`, {
      body,
      ...(key !== undefined && { key }),
      headers: { origin: ui, "x-namespace": "lectern", ...headers },
    });
  return { ...world, call };
}

describe("the codec endpoint", () => {
  it("encrypts payloads and decrypts them", async () => {
    const { call } = await open();
    const payloads = [json({ secret: "wörd" }), json(null), { metadata: {}, data: "" }];
    const encoded = await call("encode", { payloads });
    expect(encoded.status).toBe(200);
    const stored = encoded.body as Payloads;
    expect(stored.payloads.map(({ metadata }) => metadata)).toEqual(
      Array(3).fill({ encoding: base64("binary/encrypted"), "encryption-key-id": base64("first") }),
    );
    expect(Buffer.from(stored.payloads[0]?.data ?? "", "base64").toString("latin1")).not.toContain("secret");
    expect(await call("decode", stored)).toMatchObject({ status: 200, body: { payloads } });
  });

  it("returns plain payloads unchanged, also from other namespaces", async () => {
    const { call } = await open();
    const payloads = [json([1, 2]), { metadata: { encoding: base64("binary/null") } }];
    const answer = await call("decode", { payloads }, undefined, { "x-namespace": "other" });
    expect(answer.body).toEqual({ payloads });
    expect((await call("decode", { payloads: [] })).body).toEqual({ payloads: [] });
  });

  it("names a missing key, and answers 400 to a changed payload", async () => {
    const { call } = await open();
    const elsewhere = await open({}, [newKey("gone")]);
    const { payloads } = (await elsewhere.call("encode", { payloads: [json("x")] })).body as Payloads;
    expect(await call("decode", { payloads })).toMatchObject({
      status: 400,
      body: {
        error: "validation_error",
        message:
          'A Temporal payload is encrypted with the key "gone", which is missing. Add it to ENCRYPTION_KEYS again.',
      },
    });
    const changed = payloads.map(({ metadata }) => ({ metadata, data: base64("x".repeat(60)) }));
    expect(await elsewhere.call("decode", { payloads: changed })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/cannot be decrypted with the key "gone"/) as string },
    });
  });

  it("does not exist without Temporal", async () => {
    const { send } = await setup();
    for (const name of ["decode", "encode"])
      expect(await send("POST", `/temporal/codec/${name}`, { body: { payloads: [] } })).toMatchObject({
        status: 404,
        body: { error: "route_not_found" },
      });
  });

  it.each([
    [{}, "payloads is missing."],
    [{ payloads: "x" }, "payloads must be a list of payloads."],
    [{ payloads: [7] }, "payloads[0] must be a payload."],
    [{ payloads: [{ data: "no base64" }] }, "payloads[0].data must be bytes in base64."],
    [{ payloads: [{ metadata: { encoding: 7 } }] }, "payloads[0].metadata.encoding must be bytes in base64."],
    [{ payloads: Array(1001).fill({}) }, "payloads must have at most 1000 payloads."],
  ])("refuses an invalid body: %#", async (body, message) => {
    const { call } = await open();
    expect(await call("decode", body)).toMatchObject({ status: 400, body: { error: "validation_error", message } });
  });

  it("does not log payloads", async () => {
    const { call, logged } = await open();
    await call("decode", { payloads: [json("a-hidden-word")] });
    expect(logged.join()).not.toMatch(new RegExp(`a-hidden-word|${base64('"a-hidden-word"')}`));
  });
});

describe("pages of Temporal's Web UI", () => {
  const preflight = { "access-control-request-method": "POST" };

  it("may call the codec endpoint with the headers that they send", async () => {
    const { send, call } = await open();
    const requested = "authorization,authorization-extras,content-type,x-namespace";
    const headers = { origin: ui, ...preflight, "access-control-request-headers": requested };
    const answer = await send("OPTIONS", "/temporal/codec/decode", { key: null, headers });
    expect(answer).toMatchObject({
      status: 204,
      headers: { "Access-Control-Allow-Origin": ui, "Access-Control-Allow-Methods": "POST", Vary: "Origin" },
    });
    const permitted = answer.headers["Access-Control-Allow-Headers"]?.toLowerCase().split(", ") ?? [];
    expect(requested.split(",").filter((name) => !permitted.includes(name))).toEqual([]);
    expect((await call("decode", { payloads: [] })).headers["Access-Control-Allow-Origin"]).toBe(ui);
    expect((await call("decode", {}, null)).headers["Access-Control-Allow-Origin"]).toBe(ui);
  });

  it("may not call anything else", async () => {
    const { send } = await open();
    expect((await send("GET", "/v2/libs", { headers: { origin: ui } })).headers).not.toHaveProperty(
      "Access-Control-Allow-Origin",
    );
    expect(await send("OPTIONS", "/v2/libs", { headers: { origin: ui, ...preflight } })).toMatchObject({ status: 405 });
  });

  it("of other origins may not, and none if no origin is configured", async () => {
    const { call } = await open();
    const other = await call("decode", { payloads: [] }, undefined, { origin: "https://evil.example" });
    expect(other.headers).not.toHaveProperty("Access-Control-Allow-Origin");
    const closed = await open({ temporalUiOrigins: [] });
    expect((await closed.call("decode", { payloads: [] })).headers).not.toHaveProperty("Access-Control-Allow-Origin");
  });

  it("may call a server on loopback, except its other paths", async () => {
    const local = "http://localhost:8233";
    const { send, call } = await open({ loopback: true, temporalUiOrigins: [local] });
    const headers = { origin: local, host: "localhost:8080" };
    expect(await call("decode", { payloads: [] }, undefined, headers)).toMatchObject({ status: 200 });
    expect(await send("GET", "/v2/libs", { headers })).toMatchObject({ status: 403 });
    const foreign = { ...headers, origin: "http://localhost:9999" };
    expect(await call("decode", { payloads: [] }, undefined, foreign)).toMatchObject({ status: 403 });
    const rebound = { ...headers, host: "evil.example" };
    expect(await call("decode", { payloads: [] }, undefined, rebound)).toMatchObject({ status: 403 });
  });
});
