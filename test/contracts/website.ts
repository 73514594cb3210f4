import { describe, expect, it, onTestFinished } from "vitest";
import { refreshedRun } from "../support/refreshing.ts";
import { startSite } from "../support/site.ts";
import type { Caller } from "./llmstxt.ts";

const page = (name: string, ...links: readonly string[]): string =>
  `<!doctype html><html lang="en"><head><title>${name} | Anvils</title><meta property="og:site_name" content="Anvils"><meta name="description" content="All about anvils."></head><body><nav>${links.map((href) => `<a href="${href}">x</a>`).join("")}</nav><main><article><h1>${name}</h1><p>This page tells how ${name} is used, and when it is better not to be used, in a paragraph that is long enough to be read as documentation by anybody who looks at it, and then some.</p><pre><code class="language-js">${name.toLowerCase()}();\n</code></pre></article></main></body></html>`;

/** A website as a source, from its submission to its refreshes, over HTTP. `open` gives a server that may fetch from loopback. */
export function describeWebsite(engine: string, open: () => Promise<Caller>): void {
  describe(`a website on ${engine}`, () => {
    it("is submitted, crawled, answered from, refreshed by validators, and fails with a reason", async () => {
      const server = await open();
      const site = await startSite(
        {
          "/docs/": page("Start", "alpha", "beta", "gone"),
          "/docs/alpha": page("Alpha", "gamma"),
          "/docs/beta": page("Beta"),
          "/docs/gamma": page("Gamma"),
        },
        { etags: true },
      );
      onTestFinished(() => site.close());
      const websiteUrl = `${site.origin}/docs/`;
      const libraryName = `/websites/anvils-${site.host.split(":")[1] ?? ""}`;
      expect(await server.call("POST", "/v2/add/website", { websiteUrl, libraryName })).toMatchObject({
        status: 200,
        body: { libraryName },
      });
      expect(await server.settled(libraryName)).toMatchObject({
        state: "finalized",
        title: "Anvils",
        description: "All about anvils.",
        live: {
          revision: expect.stringMatching(/^sha256-/) as unknown,
          counts: { pages: 4, pagesSkipped: 1, code: 4 },
        },
      });
      const context = `/v2/context?libraryId=${encodeURIComponent(libraryName)}&query=gamma`;
      expect(await server.call("GET", context)).toMatchObject({
        status: 200,
        body: expect.stringContaining(`${site.origin}/docs/gamma`) as unknown,
      });

      const refresh = async (): Promise<unknown> => {
        site.requests.length = 0;
        return (await refreshedRun(server, libraryName))?.["outcome"];
      };
      expect(await refresh()).toBe("unchanged");
      const conditional = site.requests.filter(({ status }) => status === 304).map(({ path }) => path);
      expect(conditional.toSorted()).toEqual(["/docs/", "/docs/alpha", "/docs/beta", "/docs/gamma"]);
      site.pages.set("/docs/beta", page("Delta"));
      expect(await refresh()).toBe("published");
      site.pages.set("/docs/", { status: 503 });
      expect(await refresh()).toBe("failed");
      expect(await server.call("GET", context)).toMatchObject({ status: 200 });
    });

    it("is held where the site suddenly answers with a log-in page", async () => {
      const server = await open();
      const names = Array.from({ length: 24 }, (_, number) => "x".repeat(number + 1));
      const site = await startSite({
        "/": page("Start", ...names),
        ...Object.fromEntries(names.map((name) => [`/${name}`, page(`Page ${name}`)])),
      });
      onTestFinished(() => site.close());
      const libraryName = `/websites/guarded-${site.host.split(":")[1] ?? ""}`;
      await server.call("POST", "/v2/add/website", { websiteUrl: `${site.origin}/`, libraryName });
      expect(await server.settled(libraryName)).toMatchObject({ live: { counts: { pages: 25 } } });
      const login = page("Log in").replace("</main>", '<form><input type="password"></form></main>');
      for (const path of ["/", ...names.map((name) => `/${name}`)]) site.pages.set(path, login);
      await server.call("POST", "/v1/refresh", { libraryName });
      expect(await server.settled(libraryName)).toMatchObject({
        state: "finalized",
        live: { counts: { pages: 25 } },
        runs: [{ outcome: "held" }, {}],
      });
    });
  });
}
