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

it("is nowhere in a notebook or a page of HTML", async () => {
  const cells = [
    { cell_type: "markdown", metadata: {}, source: [`# A\n`, `\n`, `A wheel ![of gears](${data}) here.\n`] },
  ];
  expect(proseOf(extract("a.ipynb", JSON.stringify({ cells, metadata: {}, nbformat: 4 })))).toEqual([
    "A wheel of gears here.",
  ]);
  const page = `<main><h1>A</h1><p>A wheel <img alt="of gears" src="${data}"> or <code>${data}</code> here.</p></main>`;
  const html = { path: "a.html", mediaType: "text/html", bytes: new TextEncoder().encode(page) };
  expect(proseOf(extractPage(html, await formatOf("text/html")))).toEqual([
    "A wheel of gears or `data:image/png;base64,…` here.",
  ]);
});
