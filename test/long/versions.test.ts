import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { LecternProcess } from "../support/lectern-process.ts";
import { startServers } from "../e2e/setup.ts";

const { git, server, folder, add, refresh } = await startServers();

const lectern = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");

/** A repository's files, with a unique word. */
const pages = (word: string): Record<string, string> => ({
  "README.md": `# The ${word} project\n\nWhat the ${word} project is good for, in a few words of its own.\n`,
  "docs/guide.md": `# Guide\n\nCall the ${word} like this:\n\n\`\`\`js\n${word}.call();\n\`\`\`\n`,
});
const contextOf = (libraryId: string, type = "json"): string =>
  `/v2/context?${new URLSearchParams({ libraryId, query: "call guide", type }).toString()}`;
const context = (libraryId: string, type = "json"): ReturnType<LecternProcess["call"]> =>
  server.call("GET", contextOf(libraryId, type));
/** A read without a key. */
const readAnonymously = async (
  libraryId: string,
): Promise<{ status: number; body: string; library: string | null }> => {
  const answer = await fetch(`${server.url}/api${contextOf(libraryId)}`, { redirect: "manual" });
  return { status: answer.status, body: await answer.text(), library: answer.headers.get("x-lectern-library") };
};
const search = async (libraryName: string): Promise<readonly Record<string, unknown>[]> => {
  const { body } = await server.call(
    "GET",
    `/v2/libs/search?${new URLSearchParams({ libraryName, query: "guide" }).toString()}`,
  );
  return (body as { results: Record<string, unknown>[] }).results;
};
const indexed = async (url: string, id: string, more: object = {}): Promise<Record<string, unknown>> => {
  expect(await add(url, more)).toMatchObject({ status: 200, body: { libraryName: id } });
  return server.settled(id);
};
/** Renames a repository as a host does: the old name redirects to the new one. */
const rename = async (from: string, to: string, options: object = {}): Promise<void> => {
  const repository = await git.repository(to, {}, options);
  await repository.git("fetch", "--quiet", repository.path.replace(to, from), "+refs/*:refs/*");
  git.redirect(from, to);
};
/** Refreshes a library and waits until it has its new ID. */
const refreshed = async (from: string, to: string): Promise<Record<string, unknown>> => {
  await refresh(from);
  const status = async () => (await server.call("GET", `/v2/libs/status?libraryId=${to}`)).status;
  await expect.poll(status).toBe(200);
  return server.settled(to);
};

describe("a requested version", () => {
  it("may be a range, a loose form or latest: the newest match, indexed on demand, named in the answer", async () => {
    const repository = await git.repository("semver/tool.git", pages("zero"));
    for (const version of ["v3.9.0", "v4.0.0", "v4.9.0", "v4.10.0", "v5.0.0-rc.1", "other@9.0.0"]) {
      await repository.commit(pages(`word${version.replace(/\W/g, "")}`));
      await repository.tag(version);
    }
    await repository.commit(pages("head"));
    await indexed(repository.url, "/semver/tool");

    for (const wanted of ["^4", "latest", "3"])
      expect(await readAnonymously(`/semver/tool@${wanted}`)).toMatchObject({ status: 404 });
    expect(await context("/semver/tool@^4")).toMatchObject({ status: 202, body: { error: "library_not_finalized" } });
    await server.settled("/semver/tool@v4.10.0");
    for (const wanted of ["^4", "4", "4.x", "~4.10", ">=3 <5", "v4", "4.10.0", "latest", "stable", "tool@4.10.0"]) {
      const { status, body, library } = await readAnonymously(`/semver/tool@${wanted}`);
      expect([wanted, status, library]).toEqual([wanted, 200, "/semver/tool@v4.10.0"]);
      expect(body, wanted).toContain("wordv4100.call();");
    }
    expect(await context("/semver/tool@~4.10")).toMatchObject({ status: 200, body: { version: "v4.10.0" } });
    expect((await context("/semver/tool@4.10.0")).body).not.toHaveProperty("version");
    expect((await context("/semver/tool@^4", "txt")).body).toMatch(
      /^This is \/semver\/tool@v4\.10\.0, which "\^4" stands for\.\n\n### /,
    );
    expect((await context("/semver/tool@4.10.0", "txt")).body).toMatch(/^### /);
    expect((await context("/semver/tool@main")).headers.get("x-lectern-library")).toBe("/semver/tool");

    expect(await context("/semver/tool@9")).toMatchObject({
      status: 404,
      body: {
        error: "tag_not_found",
        message: expect.stringMatching(/Nearest known versions: v4\.10\.0, v4\.9\.0/) as string,
      },
    });
    expect(await context("/semver/tool@4.0")).toMatchObject({ status: 202 });
    await server.settled("/semver/tool@v4.0.0");
    expect(await context("/semver/tool@v3.9.0")).toMatchObject({ status: 202 });
    await server.settled("/semver/tool@3.9");
    expect(await server.settled("/semver/tool")).toMatchObject({ versions: ["v4.10.0", "v4.0.0", "v3.9.0"] });
    expect((await search("semver tool"))[0]).toMatchObject({ versions: ["v4.10.0", "v4.0.0", "v3.9.0"] });

    // A new release: a caller who may submit has it indexed, others still read the old one.
    await repository.tag("v4.11.0");
    await refresh("/semver/tool");
    await server.settled("/semver/tool");
    expect(await readAnonymously("/semver/tool@^4")).toMatchObject({ status: 200, library: "/semver/tool@v4.10.0" });
    expect(await context("/semver/tool@^4")).toMatchObject({ status: 202 });
    await server.settled("/semver/tool@v4.11.0");
    expect(await readAnonymously("/semver/tool@^4")).toMatchObject({ status: 200, library: "/semver/tool@v4.11.0" });
  });

  it("is skipped in a range if it could not be indexed", async () => {
    const repository = await git.repository("semver/broken.git", pages("good"));
    await repository.tag("v1.0.0");
    await repository.commit({ "README.md": null, "docs/guide.md": null, "src/a.ts": "1;\n" });
    await repository.tag("v1.1.0");
    await repository.commit(pages("better"));
    await indexed(repository.url, "/semver/broken");
    for (const version of ["v1.0.0", "v1.1.0"]) {
      expect(await context(`/semver/broken@${version}`)).toMatchObject({ status: 202 });
      await server.settled(`/semver/broken@${version}`);
    }
    expect(await context("/semver/broken@1.1.0")).toMatchObject({ status: 404, body: { error: "no_snippets_found" } });
    expect((await context("/semver/broken@^1")).headers.get("x-lectern-library")).toBe("/semver/broken@v1.0.0");
  });

  it("is the default one for latest if nothing was released", async () => {
    const repository = await git.repository("semver/none.git", pages("unreleased"));
    await indexed(repository.url, "/semver/none");
    const { status, library } = await readAnonymously("/semver/none@latest");
    expect([status, library]).toEqual([200, "/semver/none"]);
  });
});

describe("a repository that is renamed on its host", () => {
  it("becomes a 301 and keeps its versions without being read again", async () => {
    const repository = await git.repository("move/old.git", pages("moved"));
    await repository.tag("v1.0.0");
    await indexed(repository.url, "/move/old");
    await context("/move/old@v1.0.0");
    const before = (await server.settled("/move/old@v1.0.0")) as { live: { id: string } };
    const { key } = (await server.call("POST", "/v2/keys", { name: "one", scopes: ["read"], libraries: ["/move/old"] }))
      .body as { key: string };
    const limited = { Authorization: `Bearer ${key}` };

    await rename("move/old.git", "move/new.git");
    git.requests.length = 0;
    const after = await refreshed("/move/old", "/move/new");
    expect(after).toMatchObject({ source: `${git.url}/move/new.git`, runs: [{ outcome: "unchanged" }, {}] });
    // Only the look-up of refs: no commit, tree or document.
    expect(git.requests.filter(({ path }) => path.endsWith("git-upload-pack"))).toHaveLength(1);

    expect(await context("/move/old")).toMatchObject({
      status: 301,
      body: { error: "library_redirected", redirectUrl: "/move/new" },
    });
    expect(await context("/move/old@v1.0.0")).toMatchObject({ body: { redirectUrl: "/move/new@v1.0.0" } });
    expect(await context("/move/old@^1")).toMatchObject({ body: { redirectUrl: "/move/new@^1" } });
    const followed = await fetch(`${server.url}/api${contextOf("/move/old@v1.0.0")}`);
    expect(await followed.text()).toContain("moved.call();");
    expect(await server.settled("/move/new@v1.0.0")).toMatchObject({ live: { id: before.live.id } });
    expect((await search("move")).map(({ id }) => id)).toEqual(["/move/new"]);
    // Only callers who may read the new ID learn of it.
    expect(await server.call("GET", contextOf("/move/old"), undefined, limited)).toMatchObject({ status: 404 });
    expect(await server.call("GET", contextOf("/move/new"), undefined, limited)).toMatchObject({ status: 404 });

    const exported = await promisify(execFile)(process.execPath, [lectern, "export", "/move/new"], {
      env: { PATH: process.env["PATH"], DATA_DIR: folder },
    });
    expect(JSON.parse(exported.stdout.split("\n")[0] ?? "")).toMatchObject({
      library: { id: "/move/new" },
      source: { url: `${git.url}/move/new.git` },
    });

    // A refresh by the old ID still works, for CI jobs.
    expect(await refresh("/move/old")).toMatchObject({ status: 200, body: { libraryName: "/move/new" } });
    await server.settled("/move/new");
    expect(await server.call("GET", "/v2/libs/status?libraryId=/move/old")).toMatchObject({ status: 301 });
    expect((await server.call("GET", "/v2/libs?search=move/")).body).toMatchObject({
      libraries: [
        { libraryId: "/move/new", state: "finalized", redirectUrl: null },
        { libraryId: "/move/old", state: "redirected", redirectUrl: "/move/new" },
      ],
    });

    // Submitted again while the host redirects, it is a library of its own, until an administrator decides.
    await add(repository.url);
    expect(await server.settled("/move/old")).toMatchObject({
      state: "finalized",
      redirectUrl: null,
      pendingRename: { libraryId: "/move/new" },
    });
    const patch = { libraryName: "/move/old", redirect: "/move/new" };
    expect((await server.call("PATCH", "/v2/libs", patch)).status).toBe(200);
    expect(await context("/move/old")).toMatchObject({ status: 301, body: { redirectUrl: "/move/new" } });
    expect((await server.call("DELETE", "/v2/libs?libraryId=/move/old")).status).toBe(200);

    // A new repository of the old name is a separate library.
    const taken = await git.repository("move/old.git", pages("taken"));
    await indexed(taken.url, "/move/old");
    expect(JSON.stringify((await context("/move/old")).body)).toContain("taken.call();");
    expect(JSON.stringify((await context("/move/new")).body)).toContain("moved.call();");
    await refresh("/move/new");
    expect(await server.settled("/move/new")).toMatchObject({ runs: [{ outcome: "unchanged" }, {}, {}, {}] });
  });

  it("keeps a chosen ID, and its own if the new one is taken", async () => {
    const repository = await git.repository("keep/first.git", pages("first"));
    const other = await git.repository("keep/other.git", pages("other"));
    await indexed(repository.url, "/my/own", { libraryName: "/my/own" });
    await indexed(repository.url, "/keep/first");
    await indexed(other.url, "/keep/second", { libraryName: "/keep/second" });
    await rename("keep/first.git", "keep/second.git");
    for (const id of ["/my/own", "/keep/first"]) {
      await refresh(id);
      const status = await server.settled(id);
      expect(status).toMatchObject({ source: `${git.url}/keep/second.git`, redirectUrl: null });
      expect("pendingRename" in status, id).toBe(id === "/keep/first");
      expect(JSON.stringify((await context(id)).body), id).toContain("first.call();");
    }
    expect(JSON.stringify((await context("/keep/second")).body)).toContain("other.call();");
  });

  it("is still read with its token, in its teamspace, before a public library of the same ID", async () => {
    const token = "t0ken-of-the-team";
    const auth = { user: "git", password: token };
    const repository = await git.repository("team/old.git", pages("secret"), { auth });
    await indexed(repository.url, "/team/old", { gitToken: token });
    await rename("team/old.git", "team/new.git", { auth });
    expect(await refreshed("/team/old", "/team/new")).toMatchObject({
      private: true,
      runs: [{ outcome: "unchanged" }, {}],
    });
    expect((await readAnonymously("/team/new")).status).toBe(404);
    expect((await readAnonymously("/team/old")).status).toBe(404);

    const open = await git.repository("team/public.git", pages("open"));
    for (const id of ["/team/new", "/team/old"]) {
      expect(await add(open.url, { libraryName: id, private: false })).toMatchObject({ status: 200 });
      await expect.poll(async () => (await readAnonymously(id)).status).toBe(200);
      expect((await readAnonymously(id)).body).toContain("open.call();");
    }
    expect(JSON.stringify((await context("/team/new")).body)).toContain("secret.call();");
    // The redirect of the teamspace's library does not hide a public one.
    expect(JSON.stringify((await context("/team/old")).body)).toContain("open.call();");
  });
});

describe("several libraries of one repository", () => {
  it("have their own pages, IDs and titles, and are refreshed separately", async () => {
    const repository = await git.repository("mono/repo.git", {
      "packages/alpha/guide.md": "# Alpha\n\nWhat alpha does, told in words:\n\n```js\nalpha.call();\n```\n",
      "packages/beta/guide.md": "# Beta\n\nWhat beta does, told in words:\n\n```js\nbeta.call();\n```\n",
    });
    for (const name of ["alpha", "beta"]) {
      const fields = { libraryName: `/mono/${name}`, folders: [`packages/${name}`], title: `The ${name} package` };
      const status = await indexed(repository.url, `/mono/${name}`, fields);
      expect(status).toMatchObject({ title: fields.title, live: { counts: { pages: 1 } } });
      expect(await add(repository.url, fields)).toMatchObject({ status: 409, body: { error: "duplicate_repo" } });
    }
    expect(JSON.stringify((await context("/mono/alpha")).body)).not.toContain("beta.call();");
    expect((await search("beta package"))[0]).toMatchObject({ id: "/mono/beta", title: "The beta package" });

    await repository.commit({
      "packages/alpha/guide.md": "# Alpha\n\nNow in other words:\n\n```js\nalpha.call(2);\n```\n",
      "packages/beta/guide.md": "# Beta\n\nNow in other words:\n\n```js\nbeta.call(2);\n```\n",
    });
    await refresh("/mono/alpha");
    expect(await server.settled("/mono/alpha")).toMatchObject({ title: "The alpha package" });
    expect(JSON.stringify((await context("/mono/alpha")).body)).toContain("alpha.call(2);");
    expect(JSON.stringify((await context("/mono/beta")).body)).toContain("beta.call();");
  });
});

describe("PATCH /v2/libs", () => {
  it("changes title and description at once, and files from the next refresh on", async () => {
    const repository = await git.repository("patch/lib.git", {
      ...pages("patched"),
      "extra/guide.md": "# Guide\n\nCall the extra like this:\n\n```js\nextra.call();\n```\n",
    });
    const { title } = await indexed(repository.url, "/patch/lib");
    const patch = (fields: object): ReturnType<LecternProcess["call"]> =>
      server.call("PATCH", "/v2/libs", { libraryName: "/patch/lib", ...fields });
    expect(await patch({ title: "Patchwork", description: "Chosen by hand." })).toMatchObject({ status: 200 });
    expect((await search("patchwork"))[0]).toMatchObject({ id: "/patch/lib", description: "Chosen by hand." });
    expect(await patch({ folders: ["docs"] })).toMatchObject({ body: { message: /next refresh/ } });
    expect(JSON.stringify((await context("/patch/lib")).body)).toContain("extra.call();");
    await refresh("/patch/lib");
    expect(await server.settled("/patch/lib")).toMatchObject({
      title: "Patchwork",
      runs: [{ outcome: "published" }, {}],
      live: { counts: { pages: 2 } },
    });
    expect(await patch({ title: null, folders: [] })).toMatchObject({ status: 200 });
    expect((await search("patch"))[0]).toMatchObject({ title, description: "Chosen by hand." });

    await indexed(repository.url, "/patch/other", { libraryName: "/patch/other" });
    expect(await patch({ redirect: "/patch/other" })).toMatchObject({ status: 200 });
    expect(await context("/patch/lib@v1")).toMatchObject({ status: 301, body: { redirectUrl: "/patch/other@v1" } });
    expect((await search("patch")).map(({ id }) => id)).toEqual(["/patch/other"]);
    expect(await patch({ redirect: null })).toMatchObject({ status: 200 });
    expect(await context("/patch/lib")).toMatchObject({ status: 200 });
    expect((await search("patch")).map(({ id }) => id)).toContain("/patch/lib");
  });
});
