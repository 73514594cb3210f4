import { describe, expect, it } from "vitest";
import { standIn, systemGit } from "../../../sources/git/program.ts";
import { endurance } from "../../support/endurance.ts";
import { openGitTestbed, outline, type GitTestbed } from "./setup.ts";

const lfsPointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`;

// All protocols and programs must read the same.
describe.each([
  ["over protocol 2", false, systemGit],
  ["over protocol 1", true, systemGit],
  ["without git", true, standIn],
])("reading %s", async (_title, oldProtocol, program) => {
  const bed = await openGitTestbed({ program });
  // The rest of git over the older protocol is tested in the long form: only the transport differs.
  const isRepeated = oldProtocol && program === systemGit && !endurance;

  it.each([
    ["config.yaml", "params:\n  latest_stable_version: v3.7\n"],
    ["docusaurus.config.js", 'export default { docs: {\n  lastVersion: "3.7",\n} };\n'],
  ])("reads the documents of the latest release as %s names it, before those of the next one", async (path, text) => {
    const files = { [path]: text, "docs/v3.6/a.md": "6", "docs/v3.7/a.md": "7", "docs/v3.8/a.md": "8" };
    const repository = await bed.server.repository(`acme/${path}.git`, files, { oldProtocol });
    const spec = bed.spec(repository.url);
    const { items } = await bed.read(spec, await bed.resolve(spec));
    expect(items.map(({ page }) => page.key)).toEqual(["docs/v3.7/a.md"]);
  });

  it("reads the documents of the resolved commit, byte for byte, in order of their paths", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_value, index) => index);
    const repository = await bed.server.repository(
      "acme/widgets.git",
      {
        "README.md": "# Widgets\n",
        "docs/b.md": "B\r\n",
        "docs/a.mdx": "",
        "docs/B.md": "upper",
        "docs.md": "beside",
        "docs/deep/er/ü ber#1?.md": "umlaut",
        "docs/binary.txt": bytes,
        "src/index.ts": "export {};",
        "docs/picture.png": bytes,
      },
      { oldProtocol },
    );
    const spec = bed.spec(repository.url);
    const state = await bed.resolve(spec);
    await repository.commit({ "README.md": "# Later\n" });
    if (oldProtocol) await repository.branch("main", state.revision);
    const { items, counted } = await bed.read(spec, state);
    expect(items.map(({ page }) => page.key)).toEqual([
      "README.md",
      "docs.md",
      "docs/B.md",
      "docs/a.mdx",
      "docs/b.md",
      "docs/binary.txt",
      "docs/deep/er/ü ber#1?.md",
    ]);
    expect(counted).toBe(7);
    expect(outline(items)).toMatchObject({ "README.md": "# Widgets\n", "docs/b.md": "B\r\n", "docs/a.mdx": "" });
    expect(items[5]).toMatchObject({ type: "page", bytes });
    const base = `${repository.url.replace(/\.git$/, "")}/blob/${state.revision}`;
    expect(items[6]?.page).toEqual({
      mediaType: "text/markdown",
      key: "docs/deep/er/ü ber#1?.md",
      url: `${base}/docs/deep/er/%C3%BC%20ber%231%3F.md`,
      fingerprint: await repository.git("rev-parse", `${state.revision}:docs/deep/er/ü ber#1?.md`),
    });
  });

  it("lists what it leaves out and why", async () => {
    const repository = await bed.server.repository(
      "acme/odd",
      {
        "docs/big.md": "x".repeat(200_000),
        "docs/exact.md": "x".repeat(100_000),
        "docs/lfs.md": lfsPointer,
        "docs/link.md": { symlink: "../../etc/passwd" },
        "docs/link-without-name": { symlink: "/etc/passwd" },
        "vendor/sub.md": { submodule: "1".repeat(40) },
        "z.md": "end",
      },
      { oldProtocol },
    );
    const { items } = await bed.readAll(bed.spec(repository.url));
    expect(outline(items)).toEqual({
      "docs/big.md": "too_large",
      "docs/exact.md": "x".repeat(100_000),
      "docs/lfs.md": "lfs_pointer",
      "docs/link.md": "symlink",
      "z.md": "end",
    });
    expect(items[0]).toMatchObject({ bytes: 200_000, reason: expect.stringContaining("200000") });
  });

  it("does not read pages whose result is known", async () => {
    const files = { "a.md": "a".repeat(50_000), "b.md": "b", "c.md": "c" };
    const repository = await bed.server.repository("acme/known", files, { oldProtocol });
    const { items } = await bed.readAll(bed.spec(repository.url), { known: ({ key }) => key !== "b.md" });
    expect(outline(items)).toEqual({ "a.md": "known", "b.md": "b", "c.md": "known" });
    const all = await bed.readAll(bed.spec(repository.url), { known: () => true });
    expect(outline(all.items)).toEqual({ "a.md": "known", "b.md": "known", "c.md": "known" });
  });

  it.skipIf(isRepeated)("reads equal files at several paths, and tags", async () => {
    const files = { "a.md": "same", "b.md": "same", "c.md": "other" };
    const repository = await bed.server.repository("acme/same", files, { oldProtocol });
    await repository.tag("v1", { annotated: true });
    await repository.commit({ "a.md": "changed" });
    const spec = bed.spec(repository.url, { branch: "v1" });
    expect(outline((await bed.readAll(spec)).items)).toEqual(files);
  });

  it.skipIf(isRepeated)("reads nothing if there are no documents", async () => {
    const repository = await bed.server.repository("acme/none", { "main.c": "int main;" }, { oldProtocol });
    expect(await bed.readAll(bed.spec(repository.url))).toEqual({ items: [], counted: 0 });
  });

  it.skipIf(isRepeated)("reads from a server that knows no filters", async () => {
    const files = { "README.md": "# Hi", "src/a.c": "int a;", "docs/a.md": "a" };
    const repository = await bed.server.repository("acme/plain", files, { filter: false, oldProtocol });
    const { items } = await bed.readAll(bed.spec(repository.url));
    expect(outline(items)).toEqual({ "README.md": "# Hi", "docs/a.md": "a" });
  });

  it.skipIf(isRepeated)("reads a private repository with its token", async () => {
    const auth = { user: "git", password: "hunter2" };
    const repository = await bed.server.repository("acme/private", { "README.md": "# Hi" }, { auth, oldProtocol });
    const spec = bed.spec(repository.url);
    const state = await bed.resolve(spec, null, { secret: "hunter2" });
    expect(outline((await bed.read(spec, state, { secret: "hunter2" })).items)).toEqual({ "README.md": "# Hi" });
    await expect(bed.read(spec, state)).rejects.toMatchObject({ code: "source_refused" });
    const wrong = bed.read(spec, state, { secret: "hunter3" });
    await expect(wrong).rejects.toMatchObject({
      code: "source_refused",
      message: expect.not.stringMatching(/hunter|aHVudGVy/),
    });
  });

  it.skipIf(isRepeated)("keeps paths that climb out, repeat or hide control characters out of the tree", async () => {
    const repository = await bed.server.repository("acme/evil", { "README.md": "# Hi" }, { oldProtocol });
    await repository.commitEntries(
      ["..\\up.md", "../../etc/up.md", "/abs.md", "a//b.md", "good.md", "line\nbreak.md", "bad\u0007.md"].map(
        (name) => ({
          name,
          content: name,
        }),
      ),
    );
    const { items } = await bed.readAll(bed.spec(repository.url));
    const outcomes = outline(items);
    expect(outcomes["good.md"]).toBe("good.md");
    expect(Object.values(outcomes).filter((outcome) => outcome === "unsafe_path")).toHaveLength(6);
    expect(items.every(({ page }) => !/\p{Cc}/u.test(page.key) && page.url.startsWith(repository.url))).toBe(true);
  });

  it.skipIf(isRepeated || !endurance)("stops at the limits of pages and bytes", async () => {
    const files = Object.fromEntries(Array.from({ length: 20 }, (_value, i) => [`d/${i}.md`, "x".repeat(1000)]));
    const repository = await bed.server.repository("acme/much", files, { oldProtocol });
    const spec = bed.spec(repository.url);
    const tooMany = bed.readAll(spec, { limits: { pages: 19 } });
    await expect(tooMany).rejects.toMatchObject({ code: "library_too_large", message: expect.stringContaining("20") });
    const tooMuch = bed.readAll(spec, { limits: { bytes: 19_999 } });
    await expect(tooMuch).rejects.toMatchObject({ code: "library_too_large" });
    expect((await bed.readAll(spec, { limits: { pages: 20, bytes: 20_000 } })).items).toHaveLength(20);
  });

  it.skipIf(isRepeated)("reads what the selection chooses", async () => {
    const files = { "README.md": "r", "docs/a.md": "a", "docs/v1/b.md": "b", "docs/v2/b.md": "b", "old/c.md": "c" };
    const repository = await bed.server.repository("acme/selected", files, { oldProtocol });
    const paths = async (more: Parameters<GitTestbed["spec"]>[1]): Promise<string[]> =>
      (await bed.readAll(bed.spec(repository.url, more))).items.map(({ page }) => page.key);
    expect(await paths({})).toEqual(["README.md", "docs/a.md", "docs/v2/b.md"]);
    const selection = { folders: ["docs"], excludeFolders: ["v2"], excludeFiles: null };
    expect(await paths({ selection, skipVersionFiltering: true })).toEqual(["README.md", "docs/a.md", "docs/v1/b.md"]);
  });
});
