import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { code, files, manyPages, startServers } from "./setup.ts";

const servers = await startServers(() => ({ MAX_PAGE_BYTES: "1MB" }));
const { git, server, folder, add, refresh, remove, context, codeOf, outcomes, linesOf } = servers;

describe("a submitted repository", () => {
  it("answers with its ID at once, then 202, then its code to the byte with commit and lines", async () => {
    const repository = await git.repository("acme/first.git", files);
    const gate = git.hold("acme/first.git");
    const submitted = await add(repository.url);
    expect(submitted).toMatchObject({ status: 200, body: { libraryName: "/acme/first", version: "" } });
    await gate.reached;
    expect(await context("/acme/first")).toMatchObject({
      status: 202,
      body: { error: "library_not_finalized", codeSnippets: [], infoSnippets: [] },
    });
    expect(await add(repository.url)).toMatchObject({
      status: 409,
      body: { error: "duplicate_repo", message: expect.stringContaining("/acme/first") as string },
    });
    gate.release();
    const status = await server.settled("/acme/first");
    expect(status).toMatchObject({
      state: "finalized",
      title: "Widgets",
      live: { counts: { pages: 2, pagesFailed: 0, code: 1 } },
    });

    const commit = await repository.git("rev-parse", "main");
    const answer = await codeOf("/acme/first");
    expect(answer).toMatchObject({
      status: 200,
      body: {
        codeSnippets: [
          {
            codeTitle: expect.any(String) as string,
            codeLanguage: "typescript",
            codeId: expect.stringContaining(`/acme/first/blob/${commit}/docs/guide.md#L7-L11`) as string,
            codeList: [{ language: "typescript", code }],
          },
        ],
      },
    });
    expect(await add(repository.url)).toMatchObject({ status: 409 });
  });

  it("shows every page's outcome", async () => {
    const repository = await git.repository("acme/outcomes.git", {
      "README.md": "# Good\n\nSome words that are worth serving to people.\n",
      "docs/big.md": `# Big\n\n${"x ".repeat(600_000)}`,
      "docs/empty.md": "",
      "docs/broken.md": Buffer.concat([
        Buffer.from(
          "# Broken\n\nWords that can be read \xff well enough by people.\n\n```js\nfine();\n```\n",
          "latin1",
        ),
      ]),
      "docs/binary.md": Buffer.from([0, 1, 2, 3, 0, 255, 254]),
      "docs/lfs.md":
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n",
      "docs/link.md": { symlink: "../../../etc/passwd" },
    });
    await add(repository.url);
    await server.settled("/acme/outcomes");
    const { body } = await server.call("GET", "/v2/libs/status/pages?libraryId=/acme/outcomes");
    const pages = (body as { pages: { path: string; outcome: string; code?: string }[] }).pages;
    expect(Object.fromEntries(pages.map(({ path, outcome, code: reason }) => [path, reason ?? outcome]))).toEqual({
      "README.md": "indexed",
      "docs/big.md": "too_large",
      "docs/binary.md": "not_text",
      "docs/broken.md": "indexed",
      "docs/empty.md": "empty",
      "docs/lfs.md": "lfs_pointer",
      "docs/link.md": "symlink",
    });
  });

  it("notes which files are not read, also after a refresh", async () => {
    const manuals = Object.fromEntries(
      Array.from({ length: 7 }, (_, index) => [`docs/${index}.textile`, `Text ${index}`]),
    );
    const repository = await git.repository("acme/manuals.git", { ...files, ...manuals, "docs/old/a.md": "# Old" });
    await add(repository.url);
    const notes = [
      "Most of this documentation is in formats that Lectern does not read: 7 .textile files (Textile). Only 2 documents are read.",
      "1 document is left out as archived, deprecated or outdated by its folder.",
    ];
    expect(await server.settled("/acme/manuals")).toMatchObject({ state: "finalized", notes });
    await repository.commit({ "docs/new.md": "# New\n\nAnother page:\n\n```js\nbeta(3);\n```\n" });
    await refresh("/acme/manuals");
    expect((await outcomes("/acme/manuals"))[0]).toBe("published");
    expect(await server.settled("/acme/manuals")).toMatchObject({
      notes: [expect.stringContaining("Only 3 documents are read."), notes[1]],
    });
  });

  it("is partly read where most of it is in formats that are not, and its status says what to do", async () => {
    const manuals = Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`docs/${index}.textile`, "Text"]));
    const project = '[project]\nname = "gears"\n';
    const repository = await git.repository("acme/partial.git", { ...files, ...manuals, "pyproject.toml": project });
    await add(repository.url);
    expect(await server.settled("/acme/partial")).toMatchObject({
      live: { counts: { isPartial: true } },
      unread: {
        formats: "4 .textile files (Textile)",
        advice:
          "If this documentation has a website, add that: lectern add <address>. Or its package: lectern add pypi:gears",
      },
    });
    const listed = async () =>
      (
        (await server.call("GET", "/v2/libs?state=partial")).body as { libraries: { libraryId: string }[] }
      ).libraries.filter(({ libraryId }) => libraryId === "/acme/partial");
    expect(await listed()).toMatchObject([{ troubles: ["partial"] }]);
    await repository.commit({ ...manyPages(6, "alpha") });
    await refresh("/acme/partial");
    const after = await server.settled("/acme/partial");
    expect(after).toMatchObject({ unread: { formats: "4 .textile files (Textile)" } });
    expect(after).not.toHaveProperty("live.counts.isPartial");
    expect(await listed()).toEqual([]);
  });

  it("fails with a message about unread formats if there is nothing else", async () => {
    const repository = await git.repository("acme/textile.git", { "docs/a.textile": "a", "docs/b.textile": "b" });
    await add(repository.url);
    expect(await server.settled("/acme/textile")).toMatchObject({
      state: "error",
      runs: [{ failure: { message: expect.stringContaining("2 .textile files (Textile)") as string } }],
      notes: [expect.stringContaining("2 .textile files (Textile). Nothing else was found.")],
    });
  });

  it("costs one look-up of its refs if nothing changed, and publishes changes", async () => {
    const repository = await git.repository("acme/changing.git", { ...files, ...manyPages(30, "alpha") });
    await add(repository.url);
    await server.settled("/acme/changing");

    git.requests.length = 0;
    await refresh("/acme/changing");
    expect((await outcomes("/acme/changing"))[0]).toBe("unchanged");
    // Capabilities and refs only; no commit, tree or document.
    expect(git.requests.map(({ method }) => method)).toEqual(["GET", "POST"]);

    await repository.commit({ "src/index.ts": "export const widget = 2;\n" });
    await refresh("/acme/changing");
    expect((await outcomes("/acme/changing"))[0]).toBe("unchanged");

    await repository.commit({ "docs/p3.md": "# Page 3\n\nNow something quite different:\n\n```js\nbeta(3);\n```\n" });
    await refresh("/acme/changing");
    expect((await outcomes("/acme/changing"))[0]).toBe("published");
    const { body } = await context("/acme/changing", "something quite different");
    expect(JSON.stringify(body)).toContain("beta(3);");
  });

  it("is indexed again if a part of it is missing, though nothing changed", async () => {
    const repository = await git.repository("acme/damaged.git", { ...files, ...manyPages(30, "theta") });
    await add(repository.url);
    const { live } = (await server.settled("/acme/damaged")) as { live: { id: string } };
    const lines = await linesOf("/acme/damaged");
    const stored = join(folder, "blobs", "generations", live.id);
    for (const name of await readdir(stored)) if (name.startsWith("snippets-")) await rm(join(stored, name));
    await refresh("/acme/damaged");
    expect((await outcomes("/acme/damaged"))[0]).toBe("published");
    expect(await linesOf("/acme/damaged")).toEqual(lines);
    expect((await context("/acme/damaged", "the theta of page 7")).status).toBe(200);
    await refresh("/acme/damaged");
    expect((await outcomes("/acme/damaged"))[0]).toBe("unchanged");
  });

  it("has the same passages after a refresh as when read from scratch", async () => {
    const pages: Record<string, string> = {
      ...files,
      ...manyPages(30, "zeta"),
      "docs/same.md": "# Page 3\n\nThe zeta of page 3:\n\n```js\nzeta(3);\n```\n",
    };
    const repository = await git.repository("acme/incremental.git", pages);
    await add(repository.url);
    await server.settled("/acme/incremental");
    // Deletes a page that has a duplicate, changes one, adds one, and moves one.
    await repository.commit({
      "docs/p3.md": null,
      "docs/p4.md": "# Page 4\n\nOther words than before:\n\n```\neta\n```\n",
      "docs/a0.md": "# New\n\nA page that is new here.\n",
      "docs/p5.md": null,
      "docs/q5.md": pages["docs/p5.md"] ?? null,
    });
    await refresh("/acme/incremental");
    await add(repository.url, { libraryName: "/acme/scratch" });
    const [refreshed, scratch] = await Promise.all(["/acme/incremental", "/acme/scratch"].map(linesOf));
    expect((await outcomes("/acme/incremental"))[0]).toBe("published");
    expect(refreshed).toEqual(scratch);
  });

  it("indexes a tag on demand for a key that may submit, and names the nearest for others", async () => {
    const repository = await git.repository("acme/tagged.git", files);
    await repository.tag("v1.0.0", { annotated: true });
    await repository.commit({ "docs/guide.md": "# Guide\n\nOnly prose now, and nothing else in this guide.\n" });
    await add(repository.url);
    await server.settled("/acme/tagged");
    expect(await context("/acme/tagged@v9")).toMatchObject({
      status: 404,
      body: { error: "tag_not_found", message: expect.stringContaining("v1.0.0") as string },
    });
    const reader = await fetch(`${server.url}/api/v2/context?libraryId=/acme/tagged@v1.0.0&query=x&type=json`);
    expect(reader.status).toBe(404);
    expect(await reader.json()).toMatchObject({
      error: "tag_not_found",
      message: expect.stringContaining("submit") as string,
    });
    expect(await context("/acme/tagged@1.0.0")).toMatchObject({ status: 202 });
    await server.settled("/acme/tagged@v1.0.0");
    for (const id of ["/acme/tagged@v1.0.0", "/acme/tagged/v1.0.0", "/acme/tagged@1.0.0"]) {
      expect(await codeOf(id), id).toMatchObject({ status: 200, body: { codeSnippets: [{ codeList: [{ code }] }] } });
    }
    expect(await codeOf("/acme/tagged")).toMatchObject({ status: 200, body: { codeSnippets: [] } });
    expect(await refresh("/acme/tagged", { branch: "nope" })).toMatchObject({
      status: 404,
      body: { error: "branch_not_found" },
    });
  });

  it("is read with a token, which is in no log, and belongs to its teamspace", async () => {
    const token = "s3cr3t-t0ken-of-acme";
    const repository = await git.repository("acme/private.git", files, { auth: { user: "git", password: token } });
    await add(repository.url, { libraryName: "/acme/refused" });
    await server.settled("/acme/refused");
    expect(await context("/acme/refused")).toMatchObject({
      status: 422,
      body: { error: "source_refused", message: expect.stringContaining("gitToken") as string },
    });

    expect(await add(repository.url, { gitToken: token })).toMatchObject({ status: 200 });
    expect(await server.settled("/acme/private")).toMatchObject({ state: "finalized", private: true });
    expect(await context("/acme/private")).toMatchObject({ status: 200 });
    const anonymous = await fetch(`${server.url}/api/v2/context?libraryId=/acme/private&query=x`);
    expect(anonymous.status).toBe(404);
    expect(server.stderr() + server.stdout()).not.toContain(token);
  });

  it("shares a credential with another library, and keeps it after that one is deleted", async () => {
    const token = "t0ken-that-is-shared";
    const [one, other] = await Promise.all(
      ["one", "other"].map((name) =>
        git.repository(`shared/${name}.git`, files, { auth: { user: "git", password: token } }),
      ),
    );
    const make = async (name: string, data: object) => {
      const body = { kind: "git", name, host: one?.url, data };
      return ((await server.call("POST", "/v2/credentials", body)).body as { id: string }).id;
    };
    const test = async (id: string, address: string) =>
      (await server.call("POST", `/v2/credentials/${id}/test`, { address })).body;
    const [right, wrong] = [await make("right", { token }), await make("wrong", { token: "a-wrong-t0ken" })];
    expect(await test(right, one?.url ?? "")).toMatchObject({ ok: true, error: null });
    expect(await test(right, `${one?.url ?? ""}-missing`)).toMatchObject({ ok: false, error: "source_not_found" });
    const refused = await test(wrong, one?.url ?? "");
    expect(refused).toMatchObject({
      ok: false,
      error: "source_refused",
      message: expect.stringContaining("token") as string,
    });

    for (const { url } of [one, other].flatMap((repository) => repository ?? []))
      expect(await add(url, { credential: right })).toMatchObject({ status: 200 });
    for (const id of ["/shared/one", "/shared/other"])
      expect(await server.settled(id)).toMatchObject({ state: "finalized", private: true });
    expect(await server.call("DELETE", `/v2/credentials/${right}`)).toMatchObject({ status: 409 });

    await remove("/shared/one");
    await other?.commit({ "docs/more.md": "# More\n\nAnother page:\n\n```js\nmore(1);\n```\n" });
    await refresh("/shared/other");
    expect((await outcomes("/shared/other"))[0]).toBe("published");
    await refresh("/shared/other", { credential: wrong });
    expect((await outcomes("/shared/other"))[0]).toBe("failed");
    await remove("/shared/other");
    for (const id of [right, wrong])
      expect(await server.call("DELETE", `/v2/credentials/${id}`)).toMatchObject({ status: 200 });
    const output = server.stderr() + server.stdout() + JSON.stringify(refused);
    for (const secret of [token, "a-wrong-t0ken", Buffer.from(`git:${token}`).toString("base64")])
      expect(output).not.toContain(secret);
  });
});
