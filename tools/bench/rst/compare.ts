/**
 * Compares what is read of reStructuredText with what docutils reads: `node tools/bench/rst/compare.ts reference.jsonl [--show]`.
 * Prints the share of blocks of code that are equal, apart from tabs and blanks at the ends of lines, of languages, and of words in order.
 */
import { readFileSync } from "node:fs";
import { formatOf } from "../../../extract/index.ts";
import { rstType } from "../../../extract/formats.ts";
import { toLanguage } from "../../../extract/language.ts";
import { printTable } from "../measure.ts";

interface Reference {
  readonly path: string;
  readonly error?: string;
  readonly codes: readonly { readonly code: string; readonly language: string; readonly cell: boolean }[];
  readonly words: readonly string[];
  readonly ms: number;
}

const [file = "", flag] = process.argv.slice(2);
const read = await formatOf(rstType);
const sums = {
  pages: 0,
  failed: 0,
  codes: 0,
  exact: 0,
  named: 0,
  languages: 0,
  words: 0,
  inOrder: 0,
  ms: 0,
  reference: 0,
  slowest: 0,
};

for (const line of readFileSync(file, "utf8").split("\n")) {
  if (line === "") continue;
  const page = JSON.parse(line) as Reference;
  if (page.error !== undefined || read === undefined) {
    sums.failed++;
    continue;
  }
  const source = readFileSync(page.path, "utf8");
  const started = performance.now();
  const document = read(source, { path: page.path, siteValueOf: () => undefined });
  const took = performance.now() - started;
  if ("code" in document) {
    console.log(`${page.path}: ${document.reason}`);
    continue;
  }
  sums.pages++;
  sums.ms += took;
  sums.reference += page.ms;
  sums.slowest = Math.max(sums.slowest, took);
  const own = document.blocks.flatMap((block) => (block.type === "code" ? [block] : []));
  const prose = document.blocks.map((block) =>
    block.type === "heading" ? block.text : block.type === "code" ? "" : block.markdown.replace(/\]\([^)\s]*\)/g, "] "),
  );
  let next = 0;
  for (const { code, language, cell } of page.codes) {
    const at = own.findIndex((block, index) => index >= next && plain(block.code) === plain(code));
    const inCell = cell && prose.join("\n").includes(code.trim());
    sums.codes++;
    if (at >= 0 || inCell) sums.exact++;
    else if (flag === "--show") console.log(`${page.path}: CODE\n${code.slice(0, 300)}\n`);
    if (at < 0) continue;
    next = at + 1;
    if (language === "") continue;
    sums.named++;
    const wanted = /^(?:default|none|guess|text)$/i.test(language) ? ["", "text"] : [toLanguage(language)];
    if (wanted.includes(own[at]?.language ?? "")) sums.languages++;
    else if (flag === "--show") console.log(`${page.path}: LANGUAGE ${language} is ${own[at]?.language ?? ""}`);
  }
  const all = [...prose, ...document.footnotes.values()].join("\n").match(/[\p{L}\p{N}_]+/gu) ?? [];
  const lost = missing(page.words, all);
  sums.words += page.words.length;
  sums.inOrder += page.words.length - lost.length;
  if (flag === "--show" && lost.length > 0)
    console.log(`${page.path}: ${lost.length} WORDS ${lost.slice(0, 25).join(" ")}`);
}
const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} % of ${whole}`;
printTable(
  ["pages", "failed", "code", "languages", "words in order", "ms a page", "slowest, ms", "docutils, ms a page"],
  [
    [
      `${sums.pages}`,
      `${sums.failed}`,
      share(sums.exact, sums.codes),
      share(sums.languages, sums.named),
      share(sums.inOrder, sums.words),
      (sums.ms / sums.pages).toFixed(2),
      sums.slowest.toFixed(0),
      (sums.reference / sums.pages).toFixed(1),
    ],
  ],
);

function plain(code: string): string {
  return code
    .split("\n")
    .map((line) => expanded(line).trimEnd())
    .join("\n")
    .replace(/^\n+|\n+$/g, "");
}

function expanded(line: string): string {
  let out = "";
  for (const char of line) out += char === "\t" ? " ".repeat(8 - (out.length % 8)) : char;
  return out;
}

/** The words that do not follow in the order of the others. Up to 400 words are skipped where three follow each other, else three. */
function missing(wanted: readonly string[], all: readonly string[]): string[] {
  const lost: string[] = [];
  let next = 0;
  for (const [index, word] of wanted.entries()) {
    const follows = (at: number): boolean => all[at + 1] === wanted[index + 1] && all[at + 2] === wanted[index + 2];
    let at = next;
    while (at < next + 400 && !(all[at] === word && (at < next + 3 || follows(at)))) at++;
    if (at < next + 400) next = at + 1;
    else lost.push(word);
  }
  return lost;
}
