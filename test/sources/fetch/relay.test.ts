import { once } from "node:events";
import { request } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { openRelay, type Relay, type RelayRequest } from "../../../sources/fetch/relay.ts";

async function open(answer: Parameters<typeof openRelay>[0]): Promise<{ relay: Relay; failures: unknown[] }> {
  const failures: unknown[] = [];
  const relay = await openRelay(answer, (error) => failures.push(error));
  onTestFinished(() => relay.close());
  return { relay, failures };
}

it("hands requests on, and answers as they come", async () => {
  const asked: RelayRequest[] = [];
  const { relay, failures } = await open(async (one) => {
    asked.push(one);
    return { contentType: "text/x-test", body: [Buffer.from("one "), Buffer.from("two")] };
  });
  const answer = await fetch(`${relay.url}/a/b?c=d`, { method: "POST", body: "hello", headers: { "x-kind": "k" } });
  expect([answer.status, answer.headers.get("content-type"), await answer.text()]).toEqual([
    200,
    "text/x-test",
    "one two",
  ]);
  expect(asked).toMatchObject([{ method: "POST", path: "/a/b?c=d", headers: { "x-kind": "k" } }]);
  expect(Buffer.from(asked[0]?.body ?? []).toString()).toBe("hello");
  expect(failures).toEqual([]);
});

it("is of no use to who does not know its address", async () => {
  const { relay } = await open(() => Promise.reject(new Error("Nobody may ask.")));
  const { origin, pathname } = new URL(relay.url);
  expect(pathname.length).toBeGreaterThan(40);
  for (const path of ["/", "/info/refs", `${pathname.slice(0, -1)}/info/refs`, pathname])
    expect((await fetch(origin + path)).status).toBe(404);
});

it("breaks off what fails, and tells why", async () => {
  const atOnce = await open(() => Promise.reject(new Error("refused")));
  await expect(fetch(`${atOnce.relay.url}/x`)).rejects.toThrow("fetch failed");
  expect(atOnce.failures).toEqual([new Error("refused")]);
  const begun = Promise.withResolvers<void>();
  const midway = await open(async () => ({
    contentType: "text/plain",
    body: (async function* () {
      yield Buffer.from("half");
      await begun.promise;
      throw new Error("lost");
    })(),
  }));
  const answer = await fetch(`${midway.relay.url}/x`);
  begun.resolve();
  await expect(answer.text()).rejects.toThrow("terminated");
  expect(midway.failures).toEqual([new Error("lost")]);
});

it("gives a request up when the child goes away, which is no failure", async () => {
  const reached = Promise.withResolvers<AbortSignal>();
  const { relay, failures } = await open(async ({ signal }) => {
    reached.resolve(signal);
    await once(signal, "abort");
    throw new Error("given up");
  });
  const asking = request(`${relay.url}/x`).on("error", () => undefined);
  asking.end();
  const signal = await reached.promise;
  asking.destroy();
  if (!signal.aborted) await once(signal, "abort");
  await new Promise((resolve) => setImmediate(resolve));
  expect(failures).toEqual([]);
});
