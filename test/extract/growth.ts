/**
 * Measures how the steps of extraction grow with a page that is a prefix, a filler many times, and a suffix. A program for
 * a process of its own (test/support/steps.ts). It prints what grows faster than the page, one JSON line for each. Its
 * arguments are the share to run and the number of shares; without them it measures what has to be found.
 */
import { expressionsOfProgram } from "../support/expressions.ts";
import { startCounting, type Steps } from "../support/steps.ts";

const root = new URL("../../", import.meta.url).href;
const isOwnFile = (url: string): boolean =>
  url.startsWith(root) && !url.startsWith(`${root}node_modules/`) && !url.startsWith(`${root}test/`);

const sources = new Set(expressionsOfProgram().map(({ source }) => source));
// Expressions that the modules build from strings while they load.
globalThis.RegExp = new Proxy(RegExp, {
  construct(target, [pattern, flags]: [string, string?]) {
    const made = new target(pattern, flags);
    if (
      new Error().stack
        ?.split("\n")
        .slice(1)
        .find((line) => line.includes("file:") && !line.includes(import.meta.url))
        ?.includes("/node_modules/") === false
    )
      sources.add(made.source);
    return made;
  },
});
const count = startCounting({ isCounted: isOwnFile, isOwn: (source) => sources.has(source) });
const { extractPage } = await import("../../extract/index.ts");
const { includesOf } = await import("../../extract/includes/index.ts");
const { mediaTypeOf } = await import("../../extract/formats.ts");
const { cutFullFile } = await import("../../extract/llmstxt/full-file.ts");
const { parseIndexFile } = await import("../../extract/llmstxt/index-file.ts");
const { ranker } = await import("../../search/ranking/ranker.ts");

const encoder = new TextEncoder();
const page = (path: string) => (text: string) => {
  extractPage({ path, mediaType: mediaTypeOf(path), bytes: encoder.encode(text) });
};

/** The functions that take a text, each with the input that makes it go on. */
const entries: Readonly<Record<string, (text: string) => void>> = {
  Markdown: page("docs/a.md"),
  MDX: page("docs/a.mdx"),
  text: page("docs/a.txt"),
  includes: (text) => {
    const bytes = encoder.encode(`import X from './a.ts?raw';\n\n--8<-- "a.ts"\n\n${text}`);
    includesOf({ path: "docs/a.mdx", bytes });
  },
  "llms-full.txt": (text) => void cutFullFile(text, "https://a.example.com/llms-full.txt", new Set(["a.example.com"])),
  "llms.txt": (text) => void parseIndexFile(text, "https://a.example.com/llms.txt"),
  question: (text) => void ranker.analyseQuestion(text.slice(0, 500), { id: "/a/b", title: "A" }),
};

const prefixes =
  '|!!! a|- !!! a|> ??? a|=== "a|::: a|:::tip[|/// a|> [!NOTE]|{% tabs|{% tab title=|{{< a|{{% a "|<Callout title|<Tab |<Terminal>|<Terminal cmd={["|<!--|<div |<pre>|[a](|[a][|[^1]: |\n[^1]|![|`|```js |```\n|~~~a|---\ntitle: |---\na|+++\na = |- |1. |# |# a {#|a\n: |$ |```sh\n$ |```py\n>>> |import a from |<<< |<<< @/a|--8<-- "|--8<--\n|{* a|{!a|{{#include |{% include |@[code](|*|**|_|\\|&|<|http://|@tab |== |```js\nconst a = |{/*|a {.b|{: |Run `a`:|\n\n    a|Source: |## [a](|export const a = |a. B|└── ';
const fillers = [
  ...Array.from(" \t\n\r\u00A0a0A-.:!*`[]()<>={}|\\/#_\"'&$,~+%@?;^é漢"),
  "\n\n",
  " a",
  " \n",
  "\na",
  "a.",
  "](",
  "][",
  "[a](b)",
  "[^1]",
  "<a ",
  "<a>",
  "</a>",
  '="',
  "{{",
  "{{< a >}}",
  "{% a %}",
  "`a`",
  "```\n",
  "~~~\n",
  "> ",
  "\n> ",
  "- ",
  "\n- a",
  "\n# a",
  "\n| a ",
  "::: ",
  "\n:::",
  "!!! ",
  "\n!!! a\n    ",
  "<!--",
  "-->",
  "*a",
  "**a** ",
  "&amp;",
  "a=b ",
  'a="b" ',
  "\n$ a",
  "\n├── a",
  "a b. ",
  "@tab a\n",
  "== a\n",
  "import a\n",
];
const suffixes = ["", "!", "\n\nEnd."];

const base = "# Title\n\nWords that are read by people.\n\n";
const length = 1000;
/** Steps that a page of any length may take, and the growth allowed for twice the length. */
const allowance = 40_000;
const growth = 2.7;

/** Prints each case that grows too fast, one a line. */
function measured(entry: string, run: (text: string) => void, [prefix, filler, suffix]: readonly string[]): void {
  const steps = (times: number): Steps => {
    const repeated = String(filler).repeat(Math.ceil(times / String(filler).length));
    return count(() => run(`${entry === "question" ? "" : base}${prefix}${repeated}${suffix}`));
  };
  const [small, large] = [steps(length), steps(2 * length)];
  if (large.slow.size === 0 && large.total <= growth * small.total + allowance) return;
  process.stdout.write(
    `${JSON.stringify({ entry, prefix, filler, suffix, steps: [small.total, large.total], slow: [...large.slow] })}\n`,
  );
}

const [how, parts] = process.argv.slice(2).map(Number);
if (how === undefined || parts === undefined) {
  // A quadratic case, which proves that steps are counted.
  const planted = /^!!![ \t]*([a-z][\w -]*?)?[ \t]*$/;
  sources.add(planted.source);
  measured("an expression", (text) => void planted.exec(text.slice(base.length)), ["!!! a", " ", "!"]);
  const search = (text: string): void => {
    for (let at = 0; at < text.length; at++) if (text.includes("no such text")) return;
  };
  measured("a search", search, ["a", " ", "!"]);
} else {
  const prefixed = prefixes.split("|").concat("| a |\n|---|\n|");
  let index = 0;
  for (const [entry, run] of Object.entries(entries))
    for (const prefix of prefixed)
      for (const filler of fillers)
        for (const suffix of suffixes)
          // A prime spreads the shares over all lists.
          if ((index++ * 7919) % parts === how) measured(entry, run, [prefix, filler, suffix]);
}
