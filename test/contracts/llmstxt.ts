import { describe, expect, it, onTestFinished } from "vitest";
import type { LecternProcess } from "../support/lectern-process.ts";
import { page } from "../sources/llmstxt-setup.ts";
import { refreshedRun } from "../support/refreshing.ts";
import { startSite } from "../support/site.ts";

/** The calls that a test makes to a running Lectern. */
export type Caller = Pick<LecternProcess, "call" | "settled">;

/** An llms.txt as a source, from its submission to its refreshes, over HTTP. `open` gives a server that may fetch from loopback. */
export function describeLlmsTxt(engine: string, open: () => Promise<Caller>): void {
  describe(`an llms.txt on ${engine}`, () => {
    it("is submitted, answered from, refreshed by validators, and fails with a reason", async () => {
      const server = await open();
      const site = await startSite(
        {
          "/docs/llms.txt": "# Anvils\n\n> All about anvils.\n\n- [A](/docs/alpha)\n- [B](/docs/beta.md)\n",
          "/docs/alpha": `<!doctype html><html><body>Loading</body></html>`,
          "/docs/alpha.md": page("Alpha"),
          "/docs/beta.md": page("Beta"),
        },
        { etags: true },
      );
      onTestFinished(() => site.close());
      const llmstxtUrl = `${site.origin}/docs/llms.txt`;
      const libraryName = `/llmstxt/anvils-${site.host.split(":")[1] ?? ""}`;
      const submitted = await server.call("POST", "/v2/add/llmstxt", { llmstxtUrl, libraryName });
      expect(submitted).toMatchObject({ status: 200, body: { libraryName } });
      expect(await server.call("POST", "/v2/add/llmstxt", { llmstxtUrl, libraryName })).toMatchObject({
        status: 409,
        body: { error: "duplicate_library" },
      });
      expect(await server.settled(libraryName)).toMatchObject({
        state: "finalized",
        title: "Anvils",
        live: { revision: expect.stringMatching(/^sha256-/) as unknown, counts: { pages: 2, code: 2 } },
      });
      const context = `/v2/context?libraryId=${encodeURIComponent(libraryName)}&query=alpha`;
      expect(await server.call("GET", `${context}&type=json&kind=code`)).toMatchObject({
        status: 200,
        body: {
          codeSnippets: expect.arrayContaining([
            expect.objectContaining({
              codeId: `${site.origin}/docs/alpha`,
              codeList: [{ language: "javascript", code: "alpha();" }],
            }),
          ]) as unknown,
        },
      });

      const refresh = async (): Promise<unknown> => {
        site.requests.length = 0;
        return (await refreshedRun(server, libraryName))?.["outcome"];
      };
      expect(await refresh()).toBe("unchanged");
      expect(site.requests.filter(({ path }) => path.endsWith(".md")).map(({ status }) => status)).toEqual([304, 304]);
      site.pages.set("/docs/beta.md", page("Gamma"));
      expect(await refresh()).toBe("published");
      expect(await server.call("GET", `${context.replace("alpha", "gamma")}`)).toMatchObject({
        status: 200,
        body: expect.stringContaining("gamma();") as unknown,
      });
      site.pages.delete("/docs/llms.txt");
      expect(await refresh()).toBe("failed");
      expect(await server.settled(libraryName)).toMatchObject({
        state: "finalized",
        runs: [
          { failure: { error: "source_not_found", message: expect.stringContaining(llmstxtUrl) as unknown } },
          {},
          {},
          {},
        ],
      });
      expect(await server.call("GET", context)).toMatchObject({ status: 200 });
    });

    it.each([
      ["ftp://acme.dev/llms.txt", "must be an absolute URL"],
      ["https://u:p@acme.dev/llms.txt", "must not contain credentials"],
      ["https://acme.dev/docs", "must end in llms.txt"],
      ["http://10.0.0.1/llms.txt", "private or reserved address"],
      ["llms.txt", "must be an absolute URL"],
    ])("refuses %s", async (llmstxtUrl, problem) => {
      const { call } = await open();
      const { status, body } = await call("POST", "/v2/add/llmstxt", { llmstxtUrl });
      expect({ status, body }).toMatchObject({
        status: expect.toSatisfy((code: number) => code >= 400 && code < 500) as unknown,
        body: { message: expect.stringContaining(problem) as unknown },
      });
    });

    it("that is HTML ends as a failed run, and readers get the reason", async () => {
      const server = await open();
      const site = await startSite({ "/llms.txt": "<!doctype html><html></html>" });
      onTestFinished(() => site.close());
      const libraryName = `/llmstxt/html-${site.host.split(":")[1] ?? ""}`;
      await server.call("POST", "/v2/add/llmstxt", { llmstxtUrl: `${site.origin}/llms.txt`, libraryName });
      expect(await server.settled(libraryName)).toMatchObject({ state: "error" });
      expect(
        await server.call("GET", `/v2/context?libraryId=${encodeURIComponent(libraryName)}&query=a`),
      ).toMatchObject({
        status: 422,
        body: { error: "source_invalid", message: expect.stringContaining("HTML") as unknown },
      });
    });
  });
}
