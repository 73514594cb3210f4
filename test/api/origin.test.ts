import { describe, expect, it } from "vitest";

import type { ApiSettings } from "../../api/options.ts";
import { setup } from "./setup.ts";

const publicUrl = "https://docs.corp.example";

describe.each<[string, Partial<ApiSettings>]>([
  ["on loopback", { loopback: true, publicUrl }],
  ["that other machines reach by PUBLIC_URL", { loopback: false, publicUrl }],
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

  it("takes its own and allowed origins, and no other", async () => {
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

  it("answers a request of HTTP/1.0 without Host, as load balancers send it and no browser does", async () => {
    const { send } = await setup(settings);
    const answer = await send("GET", "/openapi.json", { key: null, headers: { host: undefined } });
    expect(answer.status).toBe(200);
  });
});

it("a server that other machines reach, nobody knows by which name, answers to each", async () => {
  const { send } = await setup({ loopback: false, publicUrl: null });
  expect((await send("GET", "/openapi.json", { headers: { host: "docs.example.com" } })).status).toBe(200);
});
