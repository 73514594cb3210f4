import { describe, expect, it } from "vitest";
import { codePassage } from "./samples.ts";
import { setup } from "./setup.ts";

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
