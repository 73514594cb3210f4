import { expect, it } from "vitest";

import { hashKey, looksLikeKey, makeKey } from "../../api/keys.ts";
import { adminKey, setup } from "./setup.ts";

it("creates keys with a prefix, a checksum, a hash and a hint", () => {
  const { key, hash, hint } = makeKey();
  expect(key).toMatch(/^lct_[0-9A-Za-z]{38}$/);
  expect(hash).toBe(hashKey(key));
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(key.startsWith(hint)).toBe(true);
  expect(hint).toHaveLength(8);
  expect(makeKey().key).not.toBe(key);
});

it("detects any single wrong character by the checksum", () => {
  const { key } = makeKey();
  expect(looksLikeKey(key)).toBe(true);
  for (let place = 4; place < key.length; place += 1) {
    const other = key.charAt(place) === "a" ? "b" : "a";
    expect(looksLikeKey(key.slice(0, place) + other + key.slice(place + 1))).toBe(false);
  }
  expect(looksLikeKey(`${key}x`)).toBe(false);
  expect(looksLikeKey(key.slice(4))).toBe(false);
});

it("shows a key once, lists it without its text, and revokes it immediately", async () => {
  const { send, logged } = await setup();
  const made = await send("POST", "/v2/keys", { body: { name: "ci", scopes: ["submit"], libraries: ["/acme/*"] } });
  expect(made).toMatchObject({ status: 200, headers: { "Cache-Control": "no-store" } });
  const { key, id } = made.body as { key: string; id: string };
  expect(looksLikeKey(key)).toBe(true);
  expect((await send("GET", "/v2/libs", { key })).status).toBe(200);
  const listed = await send("GET", "/v2/keys");
  expect(listed.body).toEqual({
    keys: [
      {
        id,
        teamspace: "default",
        name: "ci",
        hint: key.slice(0, 8),
        scopes: ["submit"],
        libraries: ["/acme/*"],
        groups: [],
        createdAt: "2026-01-02T03:04:05.000Z",
        expiresAt: null,
        revokedAt: null,
      },
    ],
  });
  expect((await send("DELETE", `/v2/keys?id=${id}`)).status).toBe(200);
  expect(await send("GET", "/v2/libs", { key })).toMatchObject({ status: 401, body: { error: "invalid_api_key" } });
  expect(logged.join("")).not.toContain(key);
});

it("refuses wrong scopes, past times, unknown IDs and callers who are not administrators", async () => {
  const { send, addKey } = await setup();
  const post = (body: object, key = adminKey) => send("POST", "/v2/keys", { body, key });
  expect((await post({ name: "x", scopes: ["root"] })).status).toBe(400);
  expect((await post({ name: "x", scopes: [] })).status).toBe(400);
  expect((await post({ name: "x", scopes: ["read"], expiresAt: "2020-01-01T00:00:00Z" })).status).toBe(400);
  expect((await post({ name: "x", scopes: ["read"], expiresAt: "soon" })).status).toBe(400);
  expect((await send("DELETE", "/v2/keys?id=nobody")).status).toBe(400);
  const { key } = await addKey(["submit"]);
  expect(await post({ name: "x", scopes: ["read"] }, key)).toMatchObject({
    status: 403,
    body: { error: "forbidden" },
  });
});

it("does not let an administrator of some libraries create a key for others", async () => {
  const { send, addKey } = await setup();
  const { key } = await addKey(["admin"], { libraries: ["/acme/*"] });
  const post = (libraries?: string[]) =>
    send("POST", "/v2/keys", { key, body: { name: "x", scopes: ["read"], libraries } });
  expect((await post()).status).toBe(403);
  expect((await post(["*"])).status).toBe(403);
  expect((await post(["/acme/*", "/other/x"])).status).toBe(403);
  expect((await post(["/acme/*"])).status).toBe(200);
  expect((await post(["/acme/docs-*", "/Acme/widgets"])).status).toBe(200);
});

it("lets an administrator of some libraries see and revoke only keys for these", async () => {
  const { send, addKey } = await setup();
  const { key, id: own } = await addKey(["admin"], { libraries: ["/acme/*"] });
  const { id: within } = await addKey(["read"], { libraries: ["/acme/docs-*"] });
  const beyond = [
    await addKey(["admin"]),
    await addKey(["read"], { libraries: ["/acme/*", "/other/x"] }),
    await addKey(["read"], { libraries: ["*"] }),
  ];
  const { keys } = (await send("GET", "/v2/keys", { key })).body as { keys: { id: string }[] };
  expect(keys.map(({ id }) => id)).toEqual([own, within]);
  const revoke = async (id: string, by?: string) =>
    (await send("DELETE", `/v2/keys?id=${id}`, by === undefined ? {} : { key: by })).status;
  for (const { id } of beyond) expect(await revoke(id, key)).toBe(400);
  for (const one of beyond) expect((await send("GET", "/v2/libs", { key: one.key })).status).toBe(200);
  expect(await revoke(within, key)).toBe(200);
  for (const { id } of beyond) expect(await revoke(id)).toBe(200);
});
