import { expect, it, onTestFinished } from "vitest";
import { openSite } from "../../sources/confluence/access.ts";
import { createFetchClient } from "../../sources/lib/fetch/client.ts";
import { createGuard } from "../../sources/lib/fetch/guard.ts";
import { createPoliteClient } from "../../sources/lib/fetch/polite.ts";
import { startConfluence } from "../support/confluence.ts";
import { unpacedHosts } from "../support/unpaced-hosts.ts";

const token = "ATATT3xFfGF0-secret";

/** The API of a site, by a client with this timeout in milliseconds. */
async function opened(product: "cloud" | "data-center", timeout = 30_000) {
  const site = await startConfluence();
  const client = createFetchClient({
    guard: createGuard({ allow: [site.host] }),
    userAgent: "Lectern test",
    proxies: { http: undefined, https: undefined, except: "" },
    headersTimeout: timeout,
    bodyTimeout: timeout,
  });
  onTestFinished(async () => {
    await client.close();
    await site.close();
  });
  const stop = new AbortController();
  const isCloud = product === "cloud";
  const spec = {
    kind: "confluence",
    siteUrl: isCloud ? site.origin : `${site.origin}/confluence`,
    cloudId: isCloud ? site.cloudId : null,
    spaceKey: "ENG",
    pageIds: [],
    includeSubPages: true,
    includeRestricted: false,
  } as const;
  const api = await openSite(spec, {
    client: createPoliteClient({ client, hosts: unpacedHosts, interval: 0, now: Date.now }),
    gateway: new URL(site.origin),
    signal: stop.signal,
    credential: isCloud ? { type: "personal", email: "docs@example.com", token } : { type: "pat", token },
  });
  return { site, stop, api, id: site.add("Home", "<p>Words.</p>") };
}

it.each(["cloud", "data-center"] as const)("gives up on a silent host of %s", async (product) => {
  const { site, api, id } = await opened(product, 100);
  site.trouble.hangs = true;
  await expect(api.bodies([id], "storage")).rejects.toMatchObject({ code: "source_unreachable" });
});

it.each(["cloud", "data-center"] as const)("stops waiting for a silent host of %s with the run", async (product) => {
  const { site, api, id, stop } = await opened(product, 600_000);
  site.trouble.hangs = true;
  site.fault = () => {
    stop.abort(new Error("cancelled"));
    return undefined;
  };
  await expect(api.bodies([id], "storage")).rejects.toThrow("cancelled");
});

it.each(["cloud", "data-center"] as const)("follows no redirect of %s with the token", async (product) => {
  const { site, api } = await opened(product);
  site.fault = (path) =>
    path === "/elsewhere" ? undefined : { status: 302, headers: { location: `${site.origin}/elsewhere` } };
  await expect(api.space("ENG")).rejects.toMatchObject({ code: "source_invalid" });
  expect(site.requests).toEqual([]);
});

it.each(["cloud", "data-center"] as const)(
  "maps any error of %s to a failure, and does not repeat the token",
  async (product) => {
    const { site, api } = await opened(product);
    const meanings = [
      [400, "source_invalid"],
      [401, "source_refused"],
      [403, "source_refused"],
      [410, "source_not_found"],
      [408, "source_unreachable"],
      [500, "source_unreachable"],
      [502, "source_unreachable"],
    ] as const;
    for (const [status, code] of meanings) {
      site.fault = () => ({ status, body: { message: token } });
      const error = await api.pagesById(["1"]).catch((failure: unknown) => failure);
      if (status === 410 && product === "data-center") continue;
      expect(error, String(status)).toMatchObject({ code });
      expect((error as Error).message).not.toContain(token);
    }
  },
);

it.each(["cloud", "data-center"] as const)(
  "waits as long as a host of %s asks, and gives up on one that asks for too long",
  async (product) => {
    const { site, api } = await opened(product);
    let refusals = 0;
    site.fault = () => ((refusals += 1) <= 4 ? { status: 403, headers: { "retry-after": "0" } } : undefined);
    expect(await api.space("ENG")).toMatchObject({ key: "ENG" });
    site.fault = () => ({ status: 429, headers: { "retry-after": "3600" } });
    await expect(api.space("ENG")).rejects.toMatchObject({
      code: "source_unreachable",
      message: expect.stringMatching(/pause of 60 minutes/) as string,
    });
  },
);
