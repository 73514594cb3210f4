import { expect, it } from "vitest";

import { setup } from "./setup.ts";

async function start(settings: Parameters<typeof setup>[0]) {
  const world = await setup({ rateLimitReads: 1000, ...settings });
  await world.submit("/acme/widgets");
  /** Opens a stream until its client leaves. */
  const open = async (key: string, method = "GET") => {
    const client = new AbortController();
    const { signal } = client;
    const answer = await world.send(method, "/v2/libs/status/stream?libraryId=/acme/widgets", { key, signal });
    return { ...answer, leave: () => client.abort() };
  };
  return { ...world, open };
}

it("the streams of a key are limited, without affecting other keys", async () => {
  const { open, addKey } = await start({ streamsPerKey: 2 });
  const [one, other] = [(await addKey(["read"])).key, (await addKey(["read"])).key];
  const [first, second] = [await open(one), await open(one)];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(await open(one)).toMatchObject({
    status: 429,
    headers: { "Retry-After": "30" },
    body: { error: "rate_limit_exceeded", message: expect.stringContaining("2 status streams open") },
  });
  expect((await open(other)).status).toBe(200);
  first.leave();
  first.leave();
  expect((await open(one)).status).toBe(200);
  expect((await open(one)).status).toBe(429);
});

it("a stream counts from its request to its last event, but not for HEAD", async () => {
  const { open, addKey, catalog } = await start({ streamsPerKey: 1 });
  const { key, id } = await addKey(["read"]);
  expect((await open(key, "HEAD")).status).toBe(200);
  expect((await open(key, "HEAD")).status).toBe(200);
  const stream = await open(key);
  expect((await open(key)).status).toBe(429);
  await catalog.keys.revoke("default", id, 0);
  const events = await Array.fromAsync(stream.body as AsyncIterable<string>);
  expect(events.at(-1)).toMatch(/^event: failure\n/);
  const other = await addKey(["read"]);
  expect((await open(other.key)).status).toBe(200);
});

it("there are at most 200 streams in total", async () => {
  const { open, addKey } = await start({ streamsPerKey: 100 });
  const keys = await Promise.all([0, 1, 2].map(() => addKey(["read"])));
  const streams = [];
  for (let opened = 0; opened < 200; opened += 1) streams.push(await open(keys[opened % 2]?.key ?? ""));
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await open(keys[2]?.key ?? "")).toMatchObject({ status: 503, body: { error: "service_unavailable" } });
  streams[0]?.leave();
  expect((await open(keys[2]?.key ?? "")).status).toBe(200);
});
