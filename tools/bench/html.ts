/**
 * Content of HTML pages that is kept, by site: `npm run bench:html -- NAME=DIR[:SELECTOR[:SOURCES]] ...`. DIR is searched for pages; SELECTOR
 * is the element with the content of each; SOURCES has the Markdown that they were built from, under the same names. Pages are compared with
 * the Markdown if it is given, else with the element.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseHTML } from "linkedom";
import type { Document } from "../../extract/blocks.ts";
import { readHtml } from "../../extract/html/index.ts";
import { toLanguage } from "../../extract/language.ts";
import { printTable } from "./measure.ts";
import { size } from "./size.ts";

/** The content of a page, read without the code under test. */
interface Truth {
  readonly codes: readonly { readonly code: string; readonly language: string }[];
  readonly words: readonly string[];
}

/** Names of languages that say nothing. */
const silent = new Set(["", "text", "txt", "plaintext", "plain", "none", "default"]);

/** Pages of each site that are compared. */
const sample = size({ full: 80, small: 2 });

const rows = process.argv.slice(2).map((site) => {
  const [, name = "", dir = "", selector = "body", sources = ""] =
    /^([^=]+)=([^:]+)(?::([^:]*))?(?::(.*))?$/.exec(site) ?? [];
  const sourceOf = (page: string): string =>
    join(sources, `${basename(page) === "index.html" ? basename(dirname(page)) : basename(page, ".html")}.md`);
  const all = globSync("**/*.html", { cwd: dir })
    .toSorted()
    .filter((page) => sources === "" || existsSync(sourceOf(page)));
  const every = Math.max(1, all.length / sample);
  const pages = all
    .filter((_, at) => Math.floor(at / every) !== Math.floor((at - 1) / every))
    .map((page) => {
      const html = readFileSync(join(dir, page), "utf8");
      return { html, truth: sources === "" ? elementTruth(html, selector) : markdownTruth(sourceOf(page)) };
    })
    .filter(({ truth }) => truth.words.length > 0);
  const sums = { blocks: 0, exact: 0, named: 0, sameLanguage: 0, words: 0, kept: 0 };
  for (const { html, truth } of pages) compare(readBlocks(html), truth, sums);
  return [
    name,
    String(pages.length),
    String(sums.blocks),
    share(sums.exact, sums.blocks),
    share(sums.sameLanguage, sums.named),
    share(sums.kept, sums.words),
  ];
});
printTable(["site", "pages", "blocks", "exact", "language", "text"], rows);

function readBlocks(html: string): Document["blocks"] {
  const document = readHtml(html);
  return "code" in document ? [] : document.blocks;
}

/** Adds the content of a page that is in its blocks. */
function compare(
  blocks: Document["blocks"],
  truth: Truth,
  sums: Record<"blocks" | "exact" | "named" | "sameLanguage" | "words" | "kept", number>,
): void {
  const codes = blocks.flatMap((block) => (block.type === "code" ? [block] : []));
  const texts = blocks.map((block) =>
    block.type === "heading" ? block.text : block.type === "code" ? block.code : block.markdown,
  );
  const known = new Set(wordsOf(texts.join("\n")));
  for (const { code, language } of truth.codes) {
    const forms = [code, withoutTabs(code, 2), withoutTabs(code, 4)];
    const index = codes.findIndex((one) => forms.includes(one.code));
    const [same] = index < 0 ? [] : codes.splice(index, 1);
    sums.blocks += 1;
    if (same !== undefined) sums.exact += 1;
    if (silent.has(language)) continue;
    sums.named += 1;
    if (same !== undefined && toLanguage(same.language) === toLanguage(language)) sums.sameLanguage += 1;
  }
  sums.words += truth.words.length;
  sums.kept += truth.words.filter((word) => known.has(word)).length;
}

/** Starlight and Python-Markdown write tabs as blanks, so that no page has them. */
function withoutTabs(code: string, width: number): string {
  return code
    .split("\n")
    .map((line) =>
      line.replace(/\t/g, (_, at: number) =>
        " ".repeat(width === 2 ? 2 : width - (line.slice(0, at).replace(/\t/g, "    ").length % width)),
      ),
    )
    .join("\n");
}

function share(part: number, all: number): string {
  return all === 0 ? "–" : `${((part / all) * 100).toFixed(1)} %`;
}

/** The fences and words of Markdown, without its front matter. */
function markdownTruth(path: string): Truth {
  const fence = /^( {0,3})(`{3,}|~{3,})[ \t]*([^\n`]*)\n([^]*?)^ {0,3}\2[`~]*[ \t]*$/gm;
  const text = readFileSync(path, "utf8").replace(/^---\n[^]*?\n---\n/, "");
  const codes = [...text.matchAll(fence)].map(([, indent = "", , info = "", code = ""]) => ({
    code: code.replace(/\n$/, "").replaceAll(new RegExp(`^ {0,${indent.length}}`, "gm"), ""),
    language: /^[\w+#-]+/.exec(info)?.[0] ?? "",
  }));
  const prose = text.replace(fence, " ").replace(/^[ \t]*(?:#+|[-*+]|\d+\.|>)|\]\([^)]*\)|[`*_|[\]]/gm, " ");
  return { codes: codes.filter(({ code }) => code.trim() !== ""), words: wordsOf(prose) };
}

/** The preformatted text and the words of an element. */
function elementTruth(html: string, selector: string): Truth {
  const aside =
    "button, .boring, script, style, svg, nav, .linenos, .lineno, .linenodiv, .lnt, .headerlink, .header-anchor, .hash-link, .sr-only, .visually-hidden, a[href^='#']:empty";
  const mains = [...parseHTML(html).document.querySelectorAll(selector)];
  for (const main of mains) for (const element of main.querySelectorAll(aside)) element.remove();
  const codes = mains.flatMap((main) =>
    [...main.querySelectorAll("pre")].filter((pre) => !pre.parentElement?.closest("pre")).map(toCode),
  );
  for (const main of mains) for (const pre of main.querySelectorAll("pre")) pre.remove();
  const words = mains.flatMap((main) =>
    wordsOf([...main.querySelectorAll("p, li, td, dd, h1, h2, h3, h4, dt")].map((one) => one.textContent).join(" ")),
  );
  return { codes: codes.filter(({ code }) => code.trim() !== ""), words };
}

type Element = ReturnType<typeof parseHTML>["document"]["documentElement"];

function toCode(pre: Element): Truth["codes"][number] {
  const language = /(?:^|\s)(?:language-|lang-|highlight-(?!source)|highlight-source-|brush: ?|sourceCode )([\w+#-]+)/;
  for (const br of pre.querySelectorAll("br")) br.replaceWith("\n");
  const names = [pre.querySelector("code"), pre, pre.parentElement, pre.parentElement?.parentElement].map(
    (element) =>
      element?.getAttribute("data-language") ?? language.exec(element?.getAttribute("class") ?? "")?.[1] ?? "",
  );
  const code = (pre.textContent ?? "").replace(/^\r?\n/, "").replace(/\r?\n[ \t]*$/, "");
  return { code, language: names.find((name) => name !== "") ?? "" };
}

/** The words of a text with at least three letters, in lower case. */
function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
}
