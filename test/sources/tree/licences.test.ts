import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { licenceOf, chooseLicenceFiles, licencesOf } from "../../../sources/lib/tree/licences.ts";
import { manifestFactsIn } from "../../../sources/lib/tree/manifests.ts";

const root = new URL("../../../", import.meta.url);
const textOf = (path: string): Promise<string> => readFile(new URL(path, root), "utf8");
const mit = await textOf("LICENSE");
const apache = await textOf("node_modules/@aws-sdk/client-s3/LICENSE");

/** The licences that files at the root give together. */
function licencesIn(files: Readonly<Record<string, string>>) {
  return licencesOf(Object.entries(files).map(([path, text]) => ({ path, text })));
}

describe("the text of a licence", () => {
  it.each([
    ["MIT", "node_modules/zod/LICENSE"],
    ["ISC", "node_modules/yaml/LICENSE"],
    ["Apache-2.0", "node_modules/@aws-sdk/client-s3/LICENSE"],
    ["BSD-2-Clause", "node_modules/entities/LICENSE"],
    ["BSD-3-Clause", "node_modules/smol-toml/LICENSE"],
  ])("is recognised as %s, in whichever file", async (id, path) => {
    expect(licenceOf(await textOf(path))).toBe(id);
  });

  it.each([
    [
      "with an extra clause",
      (text: string) => `${text}\n${"The Software shall be used for good, not evil. ".repeat(8)}`,
    ],
    [
      "with a missing clause",
      (text: string) => text.replace(/The above copyright notice[\s\S]*?\n\n/, "").slice(0, 700),
    ],
    ["that is empty", () => ""],
    ["without a licence", () => "All rights reserved. Ask us."],
  ])("%s is not recognised", (_what, change) => {
    expect(licenceOf(change(mit))).toBeUndefined();
  });
});

it("is returned with the names that manifests claim, each from its own files", () => {
  const text = '{"name": "widgets", "license": "ISC"}';
  const files = [
    { path: "package.json", bytes: new TextEncoder().encode(text) },
    { path: "LICENSE", bytes: new TextEncoder().encode(mit) },
  ];
  expect(manifestFactsIn({ files, manifests: ["package.json"], licensing: ["LICENSE"] })).toEqual({
    claims: [{ name: "widgets", manifest: "package.json" }],
    licences: [["MIT"]],
  });
});

describe("the licence of a library", () => {
  it.each([
    ["package.json", '{"license": "MIT"}', [["MIT"]]],
    ["package.json", '{"private": true, "license": "(MIT OR Apache-2.0)"}', [["MIT", "Apache-2.0"]]],
    ["package.json", '{"license": "MIT AND CC-BY-4.0"}', [["MIT"], ["CC-BY-4.0"]]],
    ["package.json", '{"license": "GPL-2.0-or-later WITH Classpath-exception-2.0"}', [["GPL-2.0-or-later"]]],
    ["composer.json", '{"license": ["LGPL-2.1-only", "GPL-3.0-or-later"]}', [["LGPL-2.1-only", "GPL-3.0-or-later"]]],
    ["Cargo.toml", '[package]\nlicense = "MIT/Apache-2.0"\n', [["MIT", "Apache-2.0"]]],
    ["pyproject.toml", '[project]\nlicense = "BSD-3-Clause"\n', [["BSD-3-Clause"]]],
    ["pyproject.toml", '[project]\nlicense = {text = "MIT"}\n', [["MIT"]]],
    ["pyproject.toml", '[tool.poetry]\nlicense = "MIT"\n', [["MIT"]]],
    ["widgets.gemspec", "Gem::Specification.new do |s|\n  s.license = 'MIT'\nend\n", [["MIT"]]],
  ])("is what %s states: %s", (path, text, expected) => {
    expect(licencesIn({ [path]: text })).toEqual(expected);
  });

  it.each([
    ['{"license": "Free for friends"}'],
    ['{"license": "LicenseRef-ignore-all-previous-instructions"}'],
    ['{"license": "SEE LICENSE IN terms.md"}'],
    [`{"license": "${"(".repeat(400)}MIT"}`],
    [`{"license": "${Array.from({ length: 12 }, () => "(MIT AND ISC)").join(" OR ")}"}`],
    ['{"license": {"type": "MIT"}}'],
    ["{"],
    ["{}"],
  ])("is not known from %s", (text) => {
    expect(licencesIn({ "package.json": text })).toBeUndefined();
  });

  it("is that of its licence files and of its manifests", () => {
    expect(licencesIn({ LICENSE: mit })).toEqual([["MIT"]]);
    expect(licencesIn({ "LICENSE-MIT": mit, "LICENSE-APACHE": apache })).toEqual([["MIT"], ["Apache-2.0"]]);
    const crate = { "Cargo.toml": '[package]\nlicense = "MIT OR Apache-2.0"\n' };
    expect(licencesIn({ ...crate, "LICENSE-MIT": mit, "LICENSE-APACHE": apache })).toEqual([["MIT", "Apache-2.0"]]);
    // If they differ, both apply.
    expect(licencesIn({ "package.json": '{"license": "MIT"}', LICENSE: apache })).toEqual([["MIT"], ["Apache-2.0"]]);
    expect(licencesIn({ "package.json": '{"license": "UNLICENSED"}', LICENSE: mit })).toBeUndefined();
    expect(licencesIn({ LICENSE: "Ask us." })).toBeUndefined();
    expect(licencesIn({ LICENSE: "MIT, see below.", "package.json": '{"license": "MIT"}' })).toEqual([["MIT"]]);
    expect(licencesIn({})).toBeUndefined();
  });

  it("is looked for in its own folder, then at the root, and not in third-party files", () => {
    const paths = [
      "LICENSE",
      "package.json",
      "THIRD-PARTY-NOTICES",
      "LICENSE-3rdparty.csv",
      "packages/a/LICENSE.md",
      "vendor/x/LICENSE",
      "README.md",
    ];
    expect(chooseLicenceFiles(paths, "packages/a")).toEqual(["packages/a/LICENSE.md"]);
    for (const own of ["", "packages/b"]) expect(chooseLicenceFiles(paths, own)).toEqual(["LICENSE", "package.json"]);
  });
});
