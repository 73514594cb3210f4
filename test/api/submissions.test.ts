import { describe, expect, it } from "vitest";

import { openCredential } from "../../domain/credentials.ts";
import { codePassage } from "./samples.ts";
import { setup } from "./setup.ts";

async function world() {
  const all = await setup();
  const add = (host: string, body: object, request = {}) =>
    all.send("POST", `/v2/add/repo/${host}`, { body, ...request });
  const libraryOf = async (runId: string) => {
    const run = await all.catalog.runs.get(runId);
    return all.catalog.libraries.get(run?.libraryUid ?? "");
  };
  return { ...all, add, libraryOf };
}

describe("adding a repository", () => {
  it("answers 200 with the ID, and starts one run", async () => {
    const { add, engine } = await world();
    const { status, body } = await add("github", { docsRepoUrl: "https://github.com/acme/Widgets.js.git/" });
    expect(status).toBe(200);
    expect(body).toMatchInlineSnapshot(`
      {
        "libraryName": "/acme/Widgets.js",
        "message": "/acme/Widgets.js was submitted and is being indexed.",
        "runId": "id-000003",
        "statusUrl": "/api/v2/libs/status?libraryId=%2Facme%2FWidgets.js",
        "version": "",
      }
    `);
    expect(engine.started).toHaveLength(1);
  });

  it.each([
    ["github", "https://github.com/acme/widgets", "/acme/widgets"],
    ["github", "https://git.corp.example/acme/widgets", "/acme/widgets"],
    ["gitlab", "https://gitlab.com/group/sub/widgets.git", "/group-sub/widgets"],
    ["bitbucket", "https://bitbucket.org/acme/widgets", "/acme/widgets"],
    ["git", "https://git.example.com:8443/widgets.git?x=1#readme", "/git.example.com/widgets"],
    ["github", "https://github.com/acme/wiki", "/acme/wiki"],
    ["gitlab", "https://gitlab.com/acme/wikis", "/acme/wikis"],
    ["git", "https://git.example.com/acme/widgets/wiki", "/acme-widgets/wiki"],
    ["git", "http://127.0.0.1:8418/acme/widgets.git", "/acme/widgets"],
    ["git", "https://git.example.com/a%20b/c@d", "/a-b/c-d"],
  ])("derives the ID of %s %s", async (host, docsRepoUrl, libraryName) => {
    const { add } = await world();
    expect(await add(host, { docsRepoUrl })).toMatchObject({ status: 200, body: { libraryName } });
  });

  it.each([
    ["github", "https://gitlab.com/acme/widgets"],
    ["github", "https://github.com.evil.example/acme/widgets"],
    ["github", "https://github.com:8443/acme/widgets"],
    ["git", "https://github.com/acme/widgets/issues"],
    ["git", "https://user:secret@git.example.com/acme/widgets"],
    ["git", "https://user@git.example.com/acme/widgets"],
    ["git", "file:///etc/passwd"],
    ["git", "ext::sh -c id"],
    ["git", "ssh://git:secret@git.example.com/acme/widgets"],
    ["git", "ssh://-oProxyCommand=id@git.example.com/acme/widgets"],
    ["git", "ssh://-oProxyCommand=id/acme/widgets"],
    ["github", "git@gitlab.com:acme/widgets.git"],
    ["git", "--upload-pack=id"],
    ["git", "-oProxyCommand=x"],
    ["git", "not a url"],
    ["git", "git.example.com/acme/widgets"],
    ["git", "https:git.example.com/acme/widgets"],
    ["git", "https://git.example.com/acme/wid\ngets"],
    ["git", "https://git.example.com"],
    ["git", "https://git.example.com/%zz/a"],
    ["git", "https://git.example.com/docs/handbook"],
    ["git", ""],
  ])("refuses, on the route %s, %s", async (host, docsRepoUrl) => {
    const { add, engine } = await world();
    const { status, body } = await add(host, { docsRepoUrl });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: "validation_error", message: expect.stringMatching(/.\.$/) });
    expect(JSON.stringify(body)).not.toContain("secret");
    expect(engine.started).toEqual([]);
  });

  it.each([
    ["github", "https://github.com/acme/widgets/wiki", "https://github.com/acme/widgets.wiki.git", "github"],
    ["git", "https://github.com/acme/widgets/wiki/Home#top", "https://github.com/acme/widgets.wiki.git", "github"],
    ["github", "https://github.com/acme/widgets.wiki.git", "https://github.com/acme/widgets.wiki.git", "github"],
    [
      "gitlab",
      "https://lab.corp.example/acme/widgets/-/wikis/home",
      "https://lab.corp.example/acme/widgets.wiki.git",
      "gitlab",
    ],
    ["git", "https://codeberg.org/acme/widgets/wiki/Home", "https://codeberg.org/acme/widgets.wiki.git", "gitea"],
    [
      "bitbucket",
      "https://bitbucket.org/acme/widgets/wiki/Home",
      "https://bitbucket.org/acme/widgets.git/wiki",
      "bitbucket",
    ],
    [
      "bitbucket",
      "https://bitbucket.org/acme/widgets.git/wiki",
      "https://bitbucket.org/acme/widgets.git/wiki",
      "bitbucket",
    ],
  ])("accepts, on the route %s, the wiki at %s", async (route, docsRepoUrl, url, host) => {
    const { add, libraryOf } = await world();
    const { body } = await add(route, { docsRepoUrl });
    expect(body).toMatchObject({ libraryName: "/acme/widgets.wiki" });
    expect((await libraryOf((body as { runId: string }).runId))?.source).toMatchObject({ url, host });
  });

  it.each([
    ["https://gitlab.com/acme/widgets", "gitlab"],
    ["https://git.corp.example/acme/widgets", "github"],
    ["https://codeberg.org/acme/widgets", "gitea"],
    ["https://git.example.com/acme/widgets", "git"],
  ])("detects, on the route for any host, the kind of the host of %s", async (docsRepoUrl, host) => {
    const { add, libraryOf } = await world();
    const { body } = await add("git", { docsRepoUrl });
    expect((await libraryOf((body as { runId: string }).runId))?.source).toMatchObject({ host });
  });

  it("refuses an address that the server may not fetch", async () => {
    const { add } = await world();
    expect(await add("git", { docsRepoUrl: "http://10.0.0.1/acme/widgets" })).toMatchObject({
      status: 422,
      body: { error: "address_not_allowed" },
    });
  });

  it("keeps URL, branch and selection in the source spec", async () => {
    const { add, libraryOf } = await world();
    const { body } = await add("github", {
      docsRepoUrl: "https://GitHub.com/acme/widgets/#readme",
      branch: "release/2.0",
      folders: ["docs"],
      excludeFolders: ["docs/old"],
      excludeFiles: ["CHANGELOG.md"],
      openapi: true,
      skipVersionFiltering: true,
      generateDocs: false,
      unknownField: { ignored: true },
    });
    expect((await libraryOf((body as { runId: string }).runId))?.source).toEqual({
      kind: "git",
      host: "github",
      url: "https://github.com/acme/widgets",
      branch: "release/2.0",
      selection: {
        folders: ["docs"],
        excludeFolders: ["docs/old"],
        excludeFiles: ["CHANGELOG.md"],
        openapi: true,
        generateDocs: false,
      },
      skipVersionFiltering: true,
    });
  });

  it.each([
    [{ folders: Array.from({ length: 51 }, () => "a") }, "folders must have at most 50 entries."],
    [{ excludeFolders: Array.from({ length: 51 }, () => "a") }, "excludeFolders must have at most 50 entries."],
    [{ excludeFiles: Array.from({ length: 101 }, () => "a") }, "excludeFiles must have at most 100 entries."],
    [{ folders: ["x".repeat(256)] }, "folders[0] must have 1 to 255 characters."],
    [{ folders: "docs" }, "folders must be a list."],
    [{ folders: [7] }, "folders[0] must be text."],
    [{ private: "true" }, "private must be true or false."],
    [{ gitToken: "a\nb" }, "gitToken must be a token of 1 to 1000 visible ASCII characters."],
    [{ branch: "-x" }, "branch must be a valid name of a branch or tag."],
    [{ branch: "a..b" }, "branch must be a valid name of a branch or tag."],
    [{ branch: "a b" }, "branch must be a valid name of a branch or tag."],
    [{ branch: "a.lock" }, "branch must be a valid name of a branch or tag."],
    [{ branch: "x".repeat(251) }, "branch must have 1 to 250 characters."],
    [{ docsRepoUrl: undefined }, "docsRepoUrl is missing."],
    [{ docsRepoUrl: 7 }, "docsRepoUrl must be text."],
    [{ docsRepoUrl: null }, "docsRepoUrl must be text."],
  ])("refuses %j", async (fields, message) => {
    const { add } = await world();
    const answer = await add("git", { docsRepoUrl: "https://git.example.com/acme/widgets", ...fields });
    expect(answer).toMatchObject({ status: 400, body: { error: "validation_error", message } });
  });

  it("answers 409 with ID and source if it was added before", async () => {
    const { add, submit } = await world();
    await submit("/acme/widgets");
    const answer = await add("github", { docsRepoUrl: "https://github.com/ACME/widgets" });
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchInlineSnapshot(`
      {
        "error": "duplicate_repo",
        "message": "/acme/widgets was already added, from https://git.example.com/acme/widgets. Refresh it, or choose another ID.",
      }
    `);
  });

  it("accepts a failed one again, and the same source under another ID", async () => {
    const { add, submit, fail } = await world();
    await fail(await submit("/acme/widgets"), "source_not_found", "Gone.");
    const docsRepoUrl = "https://git.example.com/acme/widgets";
    expect((await add("git", { docsRepoUrl })).status).toBe(200);
    expect(await add("git", { docsRepoUrl, libraryName: "/acme/gadgets" })).toMatchObject({
      status: 200,
      body: { libraryName: "/acme/gadgets" },
    });
  });

  it("requires a libraryName in the shape of a repository's ID", async () => {
    const { add } = await world();
    const docsRepoUrl = "https://git.example.com/acme/widgets";
    for (const libraryName of ["/docs/x", "/acme/x@1", "/websites/x"]) {
      expect((await add("git", { docsRepoUrl, libraryName })).body).toMatchObject({ error: "validation_error" });
    }
    expect((await add("git", { docsRepoUrl, libraryName: "x" })).body).toMatchObject({ error: "invalid_library_id" });
  });

  it("stores a token sealed, makes the library private by default, and logs neither token nor key", async () => {
    const { add, libraryOf, catalog, logged, options } = await world();
    const docsRepoUrl = "https://git.example.com:8443/acme/widgets";
    const library = async (fields: object) => {
      const { body } = await add("git", { docsRepoUrl, gitToken: "ghp_secret", ...fields });
      return libraryOf((body as { runId: string }).runId);
    };
    const own = await library({});
    expect(own?.teamspace).toBe("default");
    expect((await library({ private: false }))?.teamspace).toBe("");
    const credential = await catalog.credentials.get(own?.credential ?? "");
    expect(credential).toMatchObject({ host: "git.example.com:8443", kind: "git", name: "" });
    expect(credential && openCredential(options.ports.secrets, credential)).toEqual({ token: "ghp_secret" });
    expect(JSON.stringify(credential)).not.toContain("ghp_secret");
    expect(logged.join("")).not.toMatch(/ghp_secret|operator-key/);
  });

  it("is 503 with Retry-After when the engine accepts no run", async () => {
    const { add, engine } = await world();
    engine.down = true;
    const answer = await add("git", { docsRepoUrl: "https://git.example.com/acme/widgets" });
    expect(answer).toMatchObject({
      status: 503,
      headers: { "Retry-After": "5" },
      body: { error: "service_unavailable" },
    });
  });
});

describe("adding a folder", () => {
  it("is for administrators, within the permitted roots, with an ID below /docs", async () => {
    const { send, addKey, libraryOf } = await world();
    const answer = await send("POST", "/v2/add/folder", { body: { path: "/srv/docs/Our Handbook" } });
    expect(answer).toMatchObject({ status: 200, body: { libraryName: "/docs/our-handbook" } });
    expect(await libraryOf((answer.body as { runId: string }).runId)).toMatchObject({
      title: "Our Handbook",
      source: { kind: "folder", path: "/srv/docs/Our Handbook" },
    });
    const { key } = await addKey(["submit"]);
    expect((await send("POST", "/v2/add/folder", { body: { path: "/srv/docs/b" }, key })).status).toBe(403);
    expect((await send("POST", "/v2/add/folder", { body: { path: "/etc" } })).body).toMatchObject({
      error: "validation_error",
    });
  });

  it("is 409 duplicate_library if it was added before", async () => {
    const { send } = await world();
    const add = (title: string) => send("POST", "/v2/add/folder", { body: { path: "/srv/docs/a", title } });
    expect((await add("One")).status).toBe(200);
    expect(await add("one")).toMatchObject({ status: 409, body: { error: "duplicate_library" } });
    expect((await add("Two")).status).toBe(200);
  });
});

describe("POST /v1/refresh", () => {
  it("starts a run, and joins an open one", async () => {
    const { send, submit, finish } = await world();
    await finish(await submit("/acme/widgets"), [codePassage]);
    const refresh = () => send("POST", "/v1/refresh", { body: { libraryName: "/Acme/Widgets" } });
    const first = await refresh();
    expect(first).toMatchObject({
      status: 200,
      body: { libraryName: "/acme/widgets", message: "Refresh of /acme/widgets was started.", joined: false },
    });
    expect((await refresh()).body).toMatchObject({ joined: true, runId: (first.body as { runId: string }).runId });
  });

  it("answers 404 for an unknown library, branch or version, and 400 for a token of a folder", async () => {
    const { send, submit, finish } = await world();
    await finish(await submit("/acme/widgets"), [codePassage]);
    const refresh = async (body: object) => (await send("POST", "/v1/refresh", { body })).body;
    expect(await refresh({ libraryName: "/acme/none" })).toMatchObject({ error: "library_not_found" });
    expect(await refresh({ libraryName: "/acme/widgets", branch: "nope" })).toMatchObject({
      error: "branch_not_found",
    });
    expect(await refresh({ libraryName: "/acme/widgets@9" })).toMatchObject({ error: "tag_not_found" });
    await send("POST", "/v2/add/folder", { body: { path: "/srv/docs/a" } });
    expect(await refresh({ libraryName: "/docs/a", gitToken: "x" })).toMatchObject({ error: "validation_error" });
    expect(await refresh({})).toMatchObject({ message: "libraryName is missing." });
  });
});
