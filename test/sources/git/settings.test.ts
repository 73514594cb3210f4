import { describe, expect, it } from "vitest";
import { openGitTestbed, outline } from "./setup.ts";

const bed = await openGitTestbed();
const json = (value: object): string => JSON.stringify(value);

describe("the library's own settings", () => {
  const files = { "README.md": "r", "docs/a.md": "a", "docs/internal/b.md": "b", "guides/c.md": "c", "NOTES.md": "n" };

  it("choose the documents, and describe the library", async () => {
    const settings = {
      projectTitle: "Widgets",
      description: "All about widgets.",
      folders: ["docs"],
      excludeFolders: ["internal"],
      excludeFiles: ["NOTES.md"],
      rules: ["Use the client."],
      previousVersions: [{ tag: "v1" }],
    };
    const repository = await bed.server.repository("own/chosen", { ...files, "context7.json": json(settings) });
    const { items, counted, account } = await bed.readAll(bed.spec(repository.url));
    expect(outline(items)).toEqual({ "README.md": "r", "docs/a.md": "a" });
    expect(counted).toBe(2);
    expect(account).toEqual({
      settings: {
        title: "Widgets",
        description: "All about widgets.",
        rules: ["Use the client."],
        versions: [{ ref: "v1", kind: "tag" }],
      },
    });
    const selection = { folders: ["guides"], excludeFolders: null, excludeFiles: [] };
    const submitted = await bed.readAll(bed.spec(repository.url, { selection }));
    expect(outline(submitted.items)).toEqual({ "README.md": "r", "NOTES.md": "n", "guides/c.md": "c" });
  });

  it("are those at the root only", async () => {
    const repository = await bed.server.repository("own/nested", {
      ...files,
      "docs/context7.json": json({ folders: ["guides"] }),
      "Context7.json": json({ folders: ["guides"] }),
    });
    const { items, account } = await bed.readAll(bed.spec(repository.url));
    expect(items).toHaveLength(5);
    expect(account).toBeUndefined();
  });

  it("are listed as skipped if something in them is wrong, and the rest applies", async () => {
    const broken = { folders: ["docs", 5], excludeFolders: "internal", projectTitle: "" };
    const repository = await bed.server.repository("own/wrong", { ...files, "context7.json": json(broken) });
    const { items, counted } = await bed.readAll(bed.spec(repository.url));
    expect(outline(items)).toEqual({
      "README.md": "r",
      "NOTES.md": "n",
      "context7.json": "settings_ignored",
      "docs/a.md": "a",
      "docs/internal/b.md": "b",
    });
    expect(counted).toBe(5);
    const skipped = items.find(({ type }) => type === "skipped");
    expect(skipped).toMatchObject({
      page: { url: `${repository.url}/blob/${await repository.git("rev-parse", "main")}/context7.json` },
      reason: expect.stringMatching(/"projectTitle" is empty.*Entry 2 of "folders".*"excludeFolders" is not a list/),
    });
  });

  it.each([
    ["too large", " ".repeat(300_000)],
    ["no JSON", "folders: [docs]"],
    ["kept in LFS", `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`],
  ])("stop nothing when their file is %s", async (title, content) => {
    const name = `own/${title.replaceAll(" ", "-")}`;
    const repository = await bed.server.repository(name, { "README.md": "r", "context7.json": content });
    const { items } = await bed.readAll(bed.spec(repository.url));
    expect(outline(items)).toEqual({ "README.md": "r", "context7.json": "settings_ignored" });
  });

  it("name the branch that is read if none was asked for", async () => {
    const settings = { branch: "docs", excludeFiles: ["b.md"] };
    const repository = await bed.server.repository("own/branch", {
      "README.md": "main",
      "context7.json": json(settings),
    });
    const docs = await repository.commit({ "README.md": "docs", "a.md": "a", "b.md": "b" }, "docs");
    const spec = bed.spec(repository.url);
    const { items, account } = await bed.readAll(spec);
    expect(outline(items)).toEqual({ "README.md": "docs", "a.md": "a" });
    expect(account).toEqual({ instead: { revision: docs, ref: "docs" } });
    expect(items[0]?.page.url).toBe(`${repository.url}/blob/${docs}/README.md`);

    const closed = await bed.readAll(spec, { branchIsOpen: false });
    expect(outline(closed.items)).toEqual({ "README.md": "main" });
    const submitted = await bed.readAll(bed.spec(repository.url, { branch: "main" }));
    expect(outline(submitted.items)).toEqual({ "README.md": "main" });
  });

  it("are listed as skipped if they name a missing branch", async () => {
    const repository = await bed.server.repository("own/no-branch", {
      "README.md": "main",
      "context7.json": json({ branch: "gone" }),
    });
    const { items } = await bed.readAll(bed.spec(repository.url));
    expect(outline(items)).toEqual({ "README.md": "main", "context7.json": "settings_ignored" });
    expect(items.find(({ page }) => page.key === "context7.json")).toMatchObject({
      reason: expect.stringContaining('no branch or tag "gone"'),
    });
  });
});

it("cost one request more, even if the server serves only tips of refs", async () => {
  const repository = await bed.server.repository("own/tips", {
    "README.md": "r",
    "context7.json": json({ projectTitle: "W" }),
  });
  const spec = bed.spec(repository.url);
  const state = await bed.resolve(spec);
  bed.server.requests.length = 0;
  expect(outline((await bed.read(spec, state)).items)).toEqual({ "README.md": "r" });
  expect(bed.server.requests.filter(({ method }) => method === "POST")).toHaveLength(3);
  // A server of protocol 1 serves only the tips of its refs.
  const old = await bed.server.repository(
    "own/old",
    { "README.md": "r", "context7.json": json({ projectTitle: "W" }) },
    { oldProtocol: true },
  );
  const { items, account } = await bed.readAll(bed.spec(old.url));
  expect(outline(items)).toEqual({ "README.md": "r" });
  expect(account).toEqual({ settings: { title: "W" } });
});

it("submodules and links are listed as skipped where documentation is expected", async () => {
  const repository = await bed.server.repository("own/elsewhere", {
    "README.md": "r",
    docs: { submodule: "1".repeat(40) },
    "guide/shared": { submodule: "4".repeat(40) },
    "vendor/zlib": { submodule: "2".repeat(40) },
    "old/docs": { submodule: "3".repeat(40) },
    "site/user-docs": { symlink: "../docs" },
    "bin/tool": { symlink: "../tool.js" },
  });
  const { items } = await bed.readAll(bed.spec(repository.url));
  expect(outline(items)).toEqual({
    "README.md": "r",
    docs: "submodule",
    "guide/shared": "submodule",
    "site/user-docs": "symlink",
  });
  const selection = { folders: ["site"], excludeFolders: null, excludeFiles: null };
  const some = await bed.readAll(bed.spec(repository.url, { selection }));
  expect(outline(some.items)).toEqual({ "README.md": "r", "site/user-docs": "symlink" });
});

it("a wiki is read without sidebars, headers and footers, under the addresses of its host", async () => {
  const auth = { user: "x-access-token", password: "t0ken" };
  const repository = await bed.server.repository(
    "acme/widgets.wiki.git",
    {
      "Home.md": "home",
      "guides/First-Steps.md": "f",
      "_Sidebar.md": "s",
      "guides/_Footer.md": "f",
      "_Header.md": "h",
    },
    { auth, defaultBranch: "master" },
  );
  const { items, account } = await bed.readAll(bed.spec(repository.url, { host: "github" }), { secret: "t0ken" });
  expect(items.map(({ page }) => [page.key, page.url.slice(bed.server.url.length)])).toEqual([
    ["Home.md", "/acme/widgets/wiki/Home"],
    ["guides/First-Steps.md", "/acme/widgets/wiki/First-Steps"],
  ]);
  expect(account).toEqual({ settings: { title: "widgets wiki" } });
});

it("paths that are not UTF-8 or too deep are skipped, and paths that differ in case are separate pages", async () => {
  const repository = await bed.server.repository("own/paths", { "README.md": "r" });
  const names = ["Guide.md", "guide.md", Buffer.from("caf\xe9.md", "latin1"), `${"d/".repeat(64)}deep.md`];
  await repository.commitEntries(names.map((name) => ({ name, content: String(name) })));
  const { items } = await bed.readAll(bed.spec(repository.url));
  expect(Object.values(outline(items)).toSorted()).toEqual(["Guide.md", "guide.md", "unsafe_path", "unsafe_path"]);
});
