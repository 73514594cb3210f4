import { describe, expect, it, onTestFinished } from "vitest";
import { startConfluence, type ConfluenceSite } from "../support/confluence.ts";
import { refreshedRun } from "../support/refreshing.ts";
import type { Caller } from "./llmstxt.ts";

const token = "ATATT3xFfGF0-very-secret-token";

/** A page about something, with code. */
export const pageOf = (name: string): string =>
  `<p>This page tells how ${name} is used, and when it is better not to be used, in a paragraph that is long enough to be read.</p>` +
  `<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">js</ac:parameter>` +
  `<ac:plain-text-body><![CDATA[${name.toLowerCase()}(1 < 2);]]></ac:plain-text-body></ac:structured-macro>`;

/** Confluence as a source, from its credential to its refreshes, over HTTP. `open` gives a server that may fetch from loopback. */
export function describeConfluence(engine: string, open: () => Promise<Caller>): void {
  async function world(flavour: "cloud" | "data-center" = "cloud") {
    const server = await open();
    const site = await startConfluence();
    onTestFinished(() => site.close());
    const isCloud = flavour === "cloud";
    const siteUrl = isCloud ? site.origin : `${site.origin}/confluence`;
    const libraryName = `/confluence/eng-${site.host.split(":")[1] ?? ""}`;
    const own = isCloud
      ? { type: "personal", token, email: "docs@example.com" }
      : { type: "pat", token: "NjEwNjkyODA3-very-secret" };
    const body = {
      siteUrl,
      spaceKey: "ENG",
      spaceName: "Engineering",
      title: "Engineering",
      description: "",
      ...(isCloud && { cloudId: site.cloudId }),
      libraryName,
      confluenceCredential: own,
    };
    const add = (more: object = {}) => server.call("POST", "/v2/add/confluence", { ...body, ...more });
    const refresh = async (): Promise<unknown> => {
      site.requests.length = 0;
      return (await refreshedRun(server, libraryName))?.["outcome"];
    };
    const status = () => server.settled(libraryName);
    const ask = async (query: string): Promise<string> => {
      const path = `/v2/context?libraryId=${encodeURIComponent(libraryName)}&query=${encodeURIComponent(query)}`;
      return String((await server.call("GET", path)).body);
    };
    const pages = async (): Promise<
      { path: string; outcome: string; code?: string; reason?: string; title?: string }[]
    > => {
      const path = `/v2/libs/status/pages?libraryId=${encodeURIComponent(libraryName)}`;
      return ((await server.call("GET", path)).body as { pages: [] }).pages;
    };
    return { server, site, body, libraryName, add, refresh, status, ask, pages };
  }

  const fill = (site: ConfluenceSite) => {
    const home = site.add("Home", pageOf("Homing"));
    const folder = site.add("Guides", "", { type: "folder", parent: home });
    const alpha = site.add("Alpha", pageOf("Alpha"), { parent: folder });
    const beta = site.add("Beta", pageOf("Beta"), { parent: alpha });
    return { home, folder, alpha, beta };
  };

  describe(`Confluence on ${engine}`, () => {
    it.each(["cloud", "data-center"] as const)(
      "of %s is previewed, indexed, and refreshed by version",
      async (flavour) => {
        const { server, site, body, libraryName, add, refresh, status, ask, pages } = await world(flavour);
        const { alpha, beta, home } = fill(site);
        const secret = site.add("Salaries", pageOf("Salaries"), { parent: home, restricted: true });
        site.add("Bonus", pageOf("Bonus"), { parent: secret });
        site.add("Included", pageOf("Inclusion"));
        site.add(
          "Includer",
          `<p>What follows is another page, included for everybody who reads this.</p><ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="Included"/></ac:link></ac:parameter></ac:structured-macro>`,
        );
        const preview = await server.call("POST", "/v2/preview", body);
        expect(preview, JSON.stringify(preview.body)).toMatchObject({ status: 200, body: { total: 5 } });
        const added = await add();
        expect(added, JSON.stringify(added.body)).toMatchObject({ status: 200, body: { libraryName } });
        expect(await status()).toMatchObject({
          state: "finalized",
          private: true,
          title: "Engineering",
          notes: [expect.stringMatching(/^2 pages have read restrictions/) as unknown],
          live: { counts: { pages: 5, code: 5 } },
        });
        expect(await ask("alpha")).toContain("alpha(1 < 2);");
        expect(await ask("salaries bonus")).not.toContain("bonus(");
        expect((await pages()).map(({ title }) => title)).toEqual(["Home", "Alpha", "Beta", "Included", "Includer"]);
        // The path of a page does not depend on its title.
        expect((await pages())[1]?.path).toContain(`pageId=${alpha}`);

        expect(await refresh()).toBe("unchanged");
        expect(site.requests.filter((path) => path.includes("body"))).toEqual([]);

        site.edit(beta, { storage: pageOf("Gamma") });
        expect(await refresh()).toBe("published");
        expect(await ask("gamma")).toContain("gamma(1 < 2);");
        expect(site.requests.filter((path) => path.includes("body"))).toHaveLength(1);

        const [included] = [...site.pages.values()].filter(({ title }) => title === "Included");
        site.edit(included?.id ?? "", { storage: pageOf("Novelty") });
        expect(await refresh()).toBe("published");
        expect((await ask("includer novelty")).match(/novelty\(1 < 2\);/g)?.length).toBeGreaterThan(0);

        site.edit(beta, { parent: home, title: "Moved" });
        site.edit(alpha, { status: "trashed" });
        expect(await refresh()).toBe("published");
        const after = (await pages()).map(({ title, outcome }) => `${title} ${outcome}`);
        expect(after.toSorted()).toEqual(["Home indexed", "Included indexed", "Includer indexed", "Moved indexed"]);

        // A page that the account may no longer see is listed.
        site.edit(beta, { hidden: true });
        expect(await refresh()).toBe("published");
        expect(await pages()).toContainEqual(expect.objectContaining({ outcome: "skipped", code: "refused" }));
        const shown = JSON.stringify([await status(), await pages(), preview.body, added.body]);
        expect(shown).not.toContain("very-secret");
      },
    );

    it("reads chosen pages with those below them, and keeps all when its token is revoked", async () => {
      const { site, add, refresh, status, ask, pages, server, libraryName } = await world();
      const { alpha } = fill(site);
      const missing = "999999";
      expect(
        await add({ pageIds: [missing], pageUrls: [`${site.origin}/wiki/spaces/ENG/pages/${alpha}/Alpha`] }),
      ).toMatchObject({ status: 200 });
      await status();
      const outcomes = (await pages()).map(
        ({ title, outcome, path }) => `${outcome} ${title ?? path.split("=")[1] ?? ""}`,
      );
      expect(outcomes).toEqual(["indexed Alpha", "indexed Beta", `skipped ${missing}`]);
      site.trouble.revoked = true;
      expect(await refresh()).toBe("failed");
      expect(await status()).toMatchObject({
        state: "finalized",
        runs: [
          {
            failure: {
              error: "source_refused",
              message: expect.stringMatching(/does not accept the token/) as unknown,
            },
          },
          {},
        ],
      });
      expect(await ask("beta")).toContain("beta(1 < 2);");
      site.trouble.revoked = false;
      expect(await refresh()).toBe("unchanged");
      const other = await add({ libraryName });
      expect(other).toMatchObject({
        status: 409,
        body: {
          error: "duplicate_library",
          message: expect.stringMatching(/choose another ID/) as unknown,
        },
      });
      expect(await server.call("PATCH", "/v2/libs", { libraryName, includeSubPages: false })).toMatchObject({
        status: 200,
      });
    });

    it("is read although it throttles, fails on large lists and sends empty responses", async () => {
      const { site, add, status, pages } = await world();
      for (let number = 0; number < 130; number += 1) site.add(`Page ${number}`, pageOf(`Thing${number}`));
      const [broken = ""] = site.pages.keys();
      site.trouble.throttled = 2;
      site.trouble.maxLimit = 40;
      site.trouble.empty = 1;
      site.trouble.broken.add(broken);
      // A page without storage format is requested as ADF; an empty page is listed.
      const adf = JSON.stringify({
        type: "doc",
        content: [{ type: "codeBlock", content: [{ type: "text", text: "newer();" }] }],
      });
      site.add("Newer", "", { adf });
      site.add("Empty", "");
      expect(await add()).toMatchObject({ status: 200 });
      expect(await status()).toMatchObject({
        state: "finalized",
        live: { counts: { pages: 130, pagesFailed: 1, pagesSkipped: 1 } },
      });
      expect((await pages()).filter(({ outcome }) => outcome === "failed")).toMatchObject([
        { code: "source_unreachable" },
      ]);
    });

    it("notices lists that end early or run in circles, and holds a great loss", async () => {
      const { site, add, refresh, status } = await world();
      for (let number = 0; number < 30; number += 1) site.add(`Page ${number}`, pageOf(`Thing${number}`));
      await add();
      await status();
      for (const page of site.pages.values()) page.unlisted = true;
      expect(await refresh()).toBe("unchanged");
      for (const page of site.pages.values()) Object.assign(page, { unlisted: false, hidden: true });
      expect(await refresh()).toBe("held");
      expect(await status()).toMatchObject({ state: "finalized", live: { counts: { pages: 30 } } });
      for (const page of site.pages.values()) page.hidden = false;
      site.trouble.circles = true;
      site.trouble.maxLimit = 10;
      expect(await refresh()).toBe("failed");
    });
  });
}
