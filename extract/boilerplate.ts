import { hash } from "node:crypto";
import type { Cut } from "../domain/generation.ts";
import { kindOf, type SourceSpec } from "../domain/kinds/index.ts";
import type { Passage, PassageBlock } from "../domain/passage.ts";
import { estimateTokens } from "../domain/tokens.ts";
import type { SeenPage } from "./compiled-pages.ts";
import { readFingerprint } from "./fingerprints.ts";
import { isLinkList, linkTarget } from "./link-lists.ts";
import type { ExtractedBlock } from "./page.ts";
import { tokensOf } from "./passages.ts";

/** Maximum number of pieces at each end of a page that are compared: menus and footers, not content. */
const edgeSize = 30;
/** Minimum number of pages that repeat a piece of boilerplate. */
const minPages = 5;
/** Minimum share of the site's pages that repeat a menu, and a text that is nothing but prose. */
const share = { menu: 0.5, text: 0.9 };
/** Number of pieces of the page's own that may stand between two repeated ones. */
const maxOwn = 3;

/** `links`: several, with little else; `link`: one alone, which is a menu only next to others; `notice`: a text with a copyright sign. */
const kinds = ["text", "link", "links", "heading", "notice"] as const;

/** A piece of prose near the beginning or the end of a page. */
interface Piece {
  /** Equal for pieces with the same words, whatever their links and emphasis. */
  readonly words: number;
  readonly kind: (typeof kinds)[number];
  /** Index of its passage, its own index among the pieces of that, and their number. */
  readonly passage: number;
  readonly index: number;
  readonly of: number;
  readonly tokens: number;
  readonly edge: "start" | "end";
}

type Blocks = readonly (ExtractedBlock | PassageBlock)[];

/** The parts of prose that are kept or left out: paragraphs, headings, lists, tables. */
function partsOf(markdown: string): string[] {
  return markdown.split("\n\n");
}

/** The label of a link, up to its target. */
const linkLabel = /\[[^[\]]{0,500}\]\(/g;

/** Letters and digits of a text, without the targets of its links. */
function wordsOf(part: string): string {
  return part.replace(linkTarget, "]").replace(/[^\p{L}\p{N}]+/gu, "");
}

function partKind(part: string): Piece["kind"] {
  if (/^#{1,6} /.test(part)) return "heading";
  if (isLinkList(part, 2)) return "links";
  if (part.includes("](") && wordsOf(part.replace(linkLabel, "](")) === "") return "link";
  return part.includes("\u00A9") ? "notice" : "text";
}

const fields = 6;

/** The pieces at both ends of a page, up to the first code or table, packed to be passed between threads and kept. */
function packEdges(passages: readonly { readonly blocks: Blocks }[]): Uint32Array {
  const edgeOf = (edge: Piece["edge"]): readonly number[][] => {
    const pieces: number[][] = [];
    const inOrder = <T>(all: readonly T[]): readonly T[] => (edge === "start" ? all : all.toReversed());
    for (const [passage, { blocks }] of inOrder([...passages.entries()])) {
      const of = blocks.reduce((sum, one) => sum + (one.type === "prose" ? partsOf(one.markdown).length : 0), 0);
      let index = edge === "start" ? -1 : of;
      for (const block of inOrder(blocks)) {
        if (block.type === "code") return pieces;
        for (const part of inOrder(partsOf(block.markdown))) {
          index += edge === "start" ? 1 : -1;
          if (part.startsWith("|") || pieces.length === edgeSize || index > 0xffff) return pieces;
          const digest = hash("sha256", wordsOf(part) || part.trim(), "buffer");
          const kind = kinds.indexOf(partKind(part)) + (edge === "end" ? kinds.length : 0);
          const place = [index + Math.min(of, 0xffff) * 0x1_0000, estimateTokens(part) + 1];
          pieces.push([digest.readUInt16LE(4), digest.readUInt32LE(0), kind, passage, ...place]);
        }
      }
    }
    return pieces;
  };
  return Uint32Array.from([...edgeOf("start"), ...edgeOf("end")].flat());
}

/** The packed pieces of a page, if it is one of a website. */
export function edgesOf(
  spec: SourceSpec,
  passages: readonly { readonly blocks: Blocks }[],
): { readonly edges?: Uint32Array } {
  return kindOf(spec).repeatsMenus ? { edges: packEdges(passages) } : {};
}

/** The pieces of one page, each end from the outside to the inside. */
function unpackEdges(packed: Uint32Array): readonly Piece[] {
  return Array.from({ length: packed.length / fields }, (_, number): Piece => {
    const [high = 0, low = 0, kind = 0, passage = 0, place = 0, tokens = 0] = packed.subarray(number * fields);
    return {
      words: high * 2 ** 32 + low,
      kind: kinds[kind % kinds.length] ?? "text",
      edge: kind < kinds.length ? "start" : "end",
      passage,
      index: place % 0x1_0000,
      of: Math.floor(place / 0x1_0000),
      tokens,
    };
  });
}

/**
 * What is left out of the passages of a site as its pages repeat it, in the order of `pages`: menus, and texts outside of them, of at
 * least half of the pages; and on all pages but one a closing text of nearly all, which may be content. Only whole pieces near the
 * beginning or end of a page, never code or tables. `folded`: lines of passages that are not served as they are copies.
 */
export function findBoilerplate(
  pages: readonly SeenPage[],
  folded: ReadonlySet<number>,
): readonly (Cut & { readonly tokens: number })[] {
  const sites = pages.filter(({ edges }) => edges !== undefined);
  const counts = new Map<number, number>();
  for (const { edges } of sites)
    for (const words of new Set(unpackEdges(edges ?? new Uint32Array()).map((piece) => piece.words)))
      counts.set(words, (counts.get(words) ?? 0) + 1);
  const repeats = (piece: Piece, least: number): boolean => {
    const count = counts.get(piece.words) ?? 0;
    return count >= minPages && count >= sites.length * least;
  };

  const isServed = ({ flags, firstLine }: SeenPage, passage: number): boolean =>
    flags[passage] === undefined && !folded.has(firstLine + passage);
  /** The page that keeps a text. */
  const keepers = new Map<number, SeenPage>();
  const isMenu = (piece: Piece, at: number, edge: readonly Piece[]): boolean => {
    const isLink = (one: Piece | undefined): boolean =>
      one?.kind.startsWith("link") === true && repeats(one, share.menu);
    return isLink(piece) && (piece.kind === "links" || isLink(edge[at - 1]) || isLink(edge[at + 1]));
  };
  const isOwn = (piece: Piece): boolean => piece.kind === "text" && !repeats(piece, share.menu);
  /** Whether the closing text of a page is left out, since another page keeps it. */
  const isKeptElsewhere = (piece: Piece, page: SeenPage): boolean => {
    if (!repeats(piece, share.text)) return false;
    const keeper = keepers.get(piece.words);
    if (keeper === undefined && isServed(page, piece.passage)) keepers.set(piece.words, page);
    return keeper !== undefined && keeper !== page;
  };
  const cutsOfEdge = (page: SeenPage, edge: readonly Piece[], isWholePage: boolean): readonly Piece[] => {
    let own = 0;
    const last = edge.findIndex((piece) => isOwn(piece) && ++own > maxOwn);
    const outer = last < 0 ? edge : edge.slice(0, last);
    const isEnd = edge[0]?.edge === "end";
    const firstOwn = outer.findIndex(isOwn);
    // Prose next to code explains it.
    const closing = isEnd ? (firstOwn < 0 ? edge.length - (isWholePage ? 0 : 1) : firstOwn) : 0;
    const cut = new Set<Piece>();
    // From the content outwards: what is outside of a menu is no content.
    let hasContent = !isWholePage || last >= 0;
    let isOutside = false;
    for (let at = outer.length - 1; at >= 0; at -= 1) {
      const piece = outer[at];
      if (piece === undefined || piece.kind === "heading") continue;
      const isOfMenu = isMenu(piece, at, outer);
      if (isOfMenu || ((isOutside || piece.kind === "notice") && repeats(piece, share.menu))) cut.add(piece);
      else if (at < closing && isKeptElsewhere(piece, page)) cut.add(piece);
      if (isOfMenu) isOutside ||= hasContent;
      else if (!cut.has(piece) && !piece.kind.startsWith("link")) isOutside = false;
      hasContent ||= isOwn(piece);
    }
    // A repeated heading goes with all that is below it.
    let below = isEnd ? "cut" : "more";
    for (const piece of isEnd ? outer : outer.toReversed()) {
      if (piece.kind !== "heading") below = cut.has(piece) && below !== "more" ? "cut" : "more";
      else if (below === "cut" && repeats(piece, share.menu)) cut.add(piece);
      else below = "nothing";
    }
    return [...cut];
  };

  return sites.flatMap((page) => {
    const { start = [], end = [] } = Object.groupBy(unpackEdges(page.edges ?? new Uint32Array()), ({ edge }) => edge);
    const isWholePage = start.some(({ passage, index }) => passage === end[0]?.passage && index === end[0].index);
    const found = [start, end].flatMap((edge) => cutsOfEdge(page, edge, isWholePage));
    const cuts = Map.groupBy(found, ({ passage }) => passage);
    return Array.from(cuts, ([passage, all]) => {
      const byIndex = new Map(all.map((piece) => [piece.index, piece]));
      const isWhole = byIndex.size === all[0]?.of && readFingerprint(page.fingerprints, passage).examples === 0;
      return {
        line: page.firstLine + passage,
        parts: isWhole ? [] : [...byIndex.keys()].toSorted((one, other) => one - other),
        tokens: [...byIndex.values()].reduce((sum, { tokens }) => sum + tokens, 0),
      };
    }).filter(({ line }) => isServed(page, line - page.firstLine));
  });
}

/** A passage without parts of its prose, by their indexes. At least one part, or code, stays. */
export function withoutParts(passage: Passage, parts: readonly number[]): Passage {
  const cut = new Set(parts);
  const texts: string[] = [];
  let index = 0;
  const keep = (part: string): boolean => {
    const isCut = cut.has(index++);
    if (isCut) texts.push(part);
    return !isCut;
  };
  const left = passage.blocks.flatMap((block): readonly PassageBlock[] => {
    if (block.type === "code") return [block];
    const markdown = partsOf(block.markdown).filter(keep).join("\n\n");
    return markdown === "" ? [] : [{ ...block, markdown }];
  });
  // Code may be described by prose next to it.
  const words = texts.map(wordsOf);
  const isCut = (text: string): boolean => words.some((all) => all.includes(wordsOf(text)));
  const blocks = left.map((block) =>
    block.type === "code" && isCut(block.description) ? { ...block, description: "" } : block,
  );
  const title = texts.reduceRight(withoutName, passage.title);
  return { ...passage, title, blocks, tokens: tokensOf(blocks) };
}

/** A title made of several headings without one of them. */
function withoutName(title: string, part: string): string {
  const name = part.replace(/^#{1,6} /, "");
  const end = [`, ${name}`, `: ${name}`].find((one) => name !== part && title.endsWith(one));
  return end === undefined ? title : title.slice(0, -end.length);
}

/** The note about what is left out of a generation; none if nothing is. */
export function boilerplateNotes(cuts: readonly Cut[] = []): readonly string[] {
  if (cuts.length === 0) return [];
  const count = cuts.length === 1 ? "1 passage" : `${cuts.length} passages`;
  return [`Menus, footers and other texts that most pages of the site repeat are left out of ${count}.`];
}
