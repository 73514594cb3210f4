import type { Lines } from "./blocks.ts";
import { fileLabel, isLabel } from "./code-snippets.ts";
import { notesIn } from "./markdown/links.ts";
import type { ExtractedSnippet } from "./page.ts";
import type { Outline, Section } from "./sections.ts";
import { cutAtWord } from "./sentences.ts";
import { splitProse } from "./split-prose.ts";
import { estimateTokens } from "./tokens.ts";

/** Sizes of prose snippets, in estimated tokens: sections are joined up to the target, cut above the maximum, left out below the minimum. */
const targetTokens = 200;
const maxTokens = 800;
const minTokens = 8;
/** Maximum length of a code block's lead-in, in characters; it is part of the code's description. */
const maxLeadLength = 120;
/** Maximum length of a title made of several headings, in characters. */
const maxTitleLength = 120;

/** A paragraph, or another block, under its headings. */
interface Piece {
  readonly breadcrumb: readonly string[];
  readonly markdown: string;
  readonly lines: Lines;
  readonly tokens: number;
}

/** Pieces that follow each other. */
interface Run {
  readonly pieces: Piece[];
  tokens: number;
}

/**
 * The prose of a page in snippets of 200 to 800 tokens, cut at headings, then at paragraphs; what is smaller is joined
 * with its neighbours, those under the same heading first. A page with less prose than that is one snippet.
 */
export function toInfoSnippets({ sections, notes }: Outline): ExtractedSnippet[] {
  return joinSections(sections)
    .flatMap(cut)
    .filter(({ tokens }) => tokens >= minTokens)
    .map(({ pieces }) => toSnippet(pieces, notes));
}

function joinSections(sections: readonly Section[]): Run[] {
  const runs: Run[] = [];
  let run: Run = { pieces: [], tokens: 0 };
  for (const section of sections) {
    const pieces = [...piecesOf(section)];
    if (pieces.length === 0) continue;
    const last = runs.at(-1);
    if (run.pieces.length > 0 && last !== undefined && last.tokens + run.tokens <= maxTokens) {
      // What is small goes with what came before where it has more in common with that.
      if (shared(last, run) > shared(run, { pieces })) {
        add(last, run.pieces);
        run = { pieces: [], tokens: 0 };
      }
    }
    add(run, pieces);
    if (run.tokens < targetTokens) continue;
    runs.push(run);
    run = { pieces: [], tokens: 0 };
  }
  const last = runs.at(-1);
  if (last !== undefined && run.tokens > 0) add(last, run.pieces);
  else if (run.tokens > 0) runs.push(run);
  return runs;
}

function add(run: Run, pieces: readonly Piece[]): void {
  for (const piece of pieces) {
    run.pieces.push(piece);
    run.tokens += piece.tokens;
  }
}

/** How many headings two neighbours have in common. */
function shared(one: Pick<Run, "pieces">, two: Pick<Run, "pieces">): number {
  return common(one.pieces.at(-1)?.breadcrumb ?? [], two.pieces[0]?.breadcrumb ?? []);
}

function common(one: readonly string[], two: readonly string[]): number {
  const differs = one.findIndex((heading, index) => two[index] !== heading);
  return differs < 0 ? one.length : differs;
}

/** Cuts a run that is too long into parts of about the same size, between pieces. */
function cut(run: Run): Run[] {
  if (run.tokens <= maxTokens) return [run];
  const target = run.tokens / Math.ceil(run.tokens / maxTokens);
  const parts: Run[] = [];
  let part: Run = { pieces: [], tokens: 0 };
  for (const piece of run.pieces) {
    const full = part.tokens + piece.tokens > maxTokens || part.tokens + piece.tokens / 2 > target;
    if (full && part.pieces.length > 0) {
      parts.push(part);
      part = { pieces: [], tokens: 0 };
    }
    add(part, [piece]);
  }
  const last = parts.at(-1);
  if (last !== undefined && part.tokens < targetTokens && last.tokens + part.tokens <= maxTokens)
    add(last, part.pieces);
  else parts.push(part);
  return parts;
}

const contents = /^(?:table of )?contents$|^toc$|^on this page$/i;

function* piecesOf({ heading, breadcrumb, blocks }: Section): Generator<Piece> {
  if (heading !== null && contents.test(heading.text)) return;
  // Its heading is written above it where it is joined with another.
  let above = heading === null ? 0 : estimateTokens(heading.text) + 2;
  for (const [index, block] of blocks.entries()) {
    if (block.type === "code" || block.markdown === "") continue;
    if (block.type === "paragraph" && blocks[index + 1]?.type === "code") {
      const isLead = block.markdown.length <= maxLeadLength && block.markdown.endsWith(":");
      if (isLead || isLabel(block) || fileLabel(block) !== undefined) continue;
    }
    const { lines } = block;
    // Two more for the blank line behind it.
    const tokens = estimateTokens(block.markdown) + 1;
    if (tokens + above <= maxTokens) yield { breadcrumb, markdown: block.markdown, lines, tokens: tokens + above };
    else
      for (const markdown of splitProse(block.markdown, maxTokens - 10 - Math.min(above, 200)))
        yield { breadcrumb, markdown, lines, tokens: estimateTokens(markdown) + 1 };
    above = 0;
  }
}

function toSnippet(pieces: readonly Piece[], notes: Outline["notes"]): ExtractedSnippet {
  const [first] = pieces;
  const depth = pieces.reduce(
    (least, { breadcrumb }) => Math.min(least, common(first?.breadcrumb ?? [], breadcrumb)),
    first?.breadcrumb.length ?? 0,
  );
  const breadcrumb = first?.breadcrumb.slice(0, depth) ?? [];
  const parts: string[] = [];
  const names: string[] = [];
  let above: readonly string[] = breadcrumb;
  for (const piece of pieces) {
    if (piece.breadcrumb !== above) {
      const same = common(piece.breadcrumb, above);
      for (const [index, heading] of piece.breadcrumb.entries()) {
        if (index < Math.max(same, depth)) continue;
        parts.push(`${"#".repeat(Math.min(index + 1, 6))} ${heading}`);
        if (index === depth) names.push(heading);
      }
      above = piece.breadcrumb;
    }
    parts.push(piece.markdown);
  }
  const content = parts.join("\n\n");
  const said = notesIn(content).flatMap((name) => (notes.has(name) ? [`[^${name}]: ${notes.get(name) ?? ""}`] : []));
  return {
    kind: "info",
    title: titleOf(breadcrumb.at(-1) ?? "", names),
    description: "",
    breadcrumb,
    codes: [],
    content: said.length === 0 ? content : [content, ...said.slice(0, 20)].join("\n\n"),
    lines: [Math.min(...pieces.map(({ lines }) => lines[0])), Math.max(...pieces.map(({ lines }) => lines[1]))],
  };
}

/** The heading that all of it stands under, and those below it that it has. */
function titleOf(heading: string, names: readonly string[]): string {
  if (names.length === 0) return heading;
  return cutAtWord([heading, names.join(", ")].filter((part) => part !== "").join(": "), maxTitleLength);
}
