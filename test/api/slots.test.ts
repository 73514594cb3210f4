import { describe, expect, it } from "vitest";
import { createSlots, createTurns } from "../../api/scheduling.ts";
import { Failure } from "../../domain/failures.ts";
import { codePassage } from "./samples.ts";
import { setup } from "./setup.ts";

const always = () => true;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Work that ends by `end`, and the names of started work. */
function createWork(most: number, wait?: number) {
  const slots = createSlots({ requestsAtOnce: most }, wait === undefined ? {} : { wait });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (client: string, name: string, isWanted = always) => {
    const running = slots.run(
      client,
      () => {
        started.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      },
      isWanted,
    );
    running.catch(() => undefined);
    return running;
  };
  return { started, start, end: (name: string) => ends.get(name)?.() };
}

describe("slots", () => {
  it("are limited to half for a single client, so that some are left for the next", async () => {
    const { started, start } = createWork(4);
    for (const name of ["a1", "a2", "a3", "a4"]) void start("a", name);
    await settled();
    expect(started).toEqual(["a1", "a2"]);
    void start("b", "b1");
    await settled();
    expect(started).toEqual(["a1", "a2", "b1"]);
  });

  it("go to the clients in turn, whatever the number of their waiting requests", async () => {
    const { started, start, end } = createWork(2);
    void start("a", "a1");
    for (const name of ["a2", "a3", "a4"]) void start("a", name);
    void start("b", "b1");
    void start("b", "b2");
    await settled();
    expect(started).toEqual(["a1", "b1"]);
    for (const [name, next] of [
      ["a1", "a2"],
      ["b1", "b2"],
      ["a2", "a3"],
      ["b2", "a4"],
    ] as const) {
      end(name);
      await settled();
      if (next === "a4") end("a3");
      await settled();
      expect(started).toContain(next);
    }
  });

  it("are released when the work fails", async () => {
    const slots = createSlots({ requestsAtOnce: 2 });
    for (let time = 0; time < 5; time += 1) {
      await expect(slots.run("a", () => Promise.reject(new Error("broken")), always)).rejects.toThrow("broken");
    }
    expect(await slots.run("a", async () => "done", always)).toBe("done");
  });

  it("have a limited queue, half of it per client, with a timeout", async () => {
    const { start, started, end } = createWork(2, 50);
    void start("a", "a0");
    const waiting = Array.from({ length: 8 }, (_, at) => start("a", `a${at + 1}`));
    const ends = await Promise.allSettled(waiting);
    expect(ends.every(({ status }) => status === "rejected")).toBe(true);
    for (const one of ends) {
      expect(one).toMatchObject({ reason: { code: "service_unavailable", details: { retryAfter: 1 } } });
    }
    expect(started).toEqual(["a0"]);
    // Refused work leaves nothing behind.
    end("a0");
    await settled();
    void start("a", "later");
    await settled();
    expect(started).toEqual(["a0", "later"]);
  });

  it("do not start unwanted work", async () => {
    const { start, started, end } = createWork(2);
    let isWanted = true;
    void start("a", "a1");
    const unwanted = start("a", "a2", () => isWanted);
    void start("a", "a3");
    await settled();
    isWanted = false;
    end("a1");
    await expect(unwanted).rejects.toThrow(Failure);
    await settled();
    expect(started).toEqual(["a1", "a3"]);
  });
});

it("turns go to the clients in turn", async () => {
  const turn = createTurns();
  const order: string[] = [];
  const wait = async (client: string) => {
    await turn(client);
    order.push(client);
  };
  await Promise.all(["a", "a", "a", "a", "b", "c", "b"].map(wait));
  expect(order).toEqual(["a", "b", "c", "a", "b", "a", "a"]);
});

describe("a server at its limit of requests", () => {
  /** A server whose index does not answer until `answerAll`. */
  async function busy(settings: object) {
    const gate = Promise.withResolvers<void>();
    const world = await setup({ rateLimitReads: 1e6, rateLimitAnonymous: 1e6, ...settings });
    await world.finish(await world.submit("/acme/widgets"), [codePassage]);
    const { passages } = world.options.ports;
    const { candidates } = passages;
    Object.assign(passages, {
      candidates: async (...args: Parameters<typeof candidates>) => {
        await gate.promise;
        return candidates(...args);
      },
    });
    const ask = (key: string, target = "/v2/context?libraryId=/acme/widgets&query=widget") =>
      world.send("GET", target, { key });
    return { ...world, ask, answerAll: gate.resolve };
  }

  it("answers 503 with Retry-After to further requests, but serves another key and health checks", async () => {
    const { ask, addKey, answerAll, send } = await busy({ requestsAtOnce: 4 });
    const [noisy, quiet] = [await addKey(["read"]), await addKey(["read"])];
    const requests = Array.from({ length: 20 }, () => ask(noisy.key));
    const refused = await Promise.race(requests);
    expect(refused).toMatchObject({
      status: 503,
      headers: { "Retry-After": "1", "Cache-Control": "no-store", "RateLimit-Limit": "1000000" },
      body: {
        error: "service_unavailable",
        message: "The server has more requests than it can answer at once. Try again in a moment.",
      },
    });
    expect((await ask(quiet.key, "/v2/libs/search?libraryName=a&query=a")).status).toBe(200);
    expect((await send("GET", "/health", { key: null })).status).toBe(200);
    expect((await send("GET", "/ready", { key: null })).status).toBe(200);
    answerAll();
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 503)).toHaveLength(10);
  });

  it("answers 503 when a read takes too long, and keeps its slot until the work has ended", async () => {
    const { ask, addKey, answerAll } = await busy({ requestsAtOnce: 2, readTimeoutSeconds: 1 });
    const { key } = await addKey(["read"]);
    expect(await ask(key)).toMatchObject({
      status: 503,
      headers: { "Retry-After": "5" },
      body: { error: "service_unavailable", message: expect.stringContaining("READ_TIMEOUT_SECONDS") as string },
    });
    const next = ask(key, "/v2/libs/search?libraryName=a&query=a");
    const first = await Promise.race([
      next.then(() => "answered"),
      new Promise((resolve) => setTimeout(resolve, 100, "waits")),
    ]);
    expect(first).toBe("waits");
    answerAll();
    expect((await next).status).toBe(200);
  });
});
