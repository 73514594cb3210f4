import { describe, expect, it } from "vitest";
import { documentTypes, extensions, mediaTypeOf } from "../../extract/formats.ts";
import { extractPage, formatOf } from "../../extract/index.ts";
import type { PageResult } from "../../extract/page.ts";
import { pdfOf, shape, slidesOf, wordOf, type PrintedLine } from "../support/office.ts";
import { zipOf } from "../support/zip.ts";

async function read(path: string, bytes: Uint8Array): Promise<PageResult> {
  const page = { path, mediaType: mediaTypeOf(path), bytes };
  return extractPage(page, await formatOf(page.mediaType, page));
}

/** What is served of a document: its words, and code in fences. */
async function served(path: string, bytes: Uint8Array): Promise<string> {
  const result = await read(path, bytes);
  if (result.outcome === "skipped") return `${result.code}: ${result.reason}`;
  const blocks = result.passages.flatMap((passage) => passage.blocks);
  return blocks
    .flatMap((block) =>
      block.type === "prose" ? [block.markdown] : block.codes.map(({ code }) => `\`\`\`\n${code}\n\`\`\``),
    )
    .join("\n\n");
}

const code = ["def main(path):", "    for item in load(path):", "        print(item)", "", "main('x')"];
const fenced = `\`\`\`\n${code.join("\n")}\n\`\`\``;
/** The lines of code on paper, without the empty ones, indented by their place. */
const printed = (top: number): readonly PrintedLine[] =>
  code.flatMap((text, at): readonly PrintedLine[] => {
    const indent = text.length - text.trimStart().length;
    return text === "" ? [] : [["code", 10, 72 + indent * 6, top - at * 12, text.trimStart()]];
  });
const paragraph = (top: number, ...lines: readonly string[]): readonly PrintedLine[] =>
  lines.map((text, at) => ["text", 11, 72, top - at * 13, text]);
const intro = [
  "Widgets are kept in a store that several programs read at once, and this para-",
  "graph is about how they are read, which is done in the order of their names.",
];
const joined = intro.join("").replace("para-", "para");

describe("a PDF", () => {
  it("is read in the order of its lines, with headings, code and lists, without running lines", async () => {
    const page = (number: number, lines: readonly PrintedLine[]): readonly PrintedLine[] => [
      ["text", 8, 72, 770, "The Widget Handbook"],
      ...lines,
      ["text", 8, 300, 30, `Page ${number} of 3`],
    ];
    const pdf = pdfOf([
      page(1, [["bold", 22, 72, 700, "Widgets"], ...paragraph(660, ...intro)]),
      // The file has the end of the page first.
      page(2, [
        ...printed(600),
        ...paragraph(630, "This program prints all of them:"),
        ["bold", 16, 72, 680, "Reading them"],
      ]),
      page(3, [
        ...paragraph(700, "\u0095 One widget", "\u0095 Another widget"),
        ...paragraph(640, "2. Second step", "3. Third step"),
      ]),
    ]);
    expect(await served("handbook.pdf", pdf)).toBe(
      [
        joined,
        "#### Reading them",
        "This program prints all of them:",
        fenced,
        "- One widget\n- Another widget",
        "2. Second step\n3. Third step",
      ].join("\n\n"),
    );
  });

  it("has its tables, and words with the hyphens that they have elsewhere", async () => {
    const cells = (y: number, ...texts: readonly string[]): readonly PrintedLine[] =>
      texts.map((text, at) => ["text", 11, 72 + at * 150, y, text]);
    const pdf = pdfOf([
      [
        ...paragraph(
          720,
          "A read-only widget is one that nobody changes, and it is read as any other is read-",
          "only means just that.",
        ),
        ...cells(660, "Option", "Meaning", "Default"),
        ...cells(640, "port", "Where it listens", "8080"),
        ...cells(620, "path", "Where its data is", "./data"),
      ],
    ]);
    const text = await served("options.pdf", pdf);
    expect(text).toContain("is read as any other is read-only means");
    expect(text).toContain(
      "| Option | Meaning | Default |\n| --- | --- | --- |\n| port | Where it listens | 8080 |\n| path | Where its data is | ./data |",
    );
  });

  it("is read by columns", async () => {
    const column = (x: number, word: string): readonly PrintedLine[] =>
      Array.from({ length: 12 }, (_, at) => [
        "text",
        11,
        x,
        700 - at * 13,
        `${word} ${at} says some more about what widgets`,
      ]);
    const text = await served("columns.pdf", pdfOf([[...column(60, "left"), ...column(330, "right")]]));
    expect(text.indexOf("left 11")).toBeLessThan(text.indexOf("right 0"));
    expect(text.indexOf("left 11")).toBeGreaterThan(0);
  });

  it("names the page of each block", async () => {
    const result = await read("pages.pdf", pdfOf([[...paragraph(700, ...intro)], [...printed(700)]]));
    if (result.outcome !== "indexed") throw new Error(result.reason);
    const [passage] = result.passages;
    expect(passage?.lines).toEqual([1, 2]);
    expect(passage?.blocks.map((block) => (block.type === "prose" ? 0 : block.lines))).toEqual([0, [2, 2]]);
  });

  it.each([
    ["nothing but pictures", pdfOf([[]]), "empty: The PDF has no text"],
    ["damage", Buffer.from("%PDF-1.7\n1 0 obj\n<<"), "unreadable: The PDF is damaged"],
    ["no PDF", Buffer.from("Hello"), "unreadable: The PDF is damaged"],
    ["an owner who protects it", lockedPdf(), "unreadable: The PDF is protected by a password"],
  ])("of %s is left out with a reason", async (_, bytes, reason) => {
    expect(await served("bad.pdf", bytes)).toContain(reason);
  });
});

describe("a Word document", () => {
  it("has its headings, code by style and font, lists and tables", async () => {
    const cell = (text: string): string => `<w:tc><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:tc>`;
    const style =
      '<w:style w:type="paragraph" w:styleId="Base"><w:name w:val="Listing Base"/><w:rPr><w:rFonts w:ascii="Consolas"/></w:rPr></w:style><w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Our programs"/><w:basedOn w:val="Base"/></w:style>';
    const line = (text: string): string => {
      const run = text === "" ? "" : `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
      return `<w:p><w:pPr><w:pStyle w:val="Own"/></w:pPr>${run}</w:p>`;
    };
    const inline = '<w:r><w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr><w:t>load</w:t></w:r>';
    const body = [
      '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Widgets</w:t></w:r></w:p>',
      `<w:p><w:r><w:t xml:space="preserve">Call </w:t></w:r>${inline}<w:r><w:t xml:space="preserve"> to read all of the widgets:</w:t></w:r></w:p>`,
      ...code.map(line),
      `<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr>${cell("Option")}${cell("Meaning")}</w:tr><w:tr>${cell("port")}${cell("Where it listens")}</w:tr></w:tbl>`,
    ].join("");
    expect(await served("widgets.docx", wordOf(body, style))).toBe(
      [
        "Call `load` to read all of the widgets:",
        fenced,
        "| Option | Meaning |\n| --- | --- |\n| port | Where it listens |",
      ].join("\n\n"),
    );
    const byFont = wordOf([
      ["Heading1", "Widgets"],
      ["", "Read all of them:"],
      ...code.map((text) => ["", text, "Menlo"] as const),
    ]);
    expect(await served("widgets.docx", byFont)).toContain(fenced);
  });

  it.each([
    ["a password", Buffer.from("d0cf11e0a1b11ae1", "hex"), "unreadable: The file is protected by a password"],
    ["damage", wordOf([["", "x"]]).subarray(0, 200), "unreadable: The file is damaged"],
    ["another content", zipOf([{ path: "a.txt", body: "a" }]), "unreadable: The file is damaged"],
    [
      "a wrong size",
      zipOf([{ path: "word/document.xml", body: "x".repeat(2000), listed: { size: 10 }, local: { size: 10 } }]),
      "unreadable",
    ],
    ["too much text", zipOf([{ path: "word/document.xml", body: "x", listed: { size: 200_000_000 } }]), "too_large"],
  ])("with %s is left out with a reason", async (_, bytes, reason) => {
    expect(await served("bad.docx", bytes)).toContain(reason);
  });
});

describe("a presentation", () => {
  const run = (text: string, font = ""): string =>
    `<a:r>${font && `<a:rPr><a:latin typeface="${font}"/></a:rPr>`}<a:t>${text}</a:t></a:r>`;

  it("has its slides in their order, with lists, code and tables", async () => {
    const list = `<a:p>${run("One widget")}</a:p><a:p><a:pPr lvl="1"/>${run("A part of it")}</a:p><a:p>${run("Another widget")}</a:p>`;
    const cell = (text: string): string => `<a:tc><a:txBody><a:p>${run(text)}</a:p></a:txBody></a:tc>`;
    const table = `<p:graphicFrame><a:tbl><a:tr>${cell("Option")}${cell("Meaning")}</a:tr><a:tr>${cell("port")}${cell("Where it listens")}</a:tr></a:tbl></p:graphicFrame>`;
    const program = code.map((text) => `<a:p>${text === "" ? "" : run(text, "Courier New")}</a:p>`).join("");
    const slides = slidesOf([
      ["Widgets", shape("body", list) + shape("sldNum", `<a:p>${run("1")}</a:p>`)],
      ["Reading them", shape("", program) + table],
    ]);
    expect(await served("talk.pptx", slides)).toBe(
      [
        "#### Widgets",
        "- One widget\n  - A part of it\n- Another widget",
        "#### Reading them",
        fenced,
        "| Option | Meaning |\n| --- | --- |\n| port | Where it listens |",
      ].join("\n\n"),
    );
  });

  it("without slides is left out with a reason", async () => {
    expect(await served("bad.pptx", zipOf([{ path: "a.xml", body: "<a/>" }]))).toContain(
      "unreadable: The file is damaged",
    );
  });
});

it("documents of office programs are read in folders and uploads, not in repositories", () => {
  expect(Object.keys(documentTypes)).toEqual(expect.arrayContaining([".pdf", ".docx", ".pptx", ".html"]));
  expect(extensions.filter((ending) => [".pdf", ".docx", ".pptx"].includes(ending))).toEqual([]);
});

/** A PDF that asks for a password. */
function lockedPdf(): Buffer {
  const key = "0".repeat(64);
  return Buffer.from(
    pdfOf([[["text", 11, 72, 700, "Secret"]]])
      .toString("latin1")
      .replace(
        "/Root 1 0 R",
        `/Root 1 0 R /ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${key}> /U <${key}> >>`,
      ),
    "latin1",
  );
}
