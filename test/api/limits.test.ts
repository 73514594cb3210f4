import { describe, expect, it } from "vitest";

import { createLimits } from "../../api/rate-limits.ts";
import { setup } from "./setup.ts";

const search = "/v2/libs/search?libraryName=a&query=a";

describe("a limit", () => {
  it("answers 429 with all four headers when it is reached", async () => {
    const { send, clock } = await setup({ rateLimitAnonymous: 2 });
    const ask = () => send("GET", search, { key: null });
    expect((await ask()).headers).toMatchObject({ "RateLimit-Limit": "2", "RateLimit-Remaining": "1" });
    expect((await ask()).headers["RateLimit-Remaining"]).toBe("0");
    const { status, headers, body } = await ask();
    expect([status, body]).toMatchObject([429, { error: "rate_limit_exceeded" }]);
    expect(headers).toMatchObject({ "RateLimit-Limit": "2", "RateLimit-Remaining": "0", "Cache-Control": "no-store" });
    const [reset, retry] = [Number(headers["RateLimit-Reset"]), Number(headers["Retry-After"])];
    expect(Number.isInteger(retry) && retry >= 1 && retry <= 60).toBe(true);
    expect(reset).toBeGreaterThan(clock.now / 1000);
    expect(reset).toBeLessThanOrEqual(clock.now / 1000 + 60);
  });

  it("is per address without a key, and per key with one", async () => {
    const { send, addKey } = await setup({ rateLimitAnonymous: 1, rateLimitReads: 2 });
    const status = async (request: object) => (await send("GET", search, request)).status;
    expect(await status({ key: null, address: "192.0.2.1" })).toBe(200);
    expect(await status({ key: null, address: "192.0.2.1" })).toBe(429);
    expect(await status({ key: null, address: "192.0.2.2" })).toBe(200);
    const [one, two] = [await addKey(["read"]), await addKey(["read"])];
    expect(await status({ key: one.key })).toBe(200);
    expect(await status({ key: one.key, address: "192.0.2.3" })).toBe(200);
    expect(await status({ key: one.key, address: "192.0.2.4" })).toBe(429);
    expect(await status({ key: two.key })).toBe(200);
  });

  it("counts submissions separately from reads", async () => {
    const { send } = await setup({ rateLimitReads: 1, rateLimitSubmissions: 1 });
    const refresh = async () => (await send("POST", "/v1/refresh", { body: { libraryName: "/a/b" } })).status;
    expect((await send("GET", search)).status).toBe(200);
    expect(await refresh()).toBe(404);
    expect(await refresh()).toBe(429);
    expect((await send("GET", search)).status).toBe(429);
    expect((await send("GET", "/health")).headers).not.toHaveProperty("RateLimit-Limit");
  });

  it("applies to open routes, per address and separately from reads, but never to /health", async () => {
    const { send } = await setup({ rateLimitAnonymous: 2, trustedProxies: ["10.0.0.1"] });
    const ask = (target: string, client: string, method = "GET") =>
      send(method, target, { key: null, address: "10.0.0.1", headers: { "x-forwarded-for": client } });
    const events = await ask("/v2/cli/events", "192.0.2.1", "POST");
    expect(events).toMatchObject({ status: 204, headers: { "RateLimit-Limit": "2", "RateLimit-Remaining": "1" } });
    expect((await ask("/openapi.json", "192.0.2.1")).status).toBe(200);
    for (const target of ["/ready", "/openapi.json"]) {
      expect(await ask(target, "192.0.2.1")).toMatchObject({
        status: 429,
        headers: { "Retry-After": "60", "RateLimit-Remaining": "0" },
        body: {
          error: "rate_limit_exceeded",
          message: "Too many requests: 2 a minute are allowed. Try again in 60 s.",
        },
      });
    }
    expect((await ask(search, "192.0.2.1")).status).toBe(200);
    expect((await ask("/openapi.json", "192.0.2.2")).status).toBe(200);
    for (let asked = 0; asked < 5; asked += 1) expect((await ask("/health", "192.0.2.1")).status).toBe(200);
    const remaining = async (client: string) => (await ask("/ready", client)).headers["RateLimit-Remaining"];
    expect([
      await remaining("2001:db8::1"),
      await remaining("2001:db8::2"),
      await remaining("2001:db8:0:1::1"),
    ]).toEqual(["1", "0", "1"]);
  });

  describe("of a teamspace", () => {
    const limited = { rateLimitReads: 100, rateLimitTeamspaceReads: 12, rateLimitTeamspaceSubmissions: 2 };

    it("is shared by all of its keys, and leaves requests for a quiet key beside a noisy one", async () => {
      const { send, addKey } = await setup(limited);
      const [noisy, quiet, other] = [
        await addKey(["read"], { teamspace: "web" }),
        await addKey(["read"], { teamspace: "web" }),
        await addKey(["read"], { teamspace: "mobile" }),
      ];
      const answersFor = async (key: string, times: number) => {
        const all = await Promise.all(Array.from({ length: times }, () => send("GET", search, { key })));
        return all.filter(({ status }) => status === 200).length;
      };
      let ofNoisy = 0;
      for (let time = 0; time < 20; time += 1) ofNoisy += await answersFor(noisy.key, 1);
      expect(ofNoisy).toBe(6);
      let ofQuiet = 0;
      for (let time = 0; time < 20; time += 1) ofQuiet += await answersFor(quiet.key, 1);
      expect(ofQuiet).toBe(3);
      expect(await answersFor(other.key, 6)).toBe(6);
      // Concurrent requests do not exceed it.
      expect(
        ofNoisy + ofQuiet + (await answersFor(noisy.key, 50)) + (await answersFor(quiet.key, 50)),
      ).toBeLessThanOrEqual(12);
    });

    it("names the teamspace whose limit is reached, with its headers", async () => {
      const { send, addKey } = await setup(limited);
      const { key } = await addKey(["submit"], { teamspace: "web" });
      const refresh = () => send("POST", "/v1/refresh", { key, body: { libraryName: "/a/b" } });
      expect((await refresh()).headers).toMatchObject({ "RateLimit-Limit": "2", "RateLimit-Remaining": "1" });
      const { status, headers, body } = await refresh();
      expect(status).toBe(429);
      expect(headers).toMatchObject({ "RateLimit-Limit": "2", "RateLimit-Remaining": "0" });
      expect(Number(headers["Retry-After"])).toBeGreaterThan(0);
      expect(body).toMatchObject({
        message: expect.stringContaining(
          '2 a minute are allowed to the keys of the teamspace "web" together.',
        ) as string,
      });
      expect((await send("GET", search, { key })).status).toBe(200);
    });

    it("does not apply to callers without a key or the operator", async () => {
      const { send } = await setup({ ...limited, rateLimitTeamspaceReads: 1 });
      for (const key of [undefined, null]) {
        for (let time = 0; time < 3; time += 1)
          expect((await send("GET", search, { ...(key === null && { key }) })).status).toBe(200);
      }
    });
  });

  it("applies to wrong keys", async () => {
    const { send } = await setup({ rateLimitAnonymous: 2 });
    const guess = async () => (await send("GET", search, { key: "guess" })).status;
    expect([await guess(), await guess(), await guess()]).toEqual([401, 401, 429]);
  });

  it("counts an IPv6 network of 64 bits as one caller", async () => {
    const { send } = await setup({ rateLimitAnonymous: 1 });
    const status = async (address: string) => (await send("GET", search, { key: null, address })).status;
    expect(await status("2001:db8::1")).toBe(200);
    expect(await status("2001:db8:0:0:ffff::2")).toBe(429);
    expect(await status("2001:db8:0:1::1")).toBe(200);
    expect(await status("::ffff:192.0.2.1")).toBe(200);
    expect(await status("192.0.2.1")).toBe(429);
  });
});

describe("the client's address", () => {
  async function addressOf(forwarded: string | undefined, remoteAddress = "10.0.0.1", proxies = ["10.0.0.0/8", "::1"]) {
    const { options } = await setup();
    const limits = createLimits({ ...options, settings: { ...options.settings, trustedProxies: proxies } });
    return limits.address({ headers: { "x-forwarded-for": forwarded }, remoteAddress });
  }

  it.each([
    ["198.51.100.7", "198.51.100.7"],
    ["203.0.113.9, 198.51.100.7", "198.51.100.7"],
    ["198.51.100.7, 10.0.0.2", "198.51.100.7"],
    ["10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["198.51.100.7:4711", "198.51.100.7"],
    ["[2001:DB8::7]:4711", "2001:db8::7"],
    ["unknown", "10.0.0.1"],
    ["198.51.100.7, garbage", "10.0.0.1"],
    ["", "10.0.0.1"],
    [undefined, "10.0.0.1"],
  ])("behind a trusted proxy that says %s is %s", async (forwarded, address) => {
    expect(await addressOf(forwarded)).toBe(address);
  });

  it("is the peer's address unless it is a trusted proxy", async () => {
    expect(await addressOf("198.51.100.7", "192.0.2.1")).toBe("192.0.2.1");
    expect(await addressOf("198.51.100.7", "10.0.0.1", [])).toBe("10.0.0.1");
    expect(await addressOf("198.51.100.7", "::ffff:10.0.0.1")).toBe("198.51.100.7");
    expect(await addressOf("198.51.100.7", "::1")).toBe("198.51.100.7");
  });

  it("needs trusted proxies that are addresses or CIDR blocks", async () => {
    for (const entry of ["proxy.example", "10.0.0.0/33", "10.0.0.0/", "::/129", ""]) {
      await expect(addressOf("198.51.100.7", "10.0.0.1", [entry])).rejects.toThrow(`"${entry}" in TRUSTED_PROXIES`);
    }
  });
});
