import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "../../api/app.ts";
import { rankLibraries } from "../../search/ranking/libraries.ts";
import { createSqliteLibraryIndex } from "../../search/sqlite/library-index.ts";
import { folderOfTest } from "../support/of-test.ts";
import { codePassage } from "./samples.ts";
import { getRequest, setup } from "./setup.ts";

/** Libraries inside and outside of a key's patterns. */
async function world() {
  const own = await setup();
  for (const name of ["a/two", "a/one", "acme/secret", "b/other", "zeta/last"])
    await own.finish(await own.submit(`/${name}`), [codePassage]);
  const { key } = await own.addKey(["admin"], { libraries: ["/a/*"] });
  const { key: free } = await own.addKey(["admin"]);
  return { ...own, as: key, free };
}

describe("libraries outside of a key's patterns are hidden", () => {
  it("in lists: items, counts and cursors", async () => {
    const { send, as, free } = await world();
    expect((await send("GET", "/v2/libs?limit=2", { key: as })).body).toMatchObject({
      libraries: [{ libraryId: "/a/one" }, { libraryId: "/a/two" }],
      total: 2,
      next: null,
    });
    const { body } = await send("GET", "/v2/libs?limit=1", { key: as });
    const { next } = body as { next: string };
    expect(Buffer.from(next, "base64url").toString()).not.toContain("secret");
    expect((await send("GET", `/v2/libs?limit=1&cursor=${next}`, { key: as })).body).toMatchObject({
      libraries: [{ libraryId: "/a/two" }],
      next: null,
    });
    expect((await send("GET", "/v2/libs?search=secret", { key: as })).body).toMatchObject({ libraries: [], total: 0 });
    expect((await send("GET", "/v2/libs?limit=2", { key: free })).body).toMatchObject({ total: 5 });
  });

  it("in reads and changes, with the message for a library that does not exist", async () => {
    const { send, as } = await world();
    const messages = await Promise.all(
      ["/acme/secret", "/acme/nothere"].map(async (id) => {
        const texts: unknown[] = [];
        for (const [method, target, body] of [
          ["GET", `/v2/context?libraryId=${id}&query=x`],
          ["GET", `/v2/context?libraryId=${id}/v9&query=x`],
          ["GET", `/v2/libs/status?libraryId=${id}`],
          ["GET", `/v2/libs/status/pages?libraryId=${id}`],
          ["POST", "/v1/refresh", { libraryName: id }],
          ["POST", "/v2/libs/cancel", { libraryName: id }],
          ["POST", "/v2/libs/rollback", { libraryName: id }],
          ["PATCH", "/v2/libs", { libraryName: id, title: "x" }],
          ["DELETE", `/v2/libs?libraryId=${id}`],
        ] as const) {
          const { status, body: answer } = await send(method, target, { key: as, ...(body && { body }) });
          texts.push([status, JSON.stringify(answer).replaceAll(id, "ID")]);
        }
        return texts;
      }),
    );
    expect(messages[0]).toEqual(messages[1]);
    for (const answer of messages[0] ?? [])
      expect(answer).toMatchObject([404, expect.stringContaining("library_not_found")]);
  });

  it("behind redirects: only callers who may read the new ID get it", async () => {
    const { send, as, free } = await world();
    const redirect = { libraryName: "/a/one", redirect: "/acme/secret" };
    expect((await send("PATCH", "/v2/libs", { key: free, body: redirect })).status).toBe(200);
    for (const [method, target, body] of [
      ["GET", "/v2/context?libraryId=/a/one&query=x"],
      ["POST", "/v1/refresh", { libraryName: "/a/one" }],
    ] as const) {
      const answer = await send(method, target, { key: as, ...(body && { body }) });
      expect(answer).toMatchObject({ status: 404, body: { error: "library_not_found" } });
      expect(JSON.stringify(answer)).not.toContain("secret");
    }
    const resubmission = { docsRepoUrl: "https://git.example.com/a/one" };
    for (const [method, target, body] of [
      ["GET", "/v2/libs"],
      ["GET", "/v2/libs/status?libraryId=/a/one"],
      ["POST", "/v2/add/repo/git", resubmission],
      ["PATCH", "/v2/libs", { libraryName: "/a/one", redirect: "/acme/secret" }],
    ] as const) {
      const { body: answer } = await send(method, target, { key: as, ...(body && { body }) });
      if (method !== "PATCH") expect(JSON.stringify(answer)).not.toContain("secret");
      else expect(answer).toMatchObject({ error: "library_not_found" });
    }
    expect((await send("GET", "/v2/context?libraryId=/a/one&query=x", { key: free })).body).toMatchObject({
      redirectUrl: "/acme/secret",
    });
  });

  it("in searches: a hidden library does not change the results", async () => {
    const libraries = createSqliteLibraryIndex({ file: join(await folderOfTest(), "libraries.sqlite") });
    onTestFinished(() => libraries.close());
    const own = await setup();
    const entries = own.options.ports.libraries;
    const ports = {
      ...own.options.ports,
      libraries,
      ranker: { ...own.options.ports.ranker, rankLibraries },
    };
    const app = createApp({ ...own.options, ports });
    for (const name of ["a/widgets", "acme/widgetz", "b/other"])
      await own.finish(await own.submit(`/${name}`), [codePassage]);
    const hidden = ["acme/widgetz"];
    const put = async (names: readonly string[]) => {
      for (const uid of await entries.uids()) {
        const [entry] = await entries.entries([uid]);
        if (!entry) continue;
        if (names.includes(entry.id.slice(1))) await libraries.put(entry);
        else await libraries.remove(uid);
      }
    };
    const { key } = await own.addKey(["read"], { libraries: ["/a/*"] });
    const search = async () => {
      const { body } = await app(
        getRequest("/api/v2/libs/search?libraryName=widgetz&query=how", { authorization: `Bearer ${key}` }),
      );
      return body as { results: { id: string }[]; searchFilterApplied: boolean };
    };
    await put(["a/widgets", "b/other"]);
    const without = await search();
    await put(["a/widgets", "b/other", ...hidden]);
    expect(await search()).toEqual(without);
    expect(without.results.map(({ id }) => id)).toEqual(["/a/widgets"]);
  });
});
