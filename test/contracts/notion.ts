import { describe, expect, it } from "vitest";
import type { LecternProcess } from "../support/lectern-process.ts";
import { bare, textOf } from "../support/notion-pages.ts";
import type { NotionServer } from "../support/notion-server.ts";
import { refreshedRun } from "../support/refreshing.ts";

/** A server that asks a workspace of Notion, and that workspace. */
export interface NotionRig {
  readonly server: Pick<LecternProcess, "call" | "settled" | "url">;
  readonly notion: NotionServer;
}

/** Pages of Notion as a source, from the credential to its end, over HTTP. `open` gives a server whose `NOTION_API_URL` is the workspace's. */
export function describeNotion(engine: string, open: () => Promise<NotionRig>): void {
  describe(`pages of Notion on ${engine}`, () => {
    it("are submitted with the teamspace's credential, answered from, edited, moved, deleted, and kept where that fails", async () => {
      const { server, notion } = await open();
      const { workspaceId } = notion;
      const [token = ""] = notion.tokens;
      const root = notion.addPage({ title: "Handbook", blocks: textOf("Handbook") });
      const alpha = notion.addPage({ title: "Alpha", parent: { page: root }, blocks: textOf("Alpha") });
      const beta = notion.addPage({ title: "Beta", parent: { page: root }, blocks: textOf("Beta") });
      const other = notion.addPage({ title: "Other", blocks: textOf("Other") });
      const body = {
        workspaceId,
        workspaceName: "Acme",
        pageIds: [root],
        title: "Team handbook",
        description: "How we work.",
        projectId: "p1",
      };
      const libraryName = "/notion/team-handbook";

      const without = await server.call("POST", "/v2/add/notion", body);
      expect(without).toMatchObject({
        status: 403,
        body: { error: "forbidden", message: expect.stringContaining("/api/v2/credentials") as string },
      });
      const credential = { kind: "notion", name: "acme", host: "api.notion.com", tenant: workspaceId };
      const make = (secret: string) =>
        server.call("POST", "/v2/credentials", { ...credential, data: { token: secret } });
      expect(await make("ntn_of_nobody_at_all")).toMatchObject({
        body: { error: "source_refused", message: expect.stringContaining("does not accept the token") as string },
      });
      notion.capabilities.clear();
      expect(await make(token)).toMatchObject({
        body: { error: "source_refused", message: expect.stringContaining('"Read content"') as string },
      });
      notion.capabilities.add("read");
      expect(await make(token)).toMatchObject({ status: 200 });

      expect(await server.call("POST", "/v2/add/notion", { ...body, private: false })).toMatchObject({ status: 400 });
      const address = `https://app.notion.com/p/Handbook-${bare(root)}?v=1`;
      const preview = await server.call("POST", "/v2/preview", {
        workspaceId,
        pageUrls: [address],
        title: "Team handbook",
      });
      expect(preview).toMatchObject({ status: 200, body: { libraryName, total: 3 } });
      expect(JSON.stringify(preview.body)).toContain("alpha();");

      expect(await server.call("POST", "/v2/add/notion", body)).toMatchObject({ status: 200, body: { libraryName } });
      expect(await server.settled(libraryName)).toMatchObject({
        state: "finalized",
        title: "Team handbook",
        live: { counts: { pages: 3 } },
      });
      const ask = async (query: string) => {
        const asked = `/v2/context?${new URLSearchParams({ libraryId: libraryName, query }).toString()}`;
        return JSON.stringify((await server.call("GET", asked)).body);
      };
      expect(await ask("alpha")).toContain(`https://www.notion.so/${bare(alpha)}`);
      // The library is private.
      const foreign = await fetch(`${server.url}/api/v2/context?libraryId=${libraryName}&query=alpha`);
      expect(foreign.status).toBe(404);

      const refresh = async (): Promise<Record<string, unknown> | undefined> => {
        notion.requests.length = 0;
        return refreshedRun(server, libraryName);
      };
      expect(await refresh()).toMatchObject({ outcome: "unchanged" });
      // The token's workspace, the named page, and the list of all that is shared.
      expect(notion.requests.map(({ path }) => path)).toEqual([
        "/v1/users/me",
        `/v1/pages/${bare(root)}`,
        "/v1/search",
      ]);

      notion.write(alpha, textOf("Alpha", "edited();"));
      notion.edit(beta, { isTrashed: true });
      expect(await refresh()).toMatchObject({ outcome: "published" });
      expect(await ask("alpha")).toContain("edited();");
      expect(await ask("beta")).not.toContain("beta();");
      notion.move(alpha, other);
      expect(await refresh()).toMatchObject({ outcome: expect.stringMatching(/published|held/) as string });

      notion.tokens.clear();
      const refused = await refresh();
      expect(refused).toMatchObject({ outcome: "failed" });
      const status = JSON.stringify(await server.settled(libraryName));
      expect(status).toMatch(/does not accept the token.*credential \\"acme\\"/);
      expect(await ask("handbook")).toContain("handbook();");
      expect(status).not.toContain(token);

      notion.tokens.add("ntn_another_secret_of_acme");
      const renewed = await server.call("POST", "/v1/refresh", {
        libraryName,
        notionToken: "ntn_another_secret_of_acme",
      });
      expect(renewed).toMatchObject({ status: 200 });
      const { runs } = (await server.settled(libraryName)) as { runs: { outcome: string }[] };
      expect(runs[0]?.outcome).not.toBe("failed");
      notion.tokens.add(token);
      expect(await server.call("DELETE", `/v2/libs?libraryId=${encodeURIComponent(libraryName)}`)).toMatchObject({
        status: 200,
      });
    });

    it("are held if most of them are gone at once", async () => {
      const { server, notion } = await open();
      const [notionToken = ""] = notion.tokens;
      const root = notion.addPage({ title: "Start", blocks: textOf("Start") });
      const pages = Array.from({ length: 24 }, (_, at) =>
        notion.addPage({ title: `Page${at}`, parent: { page: root }, blocks: textOf(`Page${at}`) }),
      );
      const body = { pageUrls: [`https://www.notion.so/${bare(root)}`], title: "Guarded", notionToken };
      const { body: added } = await server.call("POST", "/v2/add/notion", body);
      expect(added).toMatchObject({ libraryName: "/notion/guarded" });
      expect(await server.settled("/notion/guarded")).toMatchObject({ live: { counts: { pages: 25 } } });
      for (const page of pages) notion.edit(page, { isShared: false });
      await server.call("POST", "/v1/refresh", { libraryName: "/notion/guarded" });
      const notes = expect.arrayContaining([expect.stringMatching(/is not read\. Notion has no page/)]) as unknown;
      expect(await server.settled("/notion/guarded")).toMatchObject({
        runs: [{ outcome: "held" }, {}],
        held: { notes },
        notes: [],
      });
    });
  });
}
