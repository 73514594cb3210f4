import createMarkdownIt from "markdown-it";
import { expect, it } from "vitest";
import { parseMarkdown } from "../../extract/markdown/parser.ts";
import { seededRandom } from "../../tools/bench/measure.ts";

const parser = createMarkdownIt({ html: true });

/** The parser's own result for a text without hard line breaks, links and HTML. */
function parsed(source: string): string {
  const [inline] = parser.parseInline(source, {});
  const texts = (inline?.children ?? []).map(({ type, content }) => (type.endsWith("break") ? " " : content));
  return texts.join("").replace(/\s+/g, " ").trim();
}

const text = parseMarkdown("", 1, "markdown")?.text ?? (() => "");

it("reads code spans as the parser does", () => {
  expect(text("Call ``a `b` `` and ` x ` , not `c")).toBe("Call a `b` and x , not `c");
  expect(text("Runs\nover `two\nlines` & more!")).toBe("Runs over two lines & more!");
  expect(text("An *emphasis* beside `*code*`")).toBe("An emphasis beside *code*");
});

it("reads any mixture of marks as the parser does", () => {
  const random = seededRandom(7);
  const atoms = "` ` `` ``` | |\n|a|b |word|!|]|~|&|& |; |é|\u00a0|😀|*|_x|~~|&amp;|\\`|  \n|{|#".split("|");
  atoms.push(..."` ` `` ```".split(" "), "`");
  for (let count = 0; count < 20_000; count++) {
    const length = 1 + Math.floor(random() * 12);
    const source = Array.from({ length }, () => atoms[Math.floor(random() * atoms.length)] ?? "").join("");
    // Blanks of plain text are kept.
    expect(text(source).replace(/\s+/g, " "), JSON.stringify(source)).toBe(parsed(source));
  }
});
