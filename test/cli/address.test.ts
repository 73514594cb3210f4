import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { addressOf } from "../../cli/source-argument.ts";
import { folderOfTest } from "../support/of-test.ts";

it.each([
  ["https://git.example.com/acme/widgets", "https://git.example.com/acme/widgets"],
  ["git@git.example.com:acme/widgets.git", "ssh://git@git.example.com/acme/widgets.git"],
  ["git@Git.Example.com:acme/group/widgets", "ssh://git@git.example.com/acme/group/widgets"],
  ["ssh://git@git.example.com:2222/acme/widgets.git", "ssh://git@git.example.com:2222/acme/widgets.git"],
  ["git://git.example.com/acme/widgets.git", "https://git.example.com/acme/widgets.git"],
  ["github.com/acme/widgets", "https://github.com/acme/widgets"],
  ["git.example.com:8443/acme/widgets", "https://git.example.com:8443/acme/widgets"],
  ["docs.example.com/guide/", "https://docs.example.com/guide/"],
  ["acme/widgets", "https://github.com/acme/widgets"],
  ["acme/widgets.js", "https://github.com/acme/widgets.js"],
])("%s is the address %s", async (typed, address) => {
  expect(await addressOf(typed)).toBe(address);
});

it.each([
  "./acme/widgets",
  "/srv/docs",
  "../x/y",
  "~/docs",
  "widgets",
  "openapi.yaml",
  "a/b/c",
  "a b/c",
  "",
  "C:\\docs",
])("%j is a local path", async (typed) => {
  expect(await addressOf(typed)).toBeUndefined();
});

it("prefers an existing path, and a path in an existing folder", async () => {
  const previousFolder = process.cwd();
  onTestFinished(() => process.chdir(previousFolder));
  const folder = await folderOfTest();
  await mkdir(join(folder, "acme", "widgets"), { recursive: true });
  await mkdir(join(folder, "github.com", "acme"), { recursive: true });
  process.chdir(folder);
  expect(await addressOf("acme/widgets")).toBeUndefined();
  expect(await addressOf("acme/wigdets")).toBeUndefined();
  expect(await addressOf("github.com/acme")).toBeUndefined();
  expect(await addressOf("other/widgets")).toBe("https://github.com/other/widgets");
});
