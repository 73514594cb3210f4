import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exportGeneration, importGeneration } from "../../activities/transfer.ts";
import { readManifest } from "../../activities/parts.ts";
import type { Manifest } from "../../domain/generation.ts";
import { startServers } from "../e2e/setup.ts";

const { git, server, folder, blobs, add, outcomes, ...servers } = await startServers((host, data) => ({
  GITHUB_HOSTS: host.host,
  FOLDER_ROOTS: join(data, "roots"),
}));

/** Refreshes; returns the outcome. */
async function refresh(libraryName: string): Promise<string | null> {
  await servers.refresh(libraryName);
  return (await outcomes(libraryName))[0] ?? null;
}

/** Manifest and lines of the live generation. */
async function liveOf(libraryId: string): Promise<{ manifest: Manifest; lines: readonly string[] }> {
  const { live } = (await server.settled(libraryId)) as { live: { id: string } };
  const manifest = await readManifest(blobs, live.id);
  if (!manifest) throw new Error(`${libraryId} has no manifest.`);
  return { manifest, lines: (await Array.fromAsync(exportGeneration(blobs, live.id))).slice(1) };
}

const page = (title: string): string => `# ${title}\n\nThis page explains ${title} to its readers, at some length.\n`;
const settings = (value: object): string => JSON.stringify(value);

describe("a library with a context7.json", () => {
  it("is found and shown under its own title and description, and keeps its rules without serving them", async () => {
    const repository = await git.repository("acme/named.git", {
      "README.md": page("A readme"),
      "context7.json": settings({
        projectTitle: "Sprocketeer",
        description: "Sprockets for gearboxes.",
        rules: ["Never grind the sprockets."],
        previousVersions: [{ tag: "v1", title: "the first" }],
      }),
    });
    await add(repository.url);
    await server.settled("/acme/named");
    const search = await server.call("GET", "/v2/libs/search?libraryName=sprocketeer&query=gearboxes");
    expect(search.body).toMatchObject({
      results: [{ id: "/acme/named", title: "Sprocketeer", description: "Sprockets for gearboxes." }],
    });
    const { manifest } = await liveOf("/acme/named");
    expect(manifest.settings).toMatchObject({
      rules: ["Never grind the sprockets."],
      versions: [{ ref: "v1", kind: "tag", title: "the first" }],
    });
    for (const type of ["json", "txt"]) {
      const answer = await server.call("GET", `/v2/context?libraryId=/acme/named&query=grind+sprockets&type=${type}`);
      expect(JSON.stringify(answer.body)).not.toContain("Never grind");
    }
  });

  it("keeps its settings through an export and an import", async () => {
    const { manifest } = await liveOf("/acme/named");
    const { manifest: taken } = await importGeneration(blobs, exportGeneration(blobs, manifest.generation), "imported");
    expect(taken.settings).toEqual(manifest.settings);
    async function* changed(): AsyncGenerator<string> {
      for await (const line of exportGeneration(blobs, manifest.generation))
        yield line.replace("Never grind the sprockets.", "Always grind the sprockets.");
    }
    await expect(importGeneration(blobs, changed(), "forged")).rejects.toMatchObject({ code: "validation_error" });
  });

  it("has the same passages after every change of the file as when read from scratch", async () => {
    const files = { "README.md": page("Gadgets"), "docs/a.md": page("Alpha"), "guides/b.md": page("Beta") };
    const repository = await git.repository("acme/settled.git", files);
    await add(repository.url);
    await server.settled("/acme/settled");
    const changes: (object | null)[] = [
      { folders: ["docs"] },
      { folders: ["docs"], projectTitle: "Settled" },
      { excludeFolders: ["docs"], projectTitle: "Settled" },
      null,
    ];
    const scratch: string[] = [];
    for (const [index, change] of changes.entries()) {
      await repository.commit({ "context7.json": change && settings(change) });
      expect(await refresh("/acme/settled"), JSON.stringify(change)).toBe("published");
      scratch.push(`/acme/scratch-${index}`);
      await add(repository.url, { libraryName: scratch[index] });
      const [refreshed, fresh] = [await liveOf("/acme/settled"), await liveOf(scratch[index] ?? "")];
      expect(refreshed.lines).toEqual(fresh.lines);
      expect(refreshed.manifest.contentHash).toBe(fresh.manifest.contentHash);
      expect(refreshed.manifest.title).toBe(fresh.manifest.title);
    }
    expect((await liveOf("/acme/settled")).manifest.pages.map(({ path }) => path)).toEqual(Object.keys(files));
  });

  it("costs one look-up in a refresh if no documentation changed on either branch", async () => {
    const repository = await git.repository("acme/quiet-branch.git", {
      "README.md": page("Sources"),
      "context7.json": settings({ branch: "docs" }),
    });
    await repository.commit({ "README.md": page("Documents") }, "docs");
    await add(repository.url);
    await server.settled("/acme/quiet-branch");
    const packs = (): number =>
      git.requests.filter(({ path, objects }) => path.includes("quiet-branch") && objects > 0).length;
    const costs = async (): Promise<number> => {
      const before = packs();
      expect(await refresh("/acme/quiet-branch")).toBe("unchanged");
      return packs() - before;
    };
    expect(await costs()).toBe(0);
    expect(await costs()).toBe(0);
    await repository.commit({ "src/a.ts": "1;\n" });
    expect(await costs()).toBeGreaterThan(0);
    expect(await costs()).toBe(0);
    await repository.commit({ "src/b.ts": "2;\n" }, "docs");
    expect(await costs()).toBeGreaterThan(0);
    expect(await costs()).toBe(0);
  });

  it("follows a branch that was at the default branch's commit in the first run", async () => {
    const repository = await git.repository("acme/same-place.git", {
      "README.md": page("Sources"),
      "context7.json": settings({ branch: "docs" }),
    });
    await repository.git("branch", "docs");
    await add(repository.url);
    await server.settled("/acme/same-place");
    expect(await refresh("/acme/same-place")).toBe("unchanged");
    await repository.commit({ "README.md": page("Documents") }, "docs");
    expect(await refresh("/acme/same-place")).toBe("published");
    expect((await liveOf("/acme/same-place")).lines.join("")).toContain("Documents");
  });

  it("follows the branch that the file names, and is unchanged only if both branches are", async () => {
    const repository = await git.repository("acme/followed.git", {
      "README.md": page("Main"),
      "context7.json": settings({ branch: "docs" }),
    });
    await repository.commit({ "README.md": page("Documents") }, "docs");
    await add(repository.url);
    const { live } = (await server.settled("/acme/followed")) as { live: object };
    const docs = await repository.git("rev-parse", "docs");
    expect(live).toMatchObject({ ref: "docs", revision: docs });
    const { lines } = await liveOf("/acme/followed");
    expect(lines.join("")).toContain(`/blob/${docs}/README.md`);
    expect(lines.every((line) => (JSON.parse(line) as { source: { revision: string } }).source.revision === docs)).toBe(
      true,
    );

    git.requests.length = 0;
    expect(await refresh("/acme/followed")).toBe("unchanged");
    // Capabilities and refs only; no commit, tree or document.
    expect(git.requests.map(({ method }) => method)).toEqual(["GET", "POST"]);
    expect(git.requests.reduce((sum, { objects }) => sum + objects, 0)).toBe(0);

    await repository.commit({ "README.md": page("Newer documents") }, "docs");
    expect(await refresh("/acme/followed")).toBe("published");
    expect((await liveOf("/acme/followed")).lines.join("")).toContain("Newer documents");
    await repository.commit({ "context7.json": settings({}) });
    expect(await refresh("/acme/followed")).toBe("published");
    const status = (await server.settled("/acme/followed")) as { live: { ref: string } };
    expect(status.live.ref).toBe("main");
  });
});

it("a refresh after a commit fetches the commit, its trees, and the pages that changed", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`docs/p${index}.md`, page(`Page ${index}`)]),
  );
  const repository = await git.repository("acme/lean.git", files);
  await add(repository.url);
  await server.settled("/acme/lean");
  await repository.commit({ "docs/p7.md": page("Another seven"), "docs/p40.md": page("Page 40") });
  git.requests.length = 0;
  expect(await refresh("/acme/lean")).toBe("published");
  const packs = git.requests.filter(({ objects }) => objects > 0).map(({ objects }) => objects);
  // A commit with two trees; then two blobs.
  expect(packs).toEqual([3, 2]);
});

it("several libraries of one repository have their own pages, titles and descriptions", async () => {
  const repository = await git.repository("acme/many.git", {
    "README.md": page("Many things"),
    "context7.json": settings({ projectTitle: "All of it", description: "Everything there is." }),
    "packages/query/README.md": "# Query\n\nQuery asks servers for what you need.\n",
    "packages/query/docs/a.md": page("Asking"),
    "packages/table/README.md": "# Table\n\nTable shows rows and columns to people.\n",
    "docs/b.md": page("Overview"),
  });
  for (const [libraryName, folders] of Object.entries({
    "/acme/query": ["packages/query"],
    "/acme/table": ["./packages/table/"],
    "/acme/docs-only": ["docs"],
  })) {
    expect(await add(repository.url, { libraryName, folders })).toMatchObject({ status: 200 });
  }
  const query = await server.settled("/acme/query");
  expect(query).toMatchObject({ title: "Query", description: "Query asks servers for what you need." });
  expect(await server.settled("/acme/table")).toMatchObject({ title: "Table" });
  expect(await server.settled("/acme/docs-only")).toMatchObject({
    title: "All of it",
    description: "Everything there is.",
  });
  expect((await liveOf("/acme/query")).manifest.pages.map(({ path }) => path)).toEqual([
    "README.md",
    "packages/query/README.md",
    "packages/query/docs/a.md",
  ]);
});

it("a wiki is a library of its own, and the failure of a repository without documents suggests it", async () => {
  const { url } = await git.repository("acme/sparse", { "src/index.c": "int main;" });
  const repository = { docsRepoUrl: `${git.url}/acme/sparse` };
  await git.repository("acme/sparse.wiki.git", {
    "Home.md": "Sprockets are described in this wiki, page by page.\n\n```sh\nmake sprocket\n```\n",
    "_Sidebar.md": page("Sidebar"),
  });
  await server.call("POST", "/v2/add/repo/github", repository);
  expect(await server.settled("/acme/sparse")).toMatchObject({ state: "error" });
  const { body } = await server.call("GET", "/v2/context?libraryId=/acme/sparse&query=x&type=json");
  expect(body).toMatchObject({
    error: "no_snippets_found",
    message: expect.stringContaining(`submit ${url}.wiki.git.`) as string,
  });
  await server.call("POST", "/v2/add/repo/github", { docsRepoUrl: `${url}/wiki` });
  expect(await server.settled("/acme/sparse.wiki")).toMatchObject({
    title: "sparse wiki",
    description: "Sprockets are described in this wiki, page by page.",
  });
  const answer = await server.call("GET", "/v2/context?libraryId=/acme/sparse.wiki&query=make&type=json&kind=code");
  expect(answer.body).toMatchObject({ codeSnippets: [{ codeId: `${url}/wiki/Home`, pageTitle: "Home" }] });
  expect(JSON.stringify(answer.body)).not.toContain("Sidebar");
});

it("a folder's title is the submitted one, else that of its context7.json, else its name", async () => {
  for (const name of ["plain", "named"]) await mkdir(join(folder, "roots", name), { recursive: true });
  for (const name of ["plain", "named"]) await writeFile(join(folder, "roots", name, "a.md"), page("Folder"));
  await writeFile(join(folder, "roots/named/context7.json"), settings({ projectTitle: "The handbook" }));
  const titleOf = async (name: string, more: object): Promise<unknown> => {
    const path = join(folder, "roots", name);
    const { body } = await server.call("POST", "/v2/add/folder", { path, ...more });
    return (await server.settled((body as { libraryName: string }).libraryName))["title"];
  };
  expect(await titleOf("plain", {})).toBe("plain");
  expect(await titleOf("named", {})).toBe("The handbook");
  expect(await titleOf("named", { title: "Handbook", libraryName: "/docs/other" })).toBe("Handbook");
});
