import { describe, expect, it } from "vitest";

import { openCredential } from "../../domain/credentials.ts";
import { codePassage } from "./samples.ts";
import { setup } from "./setup.ts";

/** A server, and functions that add and change libraries. */
async function world() {
  const all = await setup();
  const add = async (path: string, body: object) => {
    const { body: answer } = await all.send("POST", `/v2/add/${path}`, { body });
    const { libraryName, runId } = answer as { libraryName: string; runId: string };
    await all.finish(runId, [codePassage]);
    return libraryName;
  };
  const record = async (id: string) => (await all.catalog.libraries.find(["", "default"], id, ""))?.library;
  const patch = (libraryName: string, fields: object) =>
    all.send("PATCH", "/v2/libs", { body: { libraryName, ...fields } });
  const refresh = (libraryName: string, fields: object) =>
    all.send("POST", "/v1/refresh", { body: { libraryName, ...fields } });
  const credentialOf = async (id: string) => {
    const credential = await all.catalog.credentials.get((await record(id))?.credential ?? "");
    return credential && openCredential(all.options.ports.secrets, credential);
  };
  return { ...all, add, record, patch, refresh, credentialOf };
}

describe("the options of a library", () => {
  it("change for a website, but not its address and ID", async () => {
    const { add, patch, record } = await world();
    const id = await add("website", { websiteUrl: "https://docs.example.com/guide/", excludePatterns: ["/blog"] });
    const before = await record(id);
    const wanted = { maxPages: 20, includePatterns: ["/guide/**"], excludeSelectors: [".ad"] };
    expect(await patch(id, { ...wanted, websiteBaseUrl: "https://docs.example.com/guide/a" })).toMatchObject({
      status: 200,
      body: { message: expect.stringMatching(/next refresh/) as string },
    });
    const after = { ...before?.source, ...wanted, base: "https://docs.example.com/guide/a" };
    expect(await record(id)).toEqual({ ...before, source: after });
    await patch(id, { maxPages: null, excludePatterns: null, websiteBaseUrl: null });
    expect((await record(id))?.source).toEqual({ ...after, maxPages: 1000, excludePatterns: [], base: null });
  });

  it("change for an llms.txt and for a repository, including its branch", async () => {
    const { add, patch, record, catalog } = await world();
    const listed = await add("llmstxt", { llmstxtUrl: "https://docs.example.com/llms.txt" });
    await patch(listed, { otherHosts: true });
    expect((await record(listed))?.source).toMatchObject({ otherHosts: true });
    const repository = await add("repo/git", { docsRepoUrl: "https://git.example.com/acme/b", branch: "main" });
    await patch(repository, { branch: "next", skipVersionFiltering: true });
    const library = await record(repository);
    expect(library?.source).toMatchObject({ branch: "next", skipVersionFiltering: true });
    const followed = async () => (await catalog.libraries.versionsOf(library?.uid ?? ""))[0]?.ref;
    expect(await followed()).toBe("next");
    await patch(repository, { branch: null });
    expect(await followed()).toBeNull();
  });

  it.each([
    [{ folders: ["docs"] }, /folders is not an option of a website\. It has websiteBaseUrl, scope, maxPages/],
    [{ maxPages: 0 }, /maxPages must be a whole number from 1 to 50000/],
    [{ excludeSelectors: ["["] }, /excludeSelectors\[0\] is no CSS selector/],
    [{ websiteUrl: "https://docs.example.com/other/" }, /Nothing to change/],
  ])("are refused if they do not fit: %j", async (fields, message) => {
    const { add, patch, record } = await world();
    const id = await add("website", { websiteUrl: "https://docs.example.com/guide/" });
    const before = await record(id);
    expect(await patch(id, fields)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) as string },
    });
    expect(await record(id)).toEqual(before);
  });

  it("cannot extend the use of a shared credential beyond the changing key", async () => {
    const { add, send, record, addKey } = await world();
    const made = await send("POST", "/v2/credentials", {
      body: { kind: "website", name: "docs", host: "docs.example.com", data: { headers: { cookie: "a=b" } } },
    });
    const { id: credential } = made.body as { id: string };
    const id = await add("website", { websiteUrl: "https://docs.example.com/guide/", credential });
    const { key } = await addKey(["read", "submit", "admin"], { libraries: [id] });
    const patch = (fields: object) => send("PATCH", "/v2/libs", { key, body: { libraryName: id, ...fields } });
    expect(await patch({ maxPages: 30 })).toMatchObject({ status: 200 });
    expect(await patch({ scope: "hostname" })).toMatchObject({ status: 403, body: { error: "access_denied" } });
    expect((await record(id))?.source).toMatchObject({ maxPages: 30, scope: "subpages" });
  });
});

describe("a refresh with a secret", () => {
  it("gives a website other headers", async () => {
    const { add, refresh, credentialOf } = await world();
    const id = await add("website", { websiteUrl: "https://docs.example.com/guide/", headers: { Cookie: "old=1" } });
    expect(await refresh(id, { headers: { Cookie: "new=1" } })).toMatchObject({ status: 200 });
    expect(await credentialOf(id)).toEqual({ headers: { cookie: "new=1" } });
  });

  it.each([
    ["website", { websiteUrl: "https://d.example/" }, { gitToken: "t" }, /gitToken .*website.* takes headers/],
    [
      "repo/git",
      { docsRepoUrl: "https://d.example/a/b" },
      { headers: { a: "b" } },
      /headers .*Git repository.* takes gitToken/,
    ],
    ["llmstxt", { llmstxtUrl: "https://d.example/llms.txt" }, { headers: { a: "b" } }, /takes no credential.*headers/],
    [
      "website",
      { websiteUrl: "https://d.example/" },
      { headers: { a: "b" }, credential: "c" },
      /headers or credential/,
    ],
    ["website", { websiteUrl: "https://d.example/" }, { headers: { "a b": "b" } }, /headers must have names/],
  ])("is refused for %s %j with %j", async (path, body, secret, message) => {
    const { add, refresh, credentialOf } = await world();
    const id = await add(path, body);
    expect(await refresh(id, secret)).toMatchObject({
      status: 400,
      body: { error: "validation_error", message: expect.stringMatching(message) as string },
    });
    expect(await credentialOf(id)).toBeUndefined();
  });
});
