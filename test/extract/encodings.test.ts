import { describe, expect, it } from "vitest";
import { readHtml } from "../../extract/html/index.ts";
import { extractPage } from "../../extract/index.ts";
import { codesOf, extract, proseOf, withFiles } from "./extract.ts";

const words = "The café setting decides how many gears turn at once and in which order they stop.";
const page = `# Café\n\n${words}\n\n\`\`\`sh\necho résumé\n\`\`\`\n`;
const guess = "The page is not UTF-8, and is read as windows-1252.";

const bigEndian = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

describe("a page in another encoding is read as it was written", () => {
  it.each([
    ["UTF-8 with a mark", Buffer.from(`\uFEFF${page}`), undefined],
    ["UTF-16, little-endian", Buffer.from(`\uFEFF${page}`, "utf16le"), undefined],
    ["UTF-16, big-endian", bigEndian(`\uFEFF${page}`), undefined],
    ["windows-1252", Buffer.from(page, "latin1"), [guess]],
  ])("%s", (_, bytes, notes) => {
    const result = extract("README.md", bytes);
    expect(result).toMatchObject({ outcome: "indexed", title: "Café", name: "Café" });
    expect(proseOf(result).join("\n")).toContain(words);
    expect(codesOf(result).map(({ code }) => code)).toEqual(["echo résumé"]);
    expect(result.notes).toEqual(notes);
  });

  it("with the signs of windows-1252", () => {
    const bytes = Buffer.from(page.replace("at once", "\x93at once\x94 \x96 for 5 \x80 \x85"), "latin1");
    expect(proseOf(extract("a.md", bytes)).join("\n")).toContain("“at once” – for 5 € …");
  });

  it.each([
    ["declared in the page", '<meta charset="iso-8859-2">', Buffer.from([0xb1, 0xea]), "ąę", undefined],
    ["declared, but in UTF-8", '<meta charset="iso-8859-2">', Buffer.from("ąę"), "ąę", undefined],
    ["declared as UTF-8, but in windows-1252", '<meta charset="utf-8">', Buffer.from([0xe9]), "é", [guess]],
    ["declared nowhere", "", Buffer.from([0xe9]), "é", [guess]],
  ])("HTML %s", (_, head, letters, text, notes) => {
    const html = `<html><head>${head}<title>A</title></head><body><main><h1>A</h1><p>Words that are long enough to be served, and letters: |</p></main></body></html>`;
    const [before = "", after = ""] = html.split("|");
    const bytes = Buffer.concat([Buffer.from(before), letters, Buffer.from(after)]);
    const result = extractPage({ path: "/a", mediaType: "text/html", bytes }, readHtml);
    expect(proseOf(result).join("\n")).toContain(`and letters: ${text}`);
    expect(result.notes).toEqual(notes);
  });
});

describe("what no encoding explains is told", () => {
  it.each([
    ["a broken sign in UTF-8", Buffer.concat([Buffer.from(`${page}\nÀ ça: `), Buffer.from([0xf0, 0x9f])]), 1],
    ["half a sign of UTF-16", Buffer.from(`\uFEFF${page}\n\uD83D`, "utf16le"), 1],
    ["another script", Buffer.concat([Buffer.from(page), Buffer.from("cff0e8e2e5f2", "hex")]), 6],
  ])("%s", (_, bytes, count) => {
    const result = extract("a.md", bytes);
    expect(proseOf(result).join("\n")).toContain(words);
    expect(result.notes).toEqual([`The page has ${count} invalid characters, which are shown as \uFFFD.`]);
  });

  it("code with invalid characters is left out", () => {
    const bytes = Buffer.concat([Buffer.from(`${page}\n~~~\nça `), Buffer.from([0xf0, 0x9f]), Buffer.from("\n~~~\n")]);
    const result = extract("a.md", bytes);
    expect(codesOf(result).map(({ code }) => code)).toEqual(["echo résumé"]);
    expect(result).toMatchObject({ leftOut: [{ reason: "damaged" }] });
  });

  it("a replacement character that the page has itself is no damage", () => {
    const result = extract("a.md", `${page}\nIt shows \uFFFD then.\n`);
    expect(proseOf(result).join("\n")).toContain("It shows \uFFFD then.");
    expect(result.notes).toBeUndefined();
  });

  it("NUL characters in UTF-16 are binary data", () => {
    expect(extract("a.md", Buffer.from(`\uFEFF${page}\0`, "utf16le"))).toMatchObject({ code: "not_text" });
  });
});

it("an included file in windows-1252 is included, with a note", () => {
  const result = withFiles("docs/a.md", `# A\n\n${words}\n\n--8<-- "docs/b.sh"\n`, {
    "docs/b.sh": Buffer.from("echo résumé\n", "latin1"),
  });
  expect(codesOf(result).map(({ code }) => code)).toEqual(["echo résumé"]);
  expect(result.notes).toEqual(["The included docs/b.sh is not UTF-8, and is read as windows-1252."]);
});
