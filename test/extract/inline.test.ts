import createMarkdownIt from "markdown-it";
import { expect, it } from "vitest";
import { seededRandom } from "../../tools/bench/measure.ts";
import { proseIn } from "./extract.ts";

const parser = createMarkdownIt({ html: true });

/** The words of a text by the parser alone. */
function wordsOf(source: string): readonly string[] {
  const [inline] = parser.parseInline(source, {});
  const texts = (inline?.children ?? []).map(({ type, content }) => (type.endsWith("break") ? " " : content));
  return texts.join("").match(/[\p{L}\p{N}]+/gu) ?? [];
}

it("serves any mixture of marks with the words that the parser finds, which are the same when it is parsed again", () => {
  const random = seededRandom(7);
  const atoms = "` ` `` ``` | |\n|a|b |word|!|]|~|&|& |; |é|\u00a0|😀|*|_x|~~|&amp;|\\`|  \n|{".split("|");
  atoms.push(..."` ` `` ```".split(" "), "`");
  for (let count = 0; count < 2000; count++) {
    const length = 1 + Math.floor(random() * 12);
    const source = Array.from({ length }, () => atoms[Math.floor(random() * atoms.length)] ?? "").join("");
    // A line end within it could begin a block.
    const page = `Words ${source.replace(/\n/g, " ")} and words that are enough for prose.`;
    const served = proseIn(`# A\n\n${page}\n`);
    expect(wordsOf(served), JSON.stringify(page)).toEqual(wordsOf(page));
  }
});

it("has nothing in place of a picture without a text", () => {
  expect(proseIn("# A\n\nSee it ![](a.png) and the words here.\n")).toBe("See it  and the words here.");
});
