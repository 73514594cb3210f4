import { HtmlRenderer, Parser } from "commonmark";
import { parseHTML } from "linkedom";
import { confluencePageType, notionPageType } from "../../../extract/formats.ts";
import { extractPage, formatOf } from "../../../extract/index.ts";
import type { NotionPage } from "../../../extract/notion/page.ts";
import type { ExtractedPassage } from "../../../extract/page.ts";
import { kept } from "../notion/reading.ts";
import { nodesOf, wordPattern, type Format, type Node } from "./document.ts";
import { pageHtml } from "./html.ts";
import { pageMarkdown } from "./markdown.ts";
import { adf, notion, storage } from "./workspaces.ts";

const site = "https://a.example/page";
const input = async (mediaType: string, path = site) => ({ mediaType, path, read: await formatOf(mediaType) });
const inputs = {
  markdown: await input("text/markdown", "docs/page.md"),
  mdx: await input("text/mdx", "docs/page.mdx"),
  html: await input("text/html"),
  notion: await input(notionPageType),
  confluence: await input(confluencePageType),
  adf: await input(confluencePageType),
};
const isWorkspace = /^(?:confluence|adf|notion)$/;

/** A document in a format. `variant`: which of the forms that mean the same is written, 0 to 2. */
export function sourceOf(format: Format, nodes: readonly Node[], variant: number): string {
  const [heading, ...body] = nodes;
  const title = heading?.inside?.[0]?.text ?? "";
  const notes = nodesOf(nodes, "note");
  if (format === "html") return pageHtml(nodes, notes, variant);
  if (!isWorkspace.test(format)) return pageMarkdown(nodes, notes, { isMdx: format === "mdx", variant });
  const page: NotionPage = { title, description: [], properties: [], blocks: kept(notion(body)), warnings: [] };
  if (format === "notion") return JSON.stringify(page);
  const text =
    format === "adf"
      ? { format: "atlas_doc_format", body: JSON.stringify({ type: "doc", version: 1, content: adf(body) }) }
      : { format: "storage", body: storage(body) };
  return JSON.stringify({
    title,
    above: [],
    space: "A",
    product: "cloud",
    root: site,
    links: {},
    included: {},
    ...text,
  });
}

/** The passages of a source; none if it is skipped. */
export function passagesOf(format: Format, source: string): readonly ExtractedPassage[] {
  const { read, ...place } = inputs[format];
  const result = extractPage({ ...place, ...(place.path === site && { url: site }), bytes: Buffer.from(source) }, read);
  return result.outcome === "indexed" ? result.passages : [];
}

const wordsIn = (text: string): string[] => text.match(wordPattern) ?? [];
const has = (word: string, roles: string): boolean => roles.includes(word.at(-1) ?? " ");

function wordsOf(nodes: readonly Node[]): string[] {
  const own = ({ type, title = "", text = "", inside = [] }: Node): string[] => [
    ...(type === "note" ? [] : wordsIn(`${title} ${text}`)),
    ...inside.flatMap(own),
  ];
  return [...nodes.flatMap(own), ...nodesOf(nodes, "note").flatMap(({ text = "" }) => wordsIn(text))];
}

function parsedWords(format: Format, source: string): string[] {
  // Escapes of JSON would be letters.
  if (isWorkspace.test(format)) return [...new Set(wordsIn(source.replace(/\\+[nt]/g, " ")))];
  const body = format === "html" ? source : new HtmlRenderer().render(new Parser().parse(source));
  const { document } = parseHTML(format === "html" ? body : `<!doctype html><html><body>${body}</body></html>`);
  // TeX stands beside what is drawn of it.
  for (const math of document.querySelectorAll("math"))
    math.textContent = math.querySelector("annotation")?.textContent ?? "";
  for (const element of document.querySelectorAll("body *"))
    element.before(` ${["alt", "title", "label"].map((name) => element.getAttribute(name) ?? "").join(" ")} `);
  return wordsIn(document.body.textContent ?? "");
}

function partsOf(passages: readonly ExtractedPassage[]): { readonly text: string; readonly repeats: boolean }[] {
  return passages.flatMap(({ breadcrumb, blocks }) => [
    ...breadcrumb.map((text) => ({ text, repeats: true })),
    ...blocks.flatMap((block) =>
      block.type === "prose"
        ? unlinked(block.markdown).map((text) => ({ text, repeats: /^#{1,6} /.test(text) }))
        : block.codes.flatMap(({ label = "", file = "", code }) => [
            { text: `${label} ${file}`, repeats: true },
            { text: code, repeats: false },
          ]),
    ),
  ]);
}

const unlinked = (markdown: string): string[] =>
  markdown.replace(/\[([*~_^]*)(https?:[^\]]*?)([*~]*)\]\(\2\)/g, "$1$2$3").split("\n");

function servedWords(passages: readonly ExtractedPassage[]): string[] {
  const [words, notes]: [string[], string[]] = [[], []];
  for (const { text, repeats } of partsOf(passages))
    for (const word of wordsIn(text)) {
      const list = has(word, "w") ? notes : words;
      if (!((repeats || has(word, "vw")) && list.includes(word))) list.push(word);
    }
  return [...words, ...notes];
}

function difference(what: string, wanted: readonly string[], found: readonly string[]): string {
  const at = Array.from({ length: Math.max(wanted.length, found.length) }).findIndex((_, i) => wanted[i] !== found[i]);
  const [want, got] = [wanted[at], found[at]].map((one) => JSON.stringify(one));
  if (at < 0) return "";
  if (want !== undefined && !found.includes(wanted[at] ?? "")) return `${what}: missing ${want}`;
  return found.indexOf(found[at] ?? "") < at ? `${what}: doubled ${got}` : `${what}: misplaced ${got}`;
}

function misplaced(nodes: readonly Node[], served: string): string {
  const cells = nodesOf(nodes, "cell").filter(({ rows, columns }) => rows === undefined && columns === undefined);
  const places = new Map(cells.flatMap(({ inside, column }) => wordsOf(inside ?? []).map((word) => [word, column])));
  for (const line of served.split("\n"))
    for (const [at, cell] of (/^[^|\p{L}]*\|(.*)\|$/u.exec(line)?.[1]?.split(/(?<!\\)\|/) ?? []).entries())
      for (const word of wordsIn(cell))
        if ((places.get(word) ?? at) !== at) return `table: "${word}" stands in column ${at}`;
  return "";
}

const signs = { del: /~~[^\p{L}~]*$/u, sup: /\^[^\p{L}^]*$/u, sub: /[~_][^\p{L}]*$/u };

function lostMeaning(nodes: readonly Node[], served: string): string {
  for (const { type, text = "" } of ["math", "formula", "codespan"].flatMap((one) => nodesOf(nodes, one))) {
    const pattern = text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("\n", "\n\\1");
    if (!new RegExp(`([ >]*)(?:\\\\\\[)?${pattern}`).test(served)) return `${type}: ${JSON.stringify(text)} is changed`;
  }
  for (const [type, sign] of Object.entries(signs))
    for (const word of nodesOf(nodes, type).flatMap((node) => wordsOf([node]).slice(0, 1)))
      if (!sign.test(served.slice(0, served.search(new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, "u")))))
        return `${type}: nothing marks "${word}"`;
  return "";
}

function pathTo(nodes: readonly Node[], word = ""): string {
  const node = nodes.find((one) => wordsOf([one]).includes(word));
  return node === undefined ? "" : `${node.type} ${pathTo(node.inside ?? [], word)}`.trim();
}

/** What is wrong with the passages of a document, and in which nodes; "" if nothing is. */
export function fault(format: Format, nodes: readonly Node[], variant: number): string {
  const source = sourceOf(format, nodes, variant);
  const passages = passagesOf(format, source);
  const wanted = wordsOf(nodes);
  const code = nodesOf(nodes, "code").map(({ text = "" }) => text);
  const found = partsOf(passages).map(({ text }) => text);
  const not = (roles: string, words: readonly string[]): string[] => words.filter((word) => !has(word, roles));
  const of = (role: string, all: readonly string[]): string[] =>
    all.filter((text) => text.endsWith("();") && has(wordsIn(text)[0] ?? "", role));
  const what =
    difference("the test's source", not("qz", wanted), not("qz", parsedWords(format, source))) ||
    difference("words", not("z", wanted), not("z", servedWords(passages))) ||
    difference("code", of("j", code), of("j", found)) ||
    difference("code in cells", of("z", code).toSorted(), of("z", found).toSorted()) ||
    misplaced(nodes, found.join("\n")) ||
    lostMeaning(nodes, found.join("\n"));
  return what === "" ? "" : `${what} (${pathTo(nodes, wordsIn(what)[0])})`;
}
