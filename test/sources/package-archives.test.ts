import { createHash } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { unpack } from "../../sources/package/unpack.ts";
import { filesIn, tarball } from "../support/archives.ts";
import type { ArchivedFile } from "../support/archives.ts";
import { temporaryFolder } from "../support/lectern-process.ts";
import { publishedPackage } from "./package-setup.ts";

/** What unpacking comes to: the files that are there then, in the folder and beside it. */
async function unpacked(archive: Buffer, format: "tar" | "zip" = "tar", more: object = {}) {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "archive");
  await writeFile(path, archive);
  const root = join(folder.path, "in", "package");
  const { mkdir } = await import("node:fs/promises");
  await mkdir(root, { recursive: true });
  const rules = {
    strip: 1,
    wanted: () => true,
    fileBytes: 1e6,
    maxUnpacked: 5e6,
    signal: new AbortController().signal,
  };
  const result = await unpack({ path, format, name: "widgets" }, root, { ...rules, ...more }).catch(
    (error: unknown) => error,
  );
  const all = await readdir(folder.path, { recursive: true });
  return { result, files: all.filter((file) => file !== "archive" && file !== "in" && file !== join("in", "package")) };
}

const good = filesIn("package", { "README.md": "# Hello\n" });

it("unpacks plain files", async () => {
  const { result, files } = await unpacked(tarball(good));
  expect(result).toEqual({ links: 0, tooLarge: 0 });
  expect(files).toEqual([join("in", "package", "README.md")]);
});

it.each<[string, ArchivedFile]>([
  ["a step upwards", { path: "package/../../evil.md", body: "x" }],
  ["an absolute path", { path: "/tmp/evil.md", body: "x" }],
  ["a backslash", { path: "package\\..\\evil.md", body: "x" }],
  ["a control character", { path: "package/e\u0007vil.md", body: "x" }],
  ["a path that is too deep", { path: `package/${"a/".repeat(40)}b.md`, body: "x" }],
])("refuses an archive with %s, and writes nothing outside", async (_what, entry) => {
  const { result, files } = await unpacked(tarball([entry, ...good]));
  expect(result).toMatchObject({ code: "source_invalid" });
  expect(files).toEqual([]);
});

it("leaves links and devices out, and does not write through them", async () => {
  const { result, files } = await unpacked(
    tarball([
      { path: "package/out", type: "SymbolicLink", linkpath: "../.." },
      { path: "package/hard.md", type: "Link", linkpath: "/etc/passwd" },
      { path: "package/null", type: "CharacterDevice" },
      { path: "package/out/evil.md", body: "x" },
    ]),
  );
  expect(result).toEqual({ links: 2, tooLarge: 0 });
  expect(files.toSorted()).toEqual([join("in", "package", "out"), join("in", "package", "out", "evil.md")]);
});

it("refuses what unpacks to too much, what is cut off, and what is no archive", async () => {
  const bomb = tarball([{ path: "package/zeros.md", body: Buffer.alloc(8_000_000) }]);
  expect(bomb.length).toBeLessThan(50_000);
  expect((await unpacked(bomb)).result).toMatchObject({ code: "library_too_large" });
  expect((await unpacked(tarball(good).subarray(0, 60))).result).toMatchObject({ code: "source_invalid" });
  expect((await unpacked(Buffer.from("hello"))).result).toMatchObject({ code: "source_invalid" });
  expect((await unpacked(Buffer.from("hello"), "zip")).result).toMatchObject({ code: "source_invalid" });
});

it("refuses a name that is a file and a folder", async () => {
  const both = filesIn("package", { a: "x", "a/b.md": "x" });
  expect((await unpacked(tarball(both))).result).toMatchObject({ code: "source_invalid" });
});

it("refuses an archive that is not what its registry says", async () => {
  const { index } = await publishedPackage("widgets", {
    "1.0.0": {
      files: { "README.md": "# Hi\n" },
      integrity: `sha512-${createHash("sha512").update("other").digest("base64")}`,
    },
  });
  await expect(index()).rejects.toMatchObject({
    code: "source_invalid",
    message: expect.stringContaining("sha512") as string,
  });
});

it.each<[string, string, string]>([
  ["no JSON", "<html>", "source_invalid"],
  ["without versions", "{}", "source_invalid"],
  ["with versions that are none", '{"versions":[]}', "no_snippets_found"],
])("refuses metadata that is %s", async (_what, body, code) => {
  const { index, registry } = await publishedPackage("widgets", {});
  registry.pages.set("/widgets", { headers: { "content-type": "application/json" }, body });
  await expect(index()).rejects.toMatchObject({ code });
});
