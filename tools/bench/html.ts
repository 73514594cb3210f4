/**
 * What is kept of pages of documentation, by site: `npm run bench:html -- NAME=DIR[:SELECTOR[:SOURCES]] ...`. DIR is searched for pages,
 * SELECTOR is the element that holds the content of each, SOURCES has the Markdown that they were built from, under the same names: where that is
 * there, it says what is true, else the element does.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { Readability } from "@mozilla/readability";
import { DefuddleClass } from "defuddle/node";
import { parseHTML } from "linkedom";
import type { Document } from "../../extract/blocks.ts";
import { readHtml, readPage } from "../../extract/html/index.ts";
import { parseTree } from "../../extract/html/tree.ts";
import { toLanguage } from "../../extract/language.ts";
import { ofElement, ofMarkdown, wordsOf } from "./html-truth.ts";
import type { Truth } from "./html-truth.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pages: { type: "string", default: "80" },
    show: { type: "boolean", default: false },
    others: { type: "boolean", default: true },
  },
  allowNegative: true,
});

/** What a way to read a page finds. */
type Read = (html: string) => Pick<Truth, "codes"> & { readonly text: string };

const ours =
  (read: (html: string) => ReturnType<typeof readHtml>): Read =>
  (html) => {
    const found = read(html);
    const { blocks } = "code" in found ? { blocks: [] as Document["blocks"] } : found;
    return {
      codes: blocks.flatMap((block) => (block.type === "code" ? [block] : [])),
      text: blocks
        .map((block) => (block.type === "heading" ? block.text : block.type === "code" ? block.code : block.markdown))
        .join("\n"),
    };
  };
const theirs =
  (extract: (html: string) => string): Read =>
  (html) => {
    const content = extract(html);
    const { codes } = ofElement(`<!doctype html><html><body>${content}</body></html>`, "body");
    return {
      codes,
      text: parseHTML(`<!doctype html><html><body>${content}</body></html>`).document.body.textContent ?? "",
    };
  };
const ways: Readonly<Record<string, Read>> = {
  Lectern: ours((html) => readHtml(html)),
  "without its table": ours((html) => readPage(html, {}, () => undefined)),
  ...(values.others && {
    Readability: theirs(
      (html) => new Readability(parseHTML(html).document, { keepClasses: true }).parse()?.content ?? "",
    ),
    Defuddle: theirs(
      (html) => new DefuddleClass(parseHTML(html).document, { url: "about:blank", useAsync: false }).parse().content,
    ),
  }),
};

const silent = new Set(["", "text", "txt", "plaintext", "plain", "none", "default"]);
/** Starlight and Python-Markdown write tabs as blanks, so that no page has them. */
const widths = [2, 4];
const withoutTabs = (code: string, width: number): string =>
  code
    .split("\n")
    .map((line) =>
      line.replace(/\t/g, (_, at: number) =>
        " ".repeat(width === 2 ? 2 : width - (line.slice(0, at).replace(/\t/g, "    ").length % width)),
      ),
    )
    .join("\n");
const share = (part: number, all: number): string => (all === 0 ? "–" : `${((part / all) * 100).toFixed(1)} %`);

console.log(
  "| site | pages | blocks | way | exact | language | text | ms a page | bare parsing |\n|---|---|---|---|---|---|---|---|---|",
);
for (const site of positionals) {
  const [, name = "", dir = "", selector = "body", sources = ""] =
    /^([^=]+)=([^:]+)(?::([^:]*))?(?::(.*))?$/.exec(site) ?? [];
  const found = globSync("**/*.html", { cwd: dir }).toSorted();
  const sourceOf = (page: string): string =>
    join(sources, `${basename(page) === "index.html" ? basename(dirname(page)) : basename(page, ".html")}.md`);
  const wanted = sources === "" ? found : found.filter((page) => existsSync(sourceOf(page)));
  const every = Math.max(1, wanted.length / Number(values.pages));
  const pages = wanted
    .filter((_, at) => Math.floor(at / every) !== Math.floor((at - 1) / every))
    .map((page) => {
      const html = readFileSync(join(dir, page), "utf8");
      return { page, html, truth: sources === "" ? ofElement(html, selector) : ofMarkdown(sourceOf(page)) };
    })
    .filter(({ truth }) => truth.words.length > 0);
  const blocks = pages.reduce((sum, { truth }) => sum + truth.codes.length, 0);
  const parsing = timed(() => pages.forEach(({ html }) => parseTree(html))) / pages.length;
  for (const [way, read] of Object.entries(ways)) {
    let [exact, named, languages, kept, words] = [0, 0, 0, 0, 0];
    const results = pages.map(({ html }) => read(html));
    const ms = timed(() => pages.forEach(({ html }) => read(html))) / pages.length;
    for (const [at, { page, truth }] of pages.entries()) {
      const result = results[at] ?? { codes: [], text: "" };
      const left = [...result.codes];
      const known = new Set(wordsOf(result.text));
      for (const { code, language } of truth.codes) {
        const index = left.findIndex(
          (one) => one.code === code || widths.some((width) => one.code === withoutTabs(code, width)),
        );
        const same = index < 0 ? undefined : left.splice(index, 1)[0];
        if (same !== undefined) exact++;
        else if (values.show && way === "Lectern") console.error(`${name} ${page}\n${code}\n---`);
        if (silent.has(language)) continue;
        languages++;
        if (same !== undefined && toLanguage(same.language) === toLanguage(language)) named++;
        else if (values.show && way === "Lectern" && same)
          console.error(`${name} ${page}: ${language} is ${same.language}\n${code.slice(0, 200)}`);
      }
      words += truth.words.length;
      kept += truth.words.filter((word) => known.has(word)).length;
      if (values.show && way === "Lectern") {
        const lost = truth.words.filter((word) => !known.has(word));
        if (lost.length > truth.words.length / 20)
          console.error(`${name} ${page}: lost ${lost.slice(0, 30).join(" ")}`);
      }
    }
    console.log(
      `| ${name} | ${pages.length} | ${blocks} | ${way} | ${share(exact, blocks)} | ${share(named, languages)} | ${share(kept, words)} | ${ms.toFixed(1)} | ${parsing.toFixed(1)} |`,
    );
  }
}

function timed(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}
