import { createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exportGeneration } from "../../activities/transfer.ts";
import { createFolderBlobStore } from "../../blobs/folder.ts";
import { startGitServer } from "../support/git-server.ts";
import type { GitServer } from "../support/git-server.ts";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";
import type { LecternProcess } from "../support/lectern-process.ts";

let git: GitServer;
let server: LecternProcess;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** A port where nothing listens, permitted all the same. */
const deadPort = 9;

beforeAll(async () => {
  folder = await temporaryFolder();
  git = await startGitServer();
  server = await startLectern(folder.path, {
    FETCH_ALLOW: "127.0.0.1",
    MAX_PAGE_BYTES: "1MB",
    MAX_PAGES: "2000",
    GRACE_SECONDS: "0",
  });
});

afterAll(async () => {
  await server.kill("SIGTERM");
  await git.close();
  await folder[Symbol.asyncDispose]();
});

const code = 'import { widget } from "widgets";\n\nwidget("ünïcode", `template ${1}`);\t// tab';
const files = {
  "README.md": "# Widgets\n\nWidgets make gadgets spin, quickly and without noise.\n",
  "docs/guide.md": `# Guide\n\n## Make a widget\n\nImport and call it:\n\n\`\`\`ts\n${code}\n\`\`\`\n\nThat is all there is to making widgets with this library.\n`,
  "src/index.ts": "export const widget = 1;\n",
};

/** Many small pages, each with a snippet of its own. */
function manyPages(count: number, word: string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, page) => [
      `docs/p${page}.md`,
      `# Page ${page}\n\nThe ${word} of page ${page}:\n\n\`\`\`js\n${word}(${page});\n\`\`\`\n`,
    ]),
  );
}

const add = (url: string, more: object = {}): ReturnType<LecternProcess["call"]> =>
  server.call("POST", "/v2/add/repo/git", { docsRepoUrl: url, ...more });
const context = (libraryId: string, query = "make widget"): ReturnType<LecternProcess["call"]> =>
  server.call("GET", `/v2/context?${new URLSearchParams({ libraryId, query, type: "json" }).toString()}`);
const refresh = (libraryName: string, more: object = {}): ReturnType<LecternProcess["call"]> =>
  server.call("POST", "/v1/refresh", { libraryName, ...more });
const operate = (name: "cancel" | "publish" | "rollback", body: object): ReturnType<LecternProcess["call"]> =>
  server.call("POST", `/v2/libs/${name}`, body);
const remove = (libraryId: string): ReturnType<LecternProcess["call"]> =>
  server.call("DELETE", `/v2/libs?libraryId=${libraryId}`);
const outcomes = async (libraryId: string): Promise<readonly (string | null)[]> => {
  const { runs } = (await server.settled(libraryId)) as { runs: { outcome: string | null }[] };
  return runs.map(({ outcome }) => outcome);
};

/** The snippet lines of what is live. */
const linesOf = async (libraryId: string): Promise<readonly string[]> => {
  const { live } = (await server.settled(libraryId)) as { live: { id: string } };
  const blobs = createFolderBlobStore({ folder: join(folder.path, "blobs") });
  return (await Array.fromAsync(exportGeneration(blobs, live.id))).slice(1);
};

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
    const answer = await context("/acme/first");
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

  it("tells every page's outcome", async () => {
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

  it("costs one look at its refs where nothing changed, and publishes what did", async () => {
    const repository = await git.repository("acme/changing.git", { ...files, ...manyPages(30, "alpha") });
    await add(repository.url);
    await server.settled("/acme/changing");

    git.requests.length = 0;
    await refresh("/acme/changing");
    expect((await outcomes("/acme/changing"))[0]).toBe("unchanged");
    // What the server can, and its refs; no commit, tree or document is asked for.
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

  it("has after a refresh what it would have if it were read from scratch", async () => {
    const pages: Record<string, string> = {
      ...files,
      ...manyPages(30, "zeta"),
      "docs/same.md": "# Page 3\n\nThe zeta of page 3:\n\n```js\nzeta(3);\n```\n",
    };
    const repository = await git.repository("acme/incremental.git", pages);
    await add(repository.url);
    await server.settled("/acme/incremental");
    // The page that others are duplicates of goes, one changes, one comes, one moves.
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
      expect(await context(id), id).toMatchObject({ status: 200, body: { codeSnippets: [{ codeList: [{ code }] }] } });
    }
    expect(await context("/acme/tagged")).toMatchObject({ status: 200, body: { codeSnippets: [] } });
    expect(await refresh("/acme/tagged", { branch: "nope" })).toMatchObject({
      status: 404,
      body: { error: "branch_not_found" },
    });
  });

  it("is read with a token, which stands in no log, and belongs to its teamspace", async () => {
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
});

describe("a source that is not what it should be", () => {
  it.each([
    ["nothing at its address", () => `${git.url}/acme/missing.git`, 404, "source_not_found"],
    ["a host where nothing listens", () => `http://127.0.0.1:${deadPort}/acme/dead.git`, 504, "source_unreachable"],
    ["a host that does not exist", () => "https://no-such-host.invalid/acme/unknown.git", 504, "source_unreachable"],
  ])("fails with %s", async (_, url, status, error) => {
    const { body } = await add(url());
    const { libraryName } = body as { libraryName: string };
    expect(await server.settled(libraryName)).toMatchObject({ state: "error" });
    expect(await context(libraryName)).toMatchObject({ status, body: { error } });
    expect(await add(url()), "a failed one may be submitted again").toMatchObject({ status: 200 });
  });

  it("fails where a repository is empty, has no documents, or has only pages without anything", async () => {
    const empty = await git.repository("acme/empty.git", {});
    const bare = await git.repository("acme/code-only.git", { "src/a.ts": "export {};\n" });
    const blank = await git.repository("acme/blank.md.git", { "docs/a.md": "\n\n", "docs/b.md": "# Only a title\n" });
    for (const { url } of [empty, bare, blank]) await add(url);
    for (const name of ["/acme/empty", "/acme/code-only", "/acme/blank.md"]) await server.settled(name);
    expect(await context("/acme/empty")).toMatchObject({ status: 404, body: { error: "no_snippets_found" } });
    expect(await context("/acme/code-only")).toMatchObject({ status: 404, body: { error: "no_snippets_found" } });
    expect(await context("/acme/blank.md")).toMatchObject({ status: 422, body: { error: "no_code_found" } });
  });

  it("fails where a server sends garbage, and where there are more pages than allowed", async () => {
    git.answer(
      "acme/garbage.git",
      (_, response) =>
        void response
          .writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" })
          .end("\u0000\u0001garbage".repeat(1000)),
    );
    git.answer(
      "acme/page.git",
      (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>hello</html>"),
    );
    const large = await git.repository("acme/large.git", manyPages(2001, "gamma"));
    for (const url of [`${git.url}/acme/garbage.git`, `${git.url}/acme/page.git`, large.url]) await add(url);
    for (const name of ["/acme/garbage", "/acme/page", "/acme/large"]) await server.settled(name);
    expect(await context("/acme/garbage")).toMatchObject({ status: 422, body: { error: "source_invalid" } });
    expect(await context("/acme/page")).toMatchObject({ status: 422, body: { error: "source_invalid" } });
    expect(await context("/acme/large")).toMatchObject({ status: 422, body: { error: "library_too_large" } });
  });

  it("blocks no other library while a server hangs, and can be cancelled and deleted", async () => {
    const listener = createTcpServer(() => {}).listen(0, "127.0.0.1");
    await new Promise((resolve) => listener.once("listening", resolve));
    const { port } = listener.address() as AddressInfo;
    const hanging = [1, 2, 3].map((number) => `/acme/hanging-${number}`);
    for (const libraryName of hanging) await add(`http://127.0.0.1:${port}/acme/hanging.git`, { libraryName });
    const repository = await git.repository("acme/beside.git", files);
    await add(repository.url);
    expect(await server.settled("/acme/beside")).toMatchObject({ state: "finalized" });
    for (const libraryName of hanging) expect(await context(libraryName)).toMatchObject({ status: 202 });

    expect(await operate("cancel", { libraryName: hanging[0] })).toMatchObject({ status: 200 });
    await server.settled(hanging[0] ?? "");
    expect(await context(hanging[0] ?? "")).toMatchObject({ status: 422, body: { error: "run_cancelled" } });
    for (const libraryName of hanging.slice(1)) expect(await remove(libraryName)).toMatchObject({ status: 200 });
    for (const libraryName of hanging.slice(1))
      expect(await context(libraryName)).toMatchObject({ status: 404, body: { error: "library_not_found" } });
    listener.close();
  });

  it.each([
    "file:///etc/passwd",
    "ext::sh -c touch% /tmp/owned",
    "--upload-pack=touch /tmp/owned",
    "-oProxyCommand=x",
    "git@github.com:a/b.git",
    "ssh://git@example.com/a/b.git",
    "http://user:secret@example.com/a/b.git",
    "not a url",
    "",
    "https://example.com/",
    42,
    null,
  ])("is refused before anything is fetched: %j", async (docsRepoUrl) => {
    const { status, body } = await server.call("POST", "/v2/add/repo/git", { docsRepoUrl });
    expect(status).toBe(400);
    expect(body).toEqual({ error: "validation_error", message: expect.stringMatching(/\.$/) as string });
  });
});

describe("an address that is not public", () => {
  it.each([
    "http://10.0.0.1/a/b.git",
    "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:10.0.0.1]/a/b.git",
    "http://[::1]/a/b.git",
    "http://0x7f.1.2.3/a/b.git",
    "http://2130706434/a/b.git",
    "http://example.com:22/a/b.git",
  ])("is refused at once: %s", async (docsRepoUrl) => {
    const { status, body } = await server.call("POST", "/v2/add/repo/git", { docsRepoUrl });
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { error: "address_not_allowed", message: expect.stringContaining("FETCH_ALLOW") as string },
    });
  });
});

describe("operations that meet a run", () => {
  it("two refreshes join one run", async () => {
    const repository = await git.repository("race/join.git", files);
    await add(repository.url);
    await server.settled("/race/join");
    const gate = git.hold("race/join.git");
    const [one, two] = await Promise.all([refresh("/race/join"), refresh("/race/join")]);
    gate.release();
    expect((one.body as { runId: string }).runId).toBe((two.body as { runId: string }).runId);
  });

  it("a deletion wins over a refresh, and the library added again is another one", async () => {
    const repository = await git.repository("race/again.git", files);
    await add(repository.url);
    await server.settled("/race/again");
    await repository.commit({ "docs/guide.md": "# Guide\n\nWords of the second commit, to be served later on.\n" });
    const gate = git.hold("race/again.git");
    await refresh("/race/again");
    await gate.reached;
    expect(await remove("/race/again")).toMatchObject({ status: 200 });
    expect(await context("/race/again")).toMatchObject({ status: 404 });
    expect(await add(repository.url)).toMatchObject({ status: 200 });
    expect(await context("/race/again")).toMatchObject({ status: 202 });
    gate.release();
    expect(await server.settled("/race/again")).toMatchObject({
      state: "finalized",
      runs: [{ outcome: "published", reason: "submit" }],
    });
    expect(JSON.stringify((await context("/race/again", "words")).body)).toContain("second commit");
  });

  it("a rollback during a run supersedes the run", async () => {
    const repository = await git.repository("race/rollback.git", files);
    await add(repository.url);
    await server.settled("/race/rollback");
    const commits = [await repository.git("rev-parse", "main")];
    commits.push(await repository.commit({ "docs/b.md": "# B\n\nThe second generation says this, in many words.\n" }));
    await refresh("/race/rollback");
    await server.settled("/race/rollback");
    await repository.commit({ "docs/c.md": "# C\n\nThe third generation says this, in many words.\n" });
    const gate = git.hold("race/rollback.git");
    await refresh("/race/rollback");
    await gate.reached;
    // The run has not looked at what is live until it is claimed; by now it has.
    expect(await operate("rollback", { libraryName: "/race/rollback" })).toMatchObject({ status: 200 });
    gate.release();
    expect((await outcomes("/race/rollback"))[0]).toBe("superseded");
    expect(await server.settled("/race/rollback")).toMatchObject({ live: { revision: commits[0] } });
    expect(JSON.stringify((await context("/race/rollback", "generation says many words")).body)).not.toContain(
      "generation",
    );
  });

  it("holds a refresh that loses most of a library until an operator publishes or drops it", async () => {
    const repository = await git.repository("race/shrink.git", manyPages(60, "delta"));
    await add(repository.url);
    await server.settled("/race/shrink");
    const gone = Object.fromEntries(Array.from({ length: 50 }, (_, page) => [`docs/p${page}.md`, null]));
    await repository.commit(gone);
    await refresh("/race/shrink");
    expect((await outcomes("/race/shrink"))[0]).toBe("held");
    expect(await server.settled("/race/shrink")).toMatchObject({
      live: { counts: { code: 60 } },
      held: { counts: { code: 10 } },
    });
    expect(JSON.stringify((await context("/race/shrink", "delta of page 7")).body)).toContain("delta(7)");

    expect(await operate("publish", { libraryName: "/race/shrink", drop: true })).toMatchObject({ status: 200 });
    expect(await operate("publish", { libraryName: "/race/shrink" })).toMatchObject({ status: 400 });
    await refresh("/race/shrink");
    expect((await outcomes("/race/shrink"))[0]).toBe("held");
    expect(await operate("publish", { libraryName: "/race/shrink" })).toMatchObject({ status: 200 });
    expect((await outcomes("/race/shrink"))[0]).toBe("published");
    expect(await server.settled("/race/shrink")).toMatchObject({ live: { counts: { code: 10 } }, held: null });

    expect(await operate("rollback", { libraryName: "/race/shrink" })).toMatchObject({ status: 200 });
    expect(await server.settled("/race/shrink")).toMatchObject({ live: { counts: { code: 60 } } });
  });
});
