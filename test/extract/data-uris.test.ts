import { expect, it } from "vitest";
import { extractPage, formatOf } from "../../extract/index.ts";
import { codesOf, extract, proseIn, proseOf } from "./extract.ts";

const data = `data:image/png;base64,${"iVBORw0KGgo+/".repeat(4000)}`;
const svg = `data:image/svg+xml,${"%3Csvg%20width=1%3E".repeat(40)}`;

it.each([
  ["See ![a wheel](DATA) of gears here.", "See a wheel of gears here."],
  ["See ![a wheel][w] of gears here.\n\n[w]: DATA", "See a wheel of gears here."],
  ["See [a wheel](DATA) of gears here.", "See a wheel of gears here."],
  ['See <img alt="a wheel" src="DATA"> of gears here.', "See a wheel of gears here."],
  ["See <DATA> of gears here.", "See HEAD… of gears here."],
  ["See `DATA` of gears here.", "See `HEAD…` of gears here."],
  ["| a | b |\n|---|---|\n| gears | DATA |", "| a | b |\n| --- | --- |\n| gears | HEAD… |"],
  ["See gears[^1] here.\n\n[^1]: With DATA it.", "See gears[^1] here.\n\n[^1]: With HEAD… it."],
])("the content of a data URI is nowhere in prose: %s", (markdown, shown) => {
  for (const uri of [data, svg]) {
    const head = uri.slice(0, uri.indexOf(",") + 1);
    const page = (name: string) => proseIn(`# A\n\n${markdown.replaceAll("DATA", uri)}\n`, name);
    expect(page("a.md")).toBe(shown.replaceAll("HEAD", head));
    expect(page("a.mdx").length).toBeLessThan(200);
    expect(page("a.txt").length).toBeLessThan(200);
  }
});

it.each(["\n", "\r\n   "])("is nowhere in prose where it is broken into lines by %j", (end) => {
  const broken = [data.slice(0, 98), ...(data.slice(98, 4000).match(/.{1,76}/g) ?? []), "Ag=="].join(end);
  const page = `# A\n\nA wheel <img alt="of gears" src="${broken}"> here.\n\n![More](${broken})\n\nWords of the end.\n`;
  expect(proseIn(page)).toMatch(/^A wheel of gears here\.\n\n!\[More\]\([^]{0,400}\n\nWords of the end\.$/);
  const code = `a { b: url(${broken}) }\n${"c { color: red }\n".repeat(500)}d`;
  expect(codesOf(extract("a.md", `# A\n\n\`\`\`css\n${code}\n\`\`\`\n`)).map((one) => one.code)).toEqual([code]);
});

it("stays in code byte for byte, unless the code is mostly data", () => {
  const long = "a { color: red }\n".repeat(40);
  const codes = [`img { background: url(${svg}) }`, `${long}b { background: url(${data.slice(0, 600)}) }`];
  const fences = [...codes, `i { background: url(${data}) }`].map(
    (code) => `Some words.\n\n\`\`\`css\n${code}\n\`\`\`\n`,
  );
  const read = extract("a.md", `# A\n\n${fences.join("\n")}`);
  expect(codesOf(read).map(({ code }) => code)).toEqual(codes);
  expect(read).toMatchObject({ leftOut: [{ reason: "data" }] });
});

it("is nowhere in a notebook, AsciiDoc or a page of HTML", async () => {
  const cells = [
    { cell_type: "markdown", metadata: {}, source: [`# A\n`, `\n`, `A wheel ![of gears](${data}) here.\n`] },
  ];
  expect(proseOf(extract("a.ipynb", JSON.stringify({ cells, metadata: {}, nbformat: 4 })))).toEqual([
    "A wheel of gears here.",
  ]);
  const adoc = `= A\n\nA wheel image:${data}[of gears] or ${data} here.\n`;
  const input = { path: "a.adoc", mediaType: "text/asciidoc", bytes: new TextEncoder().encode(adoc) };
  expect(proseOf(extractPage(input, await formatOf(input.mediaType, input)))).toEqual([
    "A wheel of gears or data:image/png;base64,… here.",
  ]);
  const page = `<main><h1>A</h1><p>A wheel <img alt="of gears" src="${data}"> or <code>${data}</code> here.</p></main>`;
  const html = { path: "a.html", mediaType: "text/html", bytes: new TextEncoder().encode(page) };
  expect(proseOf(extractPage(html, await formatOf("text/html")))).toEqual([
    "A wheel of gears or `data:image/png;base64,…` here.",
  ]);
});
