import { expect, it, onTestFinished } from "vitest";
import { createFetchClient } from "../../sources/lib/fetch/client.ts";
import { createGuard } from "../../sources/lib/fetch/guard.ts";
import { createPoliteClient } from "../../sources/lib/fetch/polite.ts";
import { openNotion } from "../../sources/notion/client.ts";
import { startNotion } from "../support/notion-server.ts";
import { unpacedHosts } from "../support/unpaced-hosts.ts";

/** The client of a workspace, with this timeout in milliseconds. */
async function opened(headersTimeout: number) {
  const notion = await startNotion();
  const client = createFetchClient({
    guard: createGuard({ allow: [notion.host] }),
    userAgent: "Lectern test",
    proxies: { http: undefined, https: undefined, except: "" },
    headersTimeout,
  });
  onTestFinished(async () => {
    await client.close();
    await notion.close();
  });
  const polite = createPoliteClient({ client, hosts: unpacedHosts, interval: 0, now: Date.now });
  const stop = new AbortController();
  const [token = ""] = notion.tokens;
  const url = new URL(notion.url);
  return { notion, stop, token, api: openNotion({ client: polite, url, token, signal: stop.signal }) };
}

it("gives up on a silent host", async () => {
  const { notion, api } = await opened(100);
  notion.fault = () => ({ status: 0, silent: true });
  await expect(api.me()).rejects.toMatchObject({ code: "source_unreachable" });
});

it("stops waiting for a silent host when the run is stopped", async () => {
  const { notion, api, stop } = await opened(600_000);
  notion.fault = () => {
    stop.abort(new Error("cancelled"));
    return { status: 0, silent: true };
  };
  await expect(api.me()).rejects.toThrow("cancelled");
});

it("sends the version and the token, and follows no redirect with them", async () => {
  const { notion, api, token } = await opened(30_000);
  await api.me();
  expect(notion.requests[0]?.headers).toMatchObject({
    "notion-version": "2026-03-11",
    authorization: `Bearer ${token}`,
  });
  notion.fault = ({ path }) =>
    path === "/v1/users/me"
      ? { status: 302, headers: { location: `${notion.url}/v1/elsewhere` }, body: {} }
      : undefined;
  notion.requests.length = 0;
  const refused = await api.me().catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "source_invalid" });
  expect(notion.requests.map(({ path }) => path)).toEqual(["/v1/users/me"]);
});

it("maps any error to a failure, and does not repeat the token", async () => {
  const { notion, api, token } = await opened(30_000);
  const id = "0123456789abcdef0123456789abcdef";
  const meanings: readonly (readonly [status: number, code: string, means: string])[] = [
    [400, "validation_error", "source_invalid"],
    [401, "unauthorized", "source_refused"],
    [403, "restricted_resource", "source_refused"],
    [403, "", "source_refused"],
    [404, "object_not_found", "source_not_found"],
    [409, "conflict_error", "source_unreachable"],
    [529, "service_overload", "source_unreachable"],
  ];
  for (const [status, code, means] of meanings) {
    notion.fault = ({ headers }) => ({
      status,
      body: { object: "error", status, code, message: headers.authorization },
    });
    const error = await api.page(id).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: means });
    expect((error as Error).message).not.toContain(token);
  }
});
