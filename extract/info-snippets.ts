import type { Lines } from "./blocks.ts";
import { fileLabel, isLabel } from "./code-snippets.ts";
import type { ExtractedSnippet } from "./page.ts";
import type { Outline, Section } from "./sections.ts";
import { splitProse } from "./split-prose.ts";
import { estimateTokens } from "./tokens.ts";

/** Sizes of prose snippets, in estimated tokens: joined up to `aim`, cut above `most`, left out below `least`. */
const aim = 200;
const most = 800;
const least = 8;
/** A section below that, in estimated tokens, is joined with its neighbours. */
const small = 60;
/** A lead-in of code is at most so long, in characters; it is part of the code's description. */
const maxLead = 120;

/** Prose under one breadcrumb. */
interface Passage {
  readonly breadcrumb: readonly string[];
  readonly content: string;
  readonly lines: Lines;
  readonly tokens: number;
}

/** The prose of a page in snippets, cut at headings, then at paragraphs; small neighbouring sections are joined. */
export function toInfoSnippets({ sections }: Outline): ExtractedSnippet[] {
  return joinSmall(sections.flatMap(toPassages))
    .filter(({ tokens }) => tokens >= least)
    .map(({ breadcrumb, content, lines }) => ({
      kind: "info",
      title: breadcrumb.at(-1) ?? "",
      description: "",
      breadcrumb,
      codes: [],
      content,
      lines,
    }));
}

interface Piece {
  readonly markdown: string;
  readonly lines: Lines;
  readonly tokens: number;
}

function toPassages(section: Section): Passage[] {
  const passages: Passage[] = [];
  let pieces: Piece[] = [];
  let tokens = 0;
  const flush = (): void => {
    if (pieces.length > 0) passages.push(toPassage(section.breadcrumb, pieces, tokens));
    pieces = [];
    tokens = 0;
  };
  for (const piece of piecesOf(section)) {
    if (tokens + piece.tokens > most) flush();
    pieces.push(piece);
    tokens += piece.tokens;
  }
  flush();
  return passages;
}

function toPassage(breadcrumb: readonly string[], pieces: readonly Piece[], tokens: number): Passage {
  const first = Math.min(...pieces.map(({ lines }) => lines[0]));
  const last = Math.max(...pieces.map(({ lines }) => lines[1]));
  return { breadcrumb, content: pieces.map(({ markdown }) => markdown).join("\n\n"), lines: [first, last], tokens };
}

const contents = /^(?:table of )?contents$|^toc$|^on this page$/i;

function* piecesOf({ heading, blocks }: Section): Generator<Piece> {
  if (heading !== null && contents.test(heading.text)) return;
  for (const [index, block] of blocks.entries()) {
    if (block.type === "code" || block.markdown === "") continue;
    if (block.type === "paragraph" && blocks[index + 1]?.type === "code") {
      const isLead = block.markdown.length <= maxLead && block.markdown.endsWith(":");
      if (isLead || isLabel(block) || fileLabel(block) !== undefined) continue;
    }
    const tokens = estimateTokens(block.markdown);
    if (tokens <= most) yield { markdown: block.markdown, lines: block.lines, tokens };
    else
      for (const part of splitProse(block.markdown, most))
        yield { markdown: part, lines: block.lines, tokens: estimateTokens(part) };
  }
}

/** Joins small passages that follow each other, as long as they share a heading and stay below the aim. */
function joinSmall(passages: readonly Passage[]): Passage[] {
  const joined: Passage[] = [];
  let group: Passage[] = [];
  let tokens = 0;
  for (const passage of passages) {
    const last = group.at(-1);
    const fits = last !== undefined && last.tokens < small && passage.tokens < small && tokens + passage.tokens <= aim;
    if (!fits || sharedDepth([...group, passage]) === 0) {
      if (last !== undefined) joined.push(join(group));
      group = [];
      tokens = 0;
    }
    group.push(passage);
    tokens += passage.tokens;
  }
  if (group.length > 0) joined.push(join(group));
  return joined;
}

function sharedDepth(group: readonly Passage[]): number {
  const [first, ...others] = group;
  if (first === undefined) return 0;
  return others.reduce((depth, { breadcrumb }) => {
    const differs = first.breadcrumb.findIndex((heading, index) => breadcrumb[index] !== heading);
    return Math.min(depth, differs < 0 ? first.breadcrumb.length : differs);
  }, first.breadcrumb.length);
}

function join(group: readonly Passage[]): Passage {
  const [first] = group;
  if (first === undefined) throw new Error("A group of passages has at least one.");
  if (group.length === 1) return first;
  const depth = sharedDepth(group);
  const pieces = group.map((passage): Piece => {
    const below = passage.breadcrumb
      .slice(depth)
      .map((heading, index) => `${"#".repeat(Math.min(depth + index + 1, 6))} ${heading}`);
    return { markdown: [...below, passage.content].join("\n\n"), lines: passage.lines, tokens: passage.tokens };
  });
  return toPassage(
    first.breadcrumb.slice(0, depth),
    pieces,
    group.reduce((sum, passage) => sum + passage.tokens, 0),
  );
}
