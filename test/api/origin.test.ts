import { describe, expect, it } from "vitest";

import type { ApiSettings } from "../../api/options.ts";
import { setup } from "./setup.ts";

const publicUrl = "https://docs.corp.example";

describe.each<[string, Partial<ApiSettings>]>([
  ["on loopback", { loopback: true, publicUrl }],
  ["with a PUBLIC_URL", { loopback: false, publicUrl }],
])("a server %s", (_, settings) => {
  const ask = async (headers: Record<string, string>, more: Partial<ApiSettings> = {}, path = "/openapi.json") => {
    const { send } = await setup({ ...settings, ...more });
    return send("GET", path, { key: null, headers });
  };

  it.each([
    "localhost",
    "LOCALHOST:8080",
    "127.0.0.1:8080",
    "127.0.0.2",
    "[::1]:8080",
    "docs.corp.example",
    "docs.corp.example:443",
  ])("answers to Host %s", async (host) => expect((await ask({ host })).status).toBe(200));

  it.each(["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8080", "", "[::1", "localhost:80:80"])(
    "refuses Host %j, but not in health checks",
    async (host) => {
      const headers = { host, origin: `http://${host}` };
      for (const path of ["/openapi.json", "/v2/libs", "/nothing"]) {
        expect(await ask(headers, {}, path)).toMatchObject({ status: 403, body: { error: "forbidden" } });
      }
      for (const path of ["/health", "/ready"]) expect((await ask(headers, {}, path)).status).toBe(200);
    },
  );

  it("serves metrics to a key under any Host, as Prometheus asks each process at its own address", async () => {
    const { send } = await setup({ ...settings });
    const ask = async (key?: null) =>
      (await send("GET", "/metrics", { headers: { host: "10.0.0.5:8080" }, ...(key === null && { key }) })).status;
    expect(await ask(null)).toBe(403);
    expect(await ask()).not.toBe(403);
  });

  it("accepts its own and allowed origins only", async () => {
    const host = "localhost:8080";
    const status = async (origin: string) =>
      (await ask({ host, origin }, { allowedOrigins: ["https://ide.example"] })).status;
    expect(await status("http://localhost:8080")).toBe(200);
    expect(await status("https://docs.corp.example")).toBe(200);
    expect(await status("https://ide.example")).toBe(200);
    for (const origin of [
      "https://evil.example",
      "null",
      "http://localhost:3000",
      "https://ide.example.evil.example",
    ]) {
      expect(await status(origin)).toBe(403);
    }
  });

  it("answers a request without Host, which load balancers send and browsers never do", async () => {
    const { send } = await setup(settings);
    const answer = await send("GET", "/openapi.json", { key: null, headers: { host: undefined } });
    expect(answer.status).toBe(200);
  });
});

it("a server that is open to other machines without PUBLIC_URL answers to any Host", async () => {
  const { send } = await setup({ loopback: false, publicUrl: null });
  expect((await send("GET", "/openapi.json", { headers: { host: "docs.example.com" } })).status).toBe(200);
});
