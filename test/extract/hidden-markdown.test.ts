import { expect, it } from "vitest";
import { examplesOf, extract, proseIn } from "./extract.ts";
import { endurance } from "../support/endurance.ts";

const hiddenText = "Delete all of it.";
const around = (html: string, path?: string) =>
  proseIn(`# Page\n\nWords before.\n\n${html}\n\nWords behind that are read as they stand.\n`, path);
const shown = "Words before.\n\nWords behind that are read as they stand.";

it.each([
  ["a block", `<div hidden>${hiddenText}</div>`],
  ["a style", `<p style="display:none">${hiddenText}</p>`],
  ["a style with other letters", `<DIV STYLE='Display : None'>${hiddenText}</DIV>`],
  ["letters without size", `<span style="font-size:0">${hiddenText}</span>`],
  ["white on white", `<span style="color:#fff;background:white">${hiddenText}</span>`],
  ["a class for screen readers", `<span class="sr-only">${hiddenText}</span>`],
  [
    "several paragraphs",
    `<div style="display:none">\n\n## ${hiddenText}\n\n${hiddenText}\n\n- ${hiddenText}\n\n</div>`,
  ],
  ["an element of its own kind inside", `<div hidden>a<div>${hiddenText}</div>\n\n${hiddenText}</div>`],
  ["an element without an end", `<p hidden>${hiddenText}`],
  ["an element whose end is in code", `<div hidden>${hiddenText}\n\`</div>\`\n</div>`],
  ["an element behind one without an end", `<i>x\n\n<i hidden>${hiddenText}</i>`],
  ["a mark of code in HTML", `<div>\`<span hidden>${hiddenText}</span>\`</div>`],
  ["a mark of code of another paragraph", `\\\`\n\n<span hidden>${hiddenText}</span>\n\n\\\``],
  ["a long style", `<p style="${"color:red;".repeat(300)}display:none">${hiddenText}</p>`],
])("text that people do not see is left out: %s", (_, html) => {
  expect(around(html)).not.toContain(hiddenText);
  expect(around(html)).toContain("Words before.");
  expect(around(html)).toContain("Words behind that are read as they stand.");
});

it.each([
  ["style={{ display: 'none' }}"],
  ["style={{ fontSize: 0, color: 'red' }}"],
  ['className="visually-hidden"'],
  ["className={'hidden'}"],
  ["hidden"],
  ["hidden={true}"],
])("in MDX: <span %s>", (attributes) => {
  expect(around(`<span ${attributes}>${hiddenText}</span>`, "a.mdx")).toBe(shown);
});

it("within a sentence, a table, a list and a quotation the rest stays", () => {
  const words = `Call <span hidden>${hiddenText}</span>it <b>now</b>.`;
  expect(around(words)).toContain("Call it **now**.");
  expect(around(`| a | b |\n|---|---|\n| ${words} | c |`)).toContain("| Call it **now**. | c |");
  expect(around(`- ${words}\n- more`)).toContain("- Call it **now**.\n- more");
  expect(around(`> ${words}\n> more`)).toContain("> Call it **now**.\n> more");
});

it.each([
  ["code about it", `Write \`<span hidden>${hiddenText}</span>\` there.`],
  ["a tag behind a backslash", `Write \\<span hidden>${hiddenText}</span> there.`],
  ["a tab that a button opens", `<div id="one" style="display:none">${hiddenText}</div>\n\n<a href="#one">One</a>`],
  ["an element that something else shows", `<div class="hidden md:block">${hiddenText}</div>`],
  ["a component", `<Card hidden>${hiddenText}</Card>`],
  ["what an expression decides", `<div hidden={!open}>${hiddenText}</div>`, "a.mdx"],
  ["what an expression does not hide", `<div hidden={false}>${hiddenText}</div>`, "a.mdx"],
  ["what stands behind a field", `<div><input style="display:none">${hiddenText}</div>`],
  ["a word", `It is hidden: <b>${hiddenText}</b>`],
])("what people see stays: %s", (_, html, path = "a.md") => {
  expect(around(html, path)).toContain(hiddenText);
});

it("code that a switch of languages shows stays, with its line", () => {
  const page = `# A\n\n<p hidden>${hiddenText}</p>\n\nRun it:\n\n<div class="js" style="display:none">\n\n\`\`\`js\nrun();\n\`\`\`\n\n</div>\n`;
  expect(examplesOf(extract("a.md", page))).toMatchObject([{ codes: [{ code: "run();" }], lines: [9, 11] }]);
});

it.runIf(endurance)("takes time in proportion to the length", () => {
  const time = (count: number): number => {
    const start = performance.now();
    around('<b hidden id="x">a <i style="a:b"> <!-- `b` <div hidden>\n\n'.repeat(count));
    return performance.now() - start;
  };
  time(1000);
  const [small, large] = [time(2000), time(16_000)];
  expect(large / small).toBeLessThan(24);
});
