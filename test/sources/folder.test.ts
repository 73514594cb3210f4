import { noCheckpoint, noUpload, nothingEarlier } from "../support/nothing-earlier.ts";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, it } from "vitest";
import { pool } from "../support/pool.ts";
import { createFolderSource } from "../../sources/folder/index.ts";
import type { PageRef, SourceAccount, SourceItem } from "../../domain/ports.ts";
import type { FolderSourceSpec } from "../../domain/kinds/index.ts";
import { writeFiles } from "../support/files.ts";
import { wholeTree } from "../support/git-spec.ts";
import { folderOfTest } from "../support/of-test.ts";

let base: string;
let root: string;
beforeEach(async () => {
  base = await folderOfTest();
  root = join(base, "root");
  await write({ "handbook/README.md": "# Hi", "handbook/b/c.md": "c", "handbook/a.txt": "a", "handbook/x.png": "x" });
  await mkdir(join(base, "outside"));
  await writeFile(join(base, "outside", "secret.md"), "secret");
});

const write = (files: Readonly<Record<string, string>>): Promise<void> => writeFiles(root, files);

const signal = new AbortController().signal;

function spec(path: string): FolderSourceSpec {
  return { kind: "folder", path, selection: { ...wholeTree, generateDocs: false } };
}

function source() {
  return createFolderSource({ roots: [root, join(base, "missing")], pool, extensions: [".md", ".txt"] });
}

async function revision(folder: string): Promise<string> {
  return (await source().resolve(spec(folder), null, { signal, credential: null })).revision;
}

async function read(
  path: string,
  options: {
    limits?: Partial<{ pages: number; bytes: number; pageBytes: number }>;
    known?: (page: PageRef) => boolean;
    account?: (account: SourceAccount) => void;
  } = {},
): Promise<SourceItem[]> {
  const items: SourceItem[] = [];
  const state = await source().resolve(spec(path), null, { signal, credential: null });
  for await (const item of source().read(spec(path), state, {
    signal,
    credential: null,
    earlier: nothingEarlier,
    checkpoint: noCheckpoint,
    upload: noUpload,
    scratch: base,
    known: (page) => (options.known?.(page) === true ? [] : undefined),
    pages: () => undefined,
    ...(options.account && { account: options.account }),
    limits: { pages: 10, bytes: 1000, pageBytes: 100, ...options.limits },
  }))
    items.push(item);
  return items;
}

it("reads the documents of the latest release that the website names", async () => {
  await write({ "site/hugo.toml": "latest_version = 'v1.0'\n", "site/v1.0/a.md": "0", "site/v1.1/a.md": "1" });
  expect((await read(join(root, "site"))).map(({ page }) => page.key)).toEqual(["v1.0/a.md"]);
});

it("reads the documents in order of their paths", async () => {
  const folder = join(root, "handbook");
  const items = await read(folder);
  expect(items.map((item) => item.type === "page" && Buffer.from(item.bytes).toString())).toEqual(["# Hi", "a", "c"]);
  expect(items[2]?.page).toEqual({
    key: "b/c.md",
    mediaType: "text/markdown",
    url: pathToFileURL(join(folder, "b/c.md")).href,
    fingerprint: "2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6",
  });
});

it("has a revision that changes with content and names, and with nothing else", async () => {
  const folder = join(root, "handbook");
  const first = await revision(folder);
  expect(first).toMatch(/^sha256-[\da-f]{40}$/);
  await write({ "handbook/x.png": "another picture", "handbook/a.txt": "a" });
  expect(await revision(folder)).toBe(first);
  await write({ "handbook/a.txt": "A" });
  const second = await revision(folder);
  await write({ "handbook/a.txt": "a", "handbook/new.md": "" });
  expect(new Set([first, second, await revision(folder)]).size).toBe(3);
});

it("does not follow links, in or out of the root", async () => {
  await symlink(join(base, "outside", "secret.md"), join(root, "handbook", "link.md"));
  await symlink(join(base, "outside"), join(root, "handbook", "linked"));
  await symlink(join(base, "outside"), join(root, "way-out"));
  const items = await read(join(root, "handbook"));
  expect(items.map((item) => (item.type === "skipped" ? item.code : item.type))).toEqual([
    "page",
    "page",
    "page",
    "symlink",
  ]);
  expect(JSON.stringify(items)).not.toContain("secret");
  await expect(read(join(root, "way-out"))).rejects.toMatchObject({ code: "source_not_found" });
});

it.each(["outside", "missing", "root/handbook/README.md", "root/../outside", "root-like"])(
  "finds no folder in %s, with the same message",
  async (path) => {
    await mkdir(join(base, "root-like"), { recursive: true });
    await expect(read(`${base}/${path}`)).rejects.toMatchObject({
      code: "source_not_found",
      message: expect.stringContaining("inside FOLDER_ROOTS"),
    });
  },
);

it("skips what is too large, and stops at the limits", async () => {
  await write({ "handbook/z.md": "z".repeat(101) });
  const folder = join(root, "handbook");
  expect((await read(folder)).at(-1)).toMatchObject({ type: "skipped", code: "too_large", bytes: 101 });
  await expect(read(folder, { limits: { pages: 3 } })).rejects.toMatchObject({ code: "library_too_large" });
  await expect(read(folder, { limits: { bytes: 5 } })).rejects.toMatchObject({ code: "library_too_large" });
});

it("does not read pages whose result is known", async () => {
  const items = await read(join(root, "handbook"), { known: ({ key }) => key === "a.txt" });
  expect(items.map(({ type }) => type)).toEqual(["page", "known", "page"]);
});

it("reads a folder as its own context7.json says, and follows its changes", async () => {
  const folder = join(root, "handbook");
  const before = await revision(folder);
  const settings = { projectTitle: "The handbook", folders: ["b"], excludeFiles: [7] };
  await write({ "handbook/context7.json": JSON.stringify(settings) });
  expect(await revision(folder)).not.toBe(before);
  const accounts: unknown[] = [];
  const items = await read(folder, { account: (account) => accounts.push(account) });
  expect(items.map((item) => [item.page.key, item.type === "skipped" ? item.code : item.type])).toEqual([
    ["context7.json", "settings_ignored"],
    ["README.md", "page"],
    ["b/c.md", "page"],
  ]);
  expect(accounts).toEqual([{ settings: { title: "The handbook" } }]);
  await rm(join(folder, "context7.json"));
  expect(await revision(folder)).toBe(before);
  await symlink(join(base, "outside", "secret.md"), join(folder, "context7.json"));
  expect(await revision(folder)).toBe(before);
});

it("returns pages with what they include, without following links", async () => {
  await write({
    "handbook/README.md":
      "# Hi\n\n<<< ./src/a.ts\n\n<<< ./link.ts\n\n<<< ./linked/secret.md\n\n<<< ../outside/secret.md\n\n<<< ./s.ts\n",
    "handbook/src/a.ts": "a();\n",
    "handbook/s.ts/a.ts": "a();\n",
  });
  await symlink(join(base, "outside", "secret.md"), join(root, "handbook", "link.ts"));
  await symlink(join(base, "outside"), join(root, "handbook", "linked"));
  const [readme] = await read(join(root, "handbook"));
  const includes = readme?.type === "page" ? (readme.includes ?? []) : [];
  expect(includes.map(({ path, bytes, reason }) => [path, bytes && Buffer.from(bytes).toString(), reason])).toEqual([
    ["src/a.ts", "a();\n", undefined],
    ["link.ts", null, "is a symbolic link"],
    ["linked/secret.md", null, undefined],
    ["s.ts", null, undefined],
  ]);
});

it("has a new revision when an included file changes, comes or goes, and not for other files", async () => {
  const folder = join(root, "handbook");
  await write({ "handbook/README.md": "# Hi\n\n<<< ./a.ts\n", "handbook/a.ts": "a();\n" });
  const first = await revision(folder);
  await write({ "handbook/other.ts": "other();\n" });
  expect(await revision(folder)).toBe(first);
  await write({ "handbook/a.ts": "b();\n" });
  const second = await revision(folder);
  await rm(join(folder, "a.ts"));
  expect(new Set([first, second, await revision(folder)]).size).toBe(3);
});

it("keeps pages about tests and scripts in a folder of documentation only, whatever its name", async () => {
  const pages = Object.fromEntries(
    [
      "index.md",
      "install.md",
      "api/a.md",
      "api/b.md",
      "test/writing.md",
      "test/mocks.md",
      "scripts/run.md",
      "e2e/a.md",
    ].map((path) => [`acme/${path}`, "# A"]),
  );
  await write({ ...pages, "acme/test/fixtures/a.md": "# A", "acme/assets/a.js": "a();" });
  const accounts: SourceAccount[] = [];
  const folder = join(root, "acme");
  const items = await read(folder, { account: (account) => void accounts.push(account) });
  expect(items.flatMap((item) => (item.type === "page" ? [item.page.key] : [])).toSorted()).toEqual([
    "api/a.md",
    "api/b.md",
    "e2e/a.md",
    "index.md",
    "install.md",
    "scripts/run.md",
    "test/mocks.md",
    "test/writing.md",
  ]);
  expect(accounts).toEqual([{ notes: ["1 document is left out as tests and their data."] }]);
  for (const name of ["a", "b", "c", "d", "e"]) await write({ [`acme/lib/${name}.ts`]: "a();" });
  const besideCode = await read(folder);
  expect(besideCode.flatMap((item) => (item.type === "page" ? [item.page.key] : [])).toSorted()).toEqual([
    "api/a.md",
    "api/b.md",
    "index.md",
    "install.md",
  ]);
});
