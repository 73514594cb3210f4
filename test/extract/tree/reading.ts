import { HtmlRenderer, Parser } from "commonmark";
import { parseHTML } from "linkedom";
import { confluencePageType, notionPageType } from "../../../extract/formats.ts";
import { extractPage, formatOf } from "../../../extract/index.ts";
import type { ConfluencePart } from "../../../extract/confluence/page.ts";
import type { NotionPage } from "../../../extract/notion/page.ts";
import type { ExtractedPassage } from "../../../extract/page.ts";
import { kept } from "../notion/reading.ts";
import { isWell, nodesOf, wordPattern, type Format, type Node } from "./document.ts";
import { pageHtml } from "./html.ts";
import { pageMarkdown } from "./markdown.ts";
import { adf, notion, storage } from "./workspaces.ts";

const [confluence, site] = [confluencePageType, "https://a.example/page"];
const inputs: Readonly<Record<Format, readonly [mediaType: string, path: string]>> = {
  markdown: ["text/markdown", "docs/page.md"],
  mdx: ["text/mdx", "docs/page.mdx"],
  html: ["text/html", site],
  confluence: [confluence, site],
  adf: [confluence, site],
  notion: [notionPageType, site],
};
const readers = new Map(
  await Promise.all(Object.values(inputs).map(async ([type]) => [type, await formatOf(type)] as const)),
);

/** A document in a format. `variant`: which of the forms that mean the same is written, 0 to 2. */
export function sourceOf(format: Format, nodes: readonly Node[], variant: number): string {
  const [heading, ...body] = nodes;
  const title = heading?.inside?.[0]?.text ?? "";
  const notes = nodesOf(nodes, "note");
  if (format === "html") return pageHtml(nodes, notes, variant);
  if (format === "markdown" || format === "mdx")
    return pageMarkdown(nodes, notes, { isMdx: format === "mdx", variant });
  const page: NotionPage = { title, description: [], properties: [], blocks: kept(notion(body)), warnings: [] };
  if (format === "notion") return JSON.stringify(page);
  const isAdf = format === "adf";
  const text = isAdf ? JSON.stringify({ type: "doc", version: 1, content: adf(body) }) : storage(body);
  const place = { above: [], space: "A", product: "cloud", root: site, links: {}, included: {} } as const;
  const part: ConfluencePart = { ...place, title, format: isAdf ? "atlas_doc_format" : "storage", body: text };
  return JSON.stringify(part);
}

/** The passages of a source; none if it is skipped. */
export function passagesOf(format: Format, source: string): readonly ExtractedPassage[] {
  const [mediaType, path] = inputs[format];
  const input = { path, mediaType, bytes: Buffer.from(source), ...(path === site && { url: site }) };
  const result = extractPage(input, readers.get(mediaType));
  return result.outcome === "indexed" ? result.passages : [];
}

const wordsIn = (text: string): string[] => text.match(wordPattern) ?? [];
const has = (word: string, roles: string): boolean => roles.includes(word.at(-1) ?? " ");

/** The words of a document in its order, those of footnotes last. */
function wordsOf(nodes: readonly Node[]): string[] {
  const own = ({ type, title = "", text = "", inside = [] }: Node): string[] => [
    ...(type === "note" ? [] : wordsIn(`${title} ${text}`)),
    ...inside.flatMap(own),
  ];
  return [...nodes.flatMap(own), ...nodesOf(nodes, "note").flatMap(({ text = "" }) => wordsIn(text))];
}

/** The words of a source by parsers that are not Lectern's. */
function parsedWords(format: Format, source: string): string[] {
  // Escapes of JSON would be letters.
  if (/^(?:confluence|adf|notion)$/.test(format)) return [...new Set(wordsIn(source.replace(/\\+[nt]/g, " ")))];
  const body = format === "html" ? source : new HtmlRenderer().render(new Parser().parse(source));
  const { document } = parseHTML(format === "html" ? body : `<!doctype html><html><body>${body}</body></html>`);
  // TeX stands beside what is drawn of it.
  for (const math of document.querySelectorAll("math"))
    math.textContent = math.querySelector("annotation")?.textContent ?? "";
  for (const element of document.querySelectorAll("body *"))
    element.before(` ${["alt", "title", "label"].map((name) => element.getAttribute(name) ?? "").join(" ")} `);
  return wordsIn(document.body.textContent ?? "");
}

/** What is served, in order: prose by lines, and code. Whether it may repeat something: headings and labels. */
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

/** Lines without the repetition of an address that is its own text. */
const unlinked = (markdown: string): string[] =>
  markdown.replace(/\[([*~_^]*)(https?:[^\]]*?)([*~]*)\]\(\2\)/g, "$1$2$3").split("\n");

/** The served words in their order, those of footnotes last, without repetitions that may be. */
function servedWords(passages: readonly ExtractedPassage[]): string[] {
  const [words, notes]: [string[], string[]] = [[], []];
  for (const { text, repeats } of partsOf(passages))
    for (const word of wordsIn(text)) {
      const list = has(word, "w") ? notes : words;
      if (!((repeats || has(word, "vw")) && list.includes(word))) list.push(word);
    }
  return [...words, ...notes];
}

/** The first difference between two lists; "" without. */
function difference(what: string, wanted: readonly string[], found: readonly string[]): string {
  const at = Array.from({ length: Math.max(wanted.length, found.length) }).findIndex((_, i) => wanted[i] !== found[i]);
  const [want, got] = [wanted[at], found[at]].map((one) => JSON.stringify(one));
  if (at < 0) return "";
  if (want !== undefined && !found.includes(wanted[at] ?? "")) return `${what}: missing ${want}`;
  return found.indexOf(found[at] ?? "") < at ? `${what}: doubled ${got}` : `${what}: misplaced ${got}`;
}

/** A cell that stands in another column than in the source. */
function misplaced(nodes: readonly Node[], lines: readonly string[]): string {
  const cells = nodesOf(nodes, "cell").filter(({ rows, columns }) => rows === undefined && columns === undefined);
  const places = new Map(cells.flatMap(({ inside, column }) => wordsOf(inside ?? []).map((word) => [word, column])));
  for (const line of lines)
    for (const [at, cell] of (/^[^|\p{L}]*\|(.*)\|$/u.exec(line)?.[1]?.split(/(?<!\\)\|/) ?? []).entries())
      for (const word of wordsIn(cell))
        if ((places.get(word) ?? at) !== at) return `table: "${word}" stands in column ${at}`;
  return "";
}

/** What stands before the first word of some nodes. */
const signs = { del: /~~[^\p{L}~]*$/u, sup: /\^[^\p{L}^]*$/u, sub: /[~_][^\p{L}]*$/u };

/** What nodes must keep besides their words: TeX and code byte for byte, in a list or quotation with its indentation, and signs. */
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

/** The types of the nodes that a word is in, the outermost first. */
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
  const lines = found.flatMap((text) => text.split("\n"));
  const not = (roles: string, words: readonly string[]): string[] => words.filter((word) => !has(word, roles));
  const of = (role: string, all: readonly string[]): string[] =>
    all.filter((text) => text.endsWith("();") && has(wordsIn(text)[0] ?? "", role));
  const what =
    difference("the test's source", not("qz", wanted), not("qz", parsedWords(format, source))) ||
    difference("words", not("z", wanted), not("z", servedWords(passages))) ||
    difference("code", of("j", code), of("j", found)) ||
    difference("code in cells", of("z", code).toSorted(), of("z", found).toSorted()) ||
    misplaced(nodes, lines) ||
    lostMeaning(nodes, lines.join("\n"));
  return what === "" ? "" : `${what} (${pathTo(nodes, wordsIn(what)[0])})`;
}

/** What passages say, without their places. */
export function said(passages: readonly ExtractedPassage[]): unknown[] {
  return passages.map(({ title, breadcrumb, blocks }) => ({
    title,
    breadcrumb,
    blocks: blocks.map((block) =>
      block.type === "prose" ? block.markdown : block.codes.map((code) => ({ ...code, sources: undefined })),
    ),
  }));
}

/** Each document with a node less, or with what is in a node instead of it. */
function* smaller(nodes: readonly Node[]): Generator<Node[]> {
  const hasSpans = nodesOf(nodes, "cell").some(({ rows }) => rows !== undefined);
  for (const [at, node] of nodes.entries()) {
    const { type, text = "", inside } = node;
    const put = (...others: readonly Node[]): Node[] => [...nodes.slice(0, at), ...others, ...nodes.slice(at + 1)];
    if (type !== "cell" && (type !== "row" || !hasSpans)) yield put();
    if (containers.test(type)) yield put(...(inside ?? []));
    for (const less of inside === undefined ? [] : smaller(inside)) yield put({ ...node, inside: less });
    if (type === "text" && text.includes(" ")) yield put({ ...node, text: text.split(" ", 1).join("") });
  }
}

const containers = /^(?:quote|callout|expand|em|strong|del|ins|link)$/;

/** The smallest document with the same kind of fault, by greedy removal below its opening. */
export function shrink(nodes: readonly Node[], faultOf: (nodes: readonly Node[]) => string): readonly Node[] {
  const kindOf = (text: string): string => `${text.split(" ", 2).join(" ")} ${/\w+\)$/.exec(text)?.[0]}`;
  const [title, opening, ...rest] = nodes;
  const whole = (body: readonly Node[]): Node[] => [title, opening, ...body].filter((one) => one !== undefined);
  const kind = kindOf(faultOf(nodes));
  let least: readonly Node[] = rest;
  const isLike = (body: readonly Node[]): boolean => isWell(body) && kindOf(faultOf(whole(body))) === kind;
  for (;;) {
    const next = [...smaller(least)].find(isLike);
    if (next === undefined) return whole(least);
    least = next;
  }
}
