import { Parser } from "commonmark";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amount, runs } from "../support/endurance.ts";
import { codesOf, extract } from "./extract.ts";

/** Lines that make and break blocks, in any order. */
const line = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("```", "~~~", "````", "~~~~~", "```js", "~~~ sh `a`", "  ```", "``` ", "`````"),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "a",
      "  b",
      "    c",
      "\td",
      "  \te",
      "      f",
      "\t\tg",
      " \t h",
      "x = 1;  ",
      "const é = '\u2028';",
    ),
  },
  { weight: 3, arbitrary: fc.constantFrom("", "", " ", "\t", "     ") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "- ",
      "* l",
      "1. ",
      "10) m",
      "-\tn",
      "  - o",
      "-     p",
      "- ```",
      "1. ~~~",
      "-\t```",
      "+ - q",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "> ",
      ">",
      "> r",
      ">     s",
      ">\tt",
      "> ```",
      ">```",
      "> - u",
      "- > v",
      ">\t\tw",
      "> ~~~",
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("# h", "Title\n===", "## ##", "***", "text ``` text", "- # h") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("<div>", "</div>", "<!-- c", "-->", "<b>x</b>", "</pre>", "<script>", "<x-y>"),
  },
);
/** Documents of such lines, each after one of these prefixes, with one kind of line end. */
function documents(beginnings: readonly string[]): fc.Arbitrary<string> {
  const lines = fc.array(fc.tuple(fc.constantFrom(...beginnings), line), { minLength: 1, maxLength: 24 });
  return (
    fc
      .tuple(lines, fc.constantFrom("\n", "\n", "\r\n", "\r"), fc.boolean())
      .map(
        ([all, end, ended]) =>
          all
            .map((parts) => parts.join(""))
            .join("\n")
            .replaceAll("\n", end) + (ended ? end : ""),
      )
      // Front matter is no Markdown, and a page of blanks is none at all.
      .filter((text) => !text.startsWith("---") && text.trim() !== "")
  );
}

/** The code that an independent parser finds. */
function referenceCodes(text: string): string[] {
  const codes: string[] = [];
  const walker = new Parser().parse(text).walker();
  for (let step = walker.next(); step !== null; step = walker.next())
    if (step.entering && step.node.type === "code_block") codes.push(step.node.literal ?? "");
  return codes.filter((code) => code.trim() !== "");
}

/** Leaves out what parsers may differ in: line ends, the last one, and the blanks of a half-used tab. */
function comparable(code: string): string {
  const lines = code.replace(/\r\n?/g, "\n").replace(/\s+$/, "").split("\n");
  return lines.map((text) => (/^\t| {1,3}/.test(text) ? text.trimStart() : text)).join("\n");
}

describe("code in Markdown", () => {
  it("is what an independent parser finds, whatever surrounds it", () => {
    fc.assert(
      fc.property(documents(["", "", " ", "> "]), (text) => {
        expect(codesOf(extract("page.md", text)).map(({ code }) => comparable(code))).toEqual(
          referenceCodes(text).map(comparable),
        );
      }),
      { numRuns: runs({ short: 1000, long: 10_000 }) },
    );
  });

  // The two parsers differ on code in an item indented by four or more after a quote.
  it("lacks nothing that an independent parser finds, however the lines are indented", () => {
    fc.assert(
      fc.property(documents(["", "", " ", "  ", "   ", "> "]), (text) => {
        const found = codesOf(extract("page.md", text)).map(({ code }) => comparable(code));
        for (const code of referenceCodes(text).map(comparable)) {
          const at = found.indexOf(code);
          expect(at, `${JSON.stringify(code)} of ${JSON.stringify(text)}`).toBeGreaterThanOrEqual(0);
          found.splice(0, at + 1);
        }
      }),
      { numRuns: amount({ short: 1000, long: 3000 }), seed: 1 },
    );
  });

  it("consists of the ends of the file's own lines, with the file's own line ends between them", () => {
    fc.assert(
      fc.property(documents(["", "  ", "    ", "\t", "> ", " \t", "- "]), (text) => {
        const source = toLines(text);
        for (const { code, lines } of codesOf(extract("page.md", text))) {
          const range = source.slice(lines[0] - 1, lines[1]);
          expect(range.length).toBe(lines[1] - lines[0] + 1);
          const served = toLines(code);
          const fits = (part: string, index: number, start: number): boolean =>
            index === served.length - 1
              ? (range[start + index] ?? "").replace(/\r\n$|[\r\n]$/, "").endsWith(part)
              : (range[start + index] ?? "").endsWith(part);
          expect(range.some((_, start) => served.every((part, index) => fits(part, index, start)))).toBe(true);
        }
      }),
      { numRuns: runs({ short: 1000, long: 10_000 }) },
    );
  });

  it.each([
    ["with CR LF", "```js\r\nconst a = 1;\r\n\r\n\tb();\r\n```\r\n", "const a = 1;\r\n\r\n\tb();"],
    ["with lone CR", "```\ra\rb\r```", "a\rb"],
    ["with a line separator in it", "```\na\u2028b\n```", "a\u2028b"],
    ["with blanks at line ends and empty lines at both ends", "```\n\n a  \n\n```\n", "\n a  \n"],
    ["with tabs", "```\n\tif:\n\t\tgo\n```", "\tif:\n\t\tgo"],
    ["that is indented like its fence", "  ```\n  a\n    b\n c\n  ```", "a\n  b\nc"],
    ["in a list", "1. Do:\n\n   ```sh\n   ls\n     -l\n   ```\n", "ls\n  -l"],
    ["in a quote in a list", "- > ```\n  > a\n  >   b\n  > ```\n", "a\n  b"],
    ["behind a half-used tab", "- ```\n\ta\n  ```\n", "\ta"],
    ["in a fence longer than the one in it", "````md\n```js\na\n```\n````", "```js\na\n```"],
    ["that ends with the file", "~~~\na\n  ", "a\n  "],
    ["that is indented", "Text\n\n    a\n\n      b\n\nText", "a\n\n  b"],
    ["with entities, escapes and HTML", "```\n&amp; \\* <b>\n```", "&amp; \\* <b>"],
    ["behind a byte order mark", "\uFEFF```\n\uFEFFa\n```", "\uFEFFa"],
  ])("is kept byte for byte %s", (_, text, code) => {
    expect(codesOf(extract("page.md", text)).map((block) => block.code)).toEqual([code]);
  });

  it("has the lines of its fence, counted from the start of the file", () => {
    const [code] = codesOf(extract("page.md", "---\ntitle: A\n---\n\n# A\n\n```js\na\n```\n"));
    expect(code?.lines).toEqual([7, 9]);
  });

  it("is left out where the file's bytes are broken UTF-8, but not the rest of the page", () => {
    const bytes = Buffer.concat([
      Buffer.from("```\na\n```\n\n```\nb"),
      Buffer.from([0xf0, 0x9f]),
      Buffer.from("\n```\n\n```\nc\n```\n"),
    ]);
    expect(codesOf(extract("page.md", bytes)).map(({ code }) => code)).toEqual(["a", "c"]);
  });
});

/** The lines of a text with their line ends; the last one has none. */
function toLines(text: string): string[] {
  return [...text.split(/(?<=\n|\r(?!\n))/), ...(/[\r\n]$/.test(text) ? [""] : [])];
}
