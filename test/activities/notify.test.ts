import { Webhook } from "standardwebhooks";
import { expect, it, onTestFinished } from "vitest";
import { deliverDue, signatureOf, type NotifyingPorts } from "../../activities/notify.ts";
import { createSecrets } from "../../cli/secrets.ts";
import { day } from "../../domain/days.ts";
import { notificationEvents } from "../../domain/catalog-receivers.ts";
import type { ReceiverRecord } from "../../domain/ports.ts";
import { createFetchClient } from "../../sources/lib/fetch/client.ts";
import { createGuard } from "../../sources/lib/fetch/guard.ts";
import { addLibrary, publishGeneration, sampleReceiver } from "../contracts/catalog-samples.ts";
import { catalogOfTest } from "../support/of-test.ts";
import { startReceiver } from "../support/receiver.ts";

const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
const hour = 3_600_000;

/** A catalog, a receiver and a clock. `allow`: hosts that may be private. */
async function setup({
  allow = ["127.0.0.1"],
  timeout = 10_000,
}: { readonly allow?: readonly string[]; readonly timeout?: number } = {}) {
  const { catalog } = await catalogOfTest();
  const client = createFetchClient({ guard: createGuard({ allow }), userAgent: "lectern-test" });
  onTestFinished(() => client.close());
  const secrets = createSecrets([{ id: "test", key: Buffer.alloc(32, 7) }]);
  const clock = { now: Date.now() };
  const disabled: string[] = [];
  const ports: NotifyingPorts = {
    catalog,
    secrets,
    client,
    newId: () => "new",
    now: () => clock.now,
    onDisabled: ({ id }) => disabled.push(id),
    timeout,
  };
  const receiver = await startReceiver();
  return {
    catalog,
    clock,
    receiver,
    disabled,
    ports,
    add: (id: string, changes: Partial<ReceiverRecord> = {}) =>
      catalog.receivers.add(sampleReceiver(id, { url: receiver.url, sealed: secrets.seal(secret), ...changes })),
    /** Publishes a library, which is added first. */
    async publish(uid: string) {
      await addLibrary(catalog, uid, { id: `/acme/${uid}` });
      await publishGeneration(catalog, uid, 1);
    },
    deliver: () => deliverDue(ports, new AbortController().signal),
    state: async (id: string) => (await catalog.receivers.list("default")).find((one) => one.id === id),
  };
}

it("signs as the published vector says", () => {
  // Of the specification, https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  const given = signatureOf(
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "1614265330",
    '{"test": 2432232314}',
  );
  expect(given).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

it("delivers an event once, signed so that the official library verifies it", async () => {
  const { add, publish, deliver, receiver, state } = await setup();
  await add("r1");
  await publish("a");
  expect(await deliver()).toBe(1);
  const [first] = receiver.received;
  expect(new Webhook(secret).verify(first?.body ?? "", first?.headers ?? {})).toMatchObject({
    type: "library.published",
    data: { libraryId: "/acme/a", version: "", pages: expect.any(Number) as number },
  });
  expect(await deliver()).toBe(0);
  expect(receiver.received).toHaveLength(1);
  expect(await state("r1")).toMatchObject({ waiting: 0, failures: 0, result: "It answered 204." });
});

it.each([
  ["answers 500", "It answered 500."],
  ["redirects", "It answered 302: redirects are not followed."],
  ["hangs", "It did not answer within 0.3 seconds."],
  ["closes the connection", "127.0.0.1"],
] as const)("repeats with the same ID what a receiver that %s has not accepted", async (how, result) => {
  const { add, publish, deliver, receiver, clock, state } = await setup({ timeout: how === "hangs" ? 300 : 10_000 });
  await add("r1");
  await publish("a");
  const accept = receiver.answer;
  receiver.answer = (response) => {
    if (how === "answers 500") response.writeHead(500).end("secret of the receiver".repeat(10_000));
    if (how === "redirects") response.writeHead(302, { location: receiver.url }).end();
    if (how === "closes the connection") response.socket?.destroy();
  };
  expect(await deliver()).toBe(0);
  const failed = await state("r1");
  expect(failed).toMatchObject({ waiting: 1, failures: 1, failingSince: clock.now });
  expect(failed?.result).toContain(result);
  expect(failed?.result).not.toContain("secret");
  // Nothing is sent before its time.
  expect(await deliver()).toBe(0);
  expect(receiver.received).toHaveLength(1);
  receiver.answer = accept;
  clock.now += 6000;
  expect(await deliver()).toBe(1);
  expect(receiver.received.map(({ id }) => id)).toEqual([receiver.received[0]?.id, receiver.received[0]?.id]);
  expect(await state("r1")).toMatchObject({ waiting: 0, failures: 0, failingSince: null });
});

it("gives a notification up after ten attempts in about three days", async () => {
  const { add, publish, deliver, receiver, clock, state } = await setup();
  await add("r1");
  await publish("a");
  receiver.answer = (response) => void response.writeHead(503).end();
  const began = clock.now;
  const at: number[] = [];
  for (; clock.now < began + 4.5 * day; clock.now += hour / 6) {
    const before = receiver.received.length;
    await deliver();
    if (receiver.received.length > before) at.push(clock.now - began);
  }
  expect(at).toHaveLength(10);
  expect(at.at(-1)).toBeGreaterThan(3 * day);
  expect(at.at(-1)).toBeLessThan(3.7 * day);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  expect(await state("r1")).toMatchObject({ waiting: 0, disabledAt: null });
});

it("tries a failing receiver with one notification at a time, and delivers all once it works", async () => {
  const { add, publish, deliver, receiver, clock } = await setup();
  await add("r1");
  for (const uid of ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]) await publish(uid);
  const accept = receiver.answer;
  receiver.answer = (response) => void response.writeHead(500).end();
  await deliver();
  expect(receiver.received).toHaveLength(1);
  receiver.answer = accept;
  clock.now += hour;
  expect(await deliver()).toBe(10);
  expect(new Set(receiver.received.slice(1).map(({ event }) => event.data["libraryId"])).size).toBe(10);
});

it("disables a receiver that is gone, or has failed for five days, and says so", async () => {
  const { add, publish, deliver, receiver, clock, state, disabled } = await setup();
  await add("gone");
  await publish("a");
  receiver.answer = (response) => void response.writeHead(410).end();
  await deliver();
  expect(await state("gone")).toMatchObject({
    waiting: 0,
    disabledAt: clock.now,
    result: "It answered 410. It is disabled.",
  });
  await publish("b");
  expect(await state("gone")).toMatchObject({ waiting: 0 });

  await add("failing");
  receiver.answer = (response) => void response.writeHead(500).end();
  for (let round = 0; round < 12; round += 1) {
    await publish(`c${round}`);
    await deliver();
    clock.now += day / 2;
  }
  expect((await state("failing"))?.result).toBe("It answered 500. It has failed for 5 days and is disabled.");
  expect(disabled).toEqual(["gone", "failing"]);
});

it("delivers once from several processes, and again what a killed one had leased", async () => {
  const { add, publish, deliver, receiver, catalog, clock } = await setup();
  await add("r1");
  for (const uid of ["a", "b", "c", "d"]) await publish(uid);
  const counts = await Promise.all([deliver(), deliver(), deliver()]);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(4);
  expect(receiver.received).toHaveLength(4);
  await publish("e");
  expect(await catalog.receivers.claim(clock.now, clock.now + 1000, 10)).toHaveLength(1);
  expect(await deliver()).toBe(0);
  clock.now += 1000;
  expect(await deliver()).toBe(1);
});

it("sends to no address that the guard refuses", async () => {
  const { add, publish, deliver, receiver, state } = await setup({ allow: [] });
  await add("r1", { events: notificationEvents });
  await publish("a");
  expect(await deliver()).toBe(0);
  expect(receiver.received).toEqual([]);
  expect((await state("r1"))?.result).toContain("FETCH_ALLOW");
});
