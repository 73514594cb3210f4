import { expect, it } from "vitest";
import { readMarkdown } from "../../extract/markdown/index.ts";
import { marksOf } from "../../extract/markdown/marked-lines.ts";

const code = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";

it.each([
  ["js", []],
  ["js {2,4-6}", ["Lines 2 and 4–6 are highlighted."]],
  ["js{3}", ["Line 3 is highlighted."]],
  ["ts del={1,7} ins={3}", ["Lines 1 and 7 are removed.", "Line 3 is added."]],
  ["ts del={1} ins={1-2, 5}", ["Line 1 is removed.", "Lines 1–2 and 5 are added."]],
  ['js {"Mind this":4-5}', ["Lines 4–5 are highlighted.", "Lines 4–5: Mind this."]],
  ['js ins="three" "five"', ["`five` is highlighted.", "`three` is added."].toReversed()],
  ["js /two/", ["`two` is highlighted."]],
  ["js /none/", []],
  ['js {"linenos": true, "hl_lines": [2, 3]}', ["Lines 2–3 are highlighted."]],
  ['python hl_lines="2 3" linenums="1"', ["Lines 2–3 are highlighted."]],
  ['python linenums="10"', ["The page numbers the lines from 10."]],
  ["js showLineNumbers{10} {1}", ["Line 1 is highlighted.", "The page numbers the lines from 10."]],
  ["js showLineNumbers startLineNumber=5", ["The page numbers the lines from 5."]],
  ["ts:line-numbers=2 {1}", ["Line 1 is highlighted.", "The page numbers the lines from 2."]],
  ["js collapse={2-4}", ["Lines 2–4 are collapsed."]],
  ["js highlight={1-2} focus={4}", ["Lines 1–2 are highlighted.", "Line 4 is in focus."]],
  [
    "tsx filename=app/root.tsx add=[2] remove=[3] lines=[5]",
    ["Line 3 is removed.", "Line 2 is added.", "Line 5 is highlighted."],
  ],
  ['js {data-filename="a.js" data-diff="-1,+2,+3"}', ["Line 1 is removed.", "Lines 2–3 are added."]],
  [
    'go {linenos=table,hl_lines=[2,"4-5"],linenostart=199}',
    ["Lines 2 and 4–5 are highlighted.", "The page numbers the lines from 199."],
  ],
  ['js [[1, 2, "two"], [2, 4, "four"]]', ["`two` and `four` are highlighted."]],
  [
    'angular-ts {header: "In a few words", highlight: [3], linenums}',
    ["Line 3 is highlighted.", "Its title is “In a few words”."],
  ],
  ['js title="src/a.js" {90}', []],
  ['js lines="2-3"', []],
  ['tsx filename="AI SDK 4.0"', ["Its title is “AI SDK 4.0”."]],
  ['js title="src/todos/slice" {1}', ["Line 1 is highlighted.", "Its title is “src/todos/slice”."]],
])("words behind a fence that mark lines are told: %s", (info, marks) => {
  expect(marksOf(info, code)).toEqual(marks);
});

it.each([
  ["a // [!code --]\nb // [!code ++]\nc", ["Line 1 is removed.", "Line 2 is added."]],
  ["// [!code highlight:2]\na\nb\nc // [!code focus]", ["Lines 2–3 are highlighted.", "Line 4 is in focus."]],
  [
    "a # [!code error]\nb <!-- [!code warning] -->",
    ["Line 1 is marked as an error.", "Line 2 is marked as a warning."],
  ],
  ["// [!code word:useIt]\nuseIt()", ["`useIt` is highlighted."]],
  [
    "a\n// highlight-next-line\nb\n{/* highlight-start */}\nc\nd\n{/* highlight-end */}",
    ["Lines 3 and 5–6 are highlighted."],
  ],
  [
    "a // highlight-line\nb // remove-line\n# add-next-line\nc",
    ["Line 2 is removed.", "Line 4 is added.", "Line 1 is highlighted."],
  ],
  ["# !mark(1:2)\na\nb\n# !diff -\nc", ["Line 5 is removed.", "Lines 2–3 are highlighted."]],
  ["/// file: a.js\na +++b+++\n---c---\n", ["Line 3 is removed.", "Line 2 is added."]],
  ["/// file: a.js\n// ---cut---\na---b---\n// ---cut-after---\n", ["Line 3 is removed."]],
  ["# Start the start-line\ngit add -A # new-line\n--- a\n+++ b", []],
])("comments that mark lines are told: %j", (text, marks) => {
  expect(marksOf("", text)).toEqual(marks);
});

it("no more ranges are named than a reader takes in", () => {
  const text = Array.from({ length: 90 }, (_, index) => (index % 2 === 0 ? "a // [!code ++]" : "b")).join("\n");
  expect(marksOf("", text)).toEqual([expect.stringMatching(/^Lines 1, 3, .*, 39 and others are added\.$/)]);
});

it("code stays as it is, and a fence says what of it the page marks", () => {
  const page = '# A\n\n```js {1} title="a.js"\na(); // [!code --]\nb(); // [!code ++]\n```\n';
  const read = readMarkdown(page, "markdown");
  expect("blocks" in read ? read.blocks.filter(({ type }) => type === "code") : []).toMatchObject([
    {
      code: "a(); // [!code --]\nb(); // [!code ++]",
      file: "a.js",
      marks: ["Line 1 is removed.", "Line 2 is added.", "Line 1 is highlighted."],
    },
  ]);
});

it.each([
  ['{{< highlight go "linenos=table,hl_lines=2 3-4,linenostart=9" >}}', "{{< /highlight >}}"],
  ['{{< highlight go hl_lines="2 3-4" linenostart=9 >}}', "{{< /highlight >}}"],
  ['{{< highlight lang="go" hl_lines="[2,3-4]" linenostart="9" >}}', "{{< /highlight >}}"],
])("a shortcode says what its code marks: %s", (opening, closing) => {
  const read = readMarkdown(`# A\n\n${opening}\na\nb\nc\nd\n${closing}\n`, "markdown");
  expect("blocks" in read ? read.blocks.filter(({ type }) => type === "code") : []).toMatchObject([
    { code: "a\nb\nc\nd", marks: ["Lines 2–4 are highlighted.", "The page numbers the lines from 9."] },
  ]);
});
