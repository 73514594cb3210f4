import { expect, it } from "vitest";

import { websiteOf } from "../../../sources/lib/tree/unread-documentation.ts";

const websiteIn = (files: Readonly<Record<string, string>>): Promise<string | undefined> =>
  websiteOf(async (path) => (path in files ? Buffer.from(files[path] ?? "") : undefined));

it.each([
  ["mkdocs.yml", 'site_name: A\nsite_url: "https://a.example/docs/" # live\n', "https://a.example/docs/"],
  ["package.json", '{\n  "name": "a",\n  "homepage": "https://a.example"\n}', "https://a.example"],
  ["composer.json", '{\n    "homepage": "https://a.example/"\n}', "https://a.example/"],
  ["Cargo.toml", '[package]\nhomepage = "https://a.example"\n', "https://a.example"],
  [
    "pyproject.toml",
    '[project.urls]\n"Homepage" = "https://a.example"\nDocs = "https://d.example"',
    "https://d.example",
  ],
])("a website is named in %s", async (path, text, address) => {
  expect(await websiteIn({ [path]: text })).toBe(address);
});

it.each([
  ["package.json", '{\n  "homepage": "https://github.com/acme/a#readme"\n}'],
  ["package.json", '{\n  "homepage": "https://user:secret@a.example/"\n}'],
  ["package.json", "not JSON"],
  ["mkdocs.yml", "site_url: !ENV SITE\n"],
  ["Cargo.toml", `# ${"x".repeat(200_001)}\nhomepage = "https://a.example"`],
])("no website is named in %s: %s", async (path, text) => {
  expect(await websiteIn({ [path]: text })).toBeUndefined();
});

it("the first valid website is taken", async () => {
  const files = {
    "mkdocs.yml": "site_url: https://github.com/acme/a\n",
    "package.json": '{\n  "homepage": "https://a.example"\n}',
  };
  expect(await websiteIn(files)).toBe("https://a.example");
  expect(await websiteIn({})).toBeUndefined();
});
