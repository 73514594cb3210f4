import type { ExampleBlock, PassageBlock } from "../domain/passage.ts";
import { headingText } from "../domain/headings.ts";
import { closeFences, paragraphsOf, renderExample, repeatedCode } from "../domain/markdown.ts";

/** Tracks what an answer already has. */
export interface Repeats {
  /**
   * The blocks of a passage as Markdown, a part each. A repeated paragraph or code block is replaced by a mark, unless its heading
   * has nothing new of some length, or it is the first below a heading or a term. `isSection`: the passage has its own heading.
   */
  render(blocks: readonly PassageBlock[], isSection: boolean): string[];
}

/** Repeated blocks of fewer characters, link addresses not counted, are kept: the mark would be as long. */
const short = 100;

/** Maximum length of a term, in characters, and of one that ends in a colon, in words. */
const maxTerm = { characters: 80, words: 4 };

/** Length of the quote that identifies a paragraph: in words, and in characters. */
const quoted = { words: 6, characters: 48 };

/** A paragraph or a code block. */
interface Piece {
  readonly kind: "heading" | "term" | "prose" | "code";
  /** Equal for repetitions. */
  readonly text: string;
  readonly isRepeated: boolean;
  readonly example?: ExampleBlock;
}

/** Creates the tracker of an answer. */
export function createRepeats(): Repeats {
  const said = new Set<string>();
  const isRepeated = (text: string): boolean => {
    if (isShort(text)) return false;
    if (said.has(text)) return true;
    said.add(text);
    return false;
  };
  const piecesOf = (block: PassageBlock): Piece[] => {
    if (block.type === "code") {
      const text = block.codes.map(({ code }) => code).join("\n");
      return [{ kind: "code", text, isRepeated: isRepeated(text), example: block }];
    }
    return paragraphsOf(block.markdown.trim()).map((text) => ({
      kind: kindOf(text),
      text,
      isRepeated: isRepeated(text),
    }));
  };
  return {
    render: (blocks, isSection) =>
      sectionsOf(blocks.flatMap(piecesOf)).flatMap((pieces) => renderSection(pieces, isSection)),
  };
}

/** Groups pieces by heading. */
function sectionsOf(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const sections: Piece[][] = [[]];
  for (const piece of pieces) {
    if (piece.kind === "heading") sections.push([]);
    sections.at(-1)?.push(piece);
  }
  return sections;
}

function renderSection(pieces: readonly Piece[], isSection: boolean): string[] {
  const isAllRepeated = pieces.every(({ isRepeated, text }) => isRepeated || isShort(text));
  const parts: string[] = [];
  /** Consecutive repeated paragraphs. */
  let left: string[] = [];
  const name = (): void => {
    if (left.length > 0) parts.push(named(left));
    left = [];
  };
  for (const [at, { kind, text, isRepeated, example }] of pieces.entries()) {
    const above = pieces[at - 1]?.kind ?? (isSection ? "heading" : "prose");
    const isFirst = kind === "prose" && (above === "heading" || above === "term");
    const isOwn = !isRepeated || isAllRepeated || isFirst;
    if (!isOwn && example === undefined) {
      left.push(text);
      continue;
    }
    name();
    if (example === undefined) parts.push(closeFences(text));
    else parts.push(...(isOwn ? renderExample(example) : [repeatedCode(example)]));
  }
  name();
  return parts;
}

/** Whether a line is a term, which only names something, such as `**Type**`, `- name (string)` or `Default:`. */
function kindOf(text: string): Piece["kind"] {
  if (headingText(text) !== undefined) return "heading";
  if (text.length > maxTerm.characters || text.includes("\n") || /[.!?。！？][*_)"']{0,3}$/.test(text)) return "prose";
  return /[:：]$/.test(text) && text.split(" ").length > maxTerm.words ? "prose" : "term";
}

/** The mark in place of paragraphs that the answer already has. */
function named([first = "", ...others]: readonly string[]): string {
  const words = withoutAddresses(first)
    .replace(/[#>|[\]`*_~]+/g, " ")
    .trim()
    .split(/\s+/)
    .slice(0, quoted.words)
    .join(" ");
  const count = others.length === 0 ? "" : `${others.length + 1} paragraphs `;
  return `[${count}as above: ${words.slice(0, quoted.characters)}…]`;
}

function isShort(text: string): boolean {
  return text.length <= short || (text.includes("](") && withoutAddresses(text).length <= short);
}

function withoutAddresses(markdown: string): string {
  return markdown.replace(/\]\([^()\s]{0,2000}\)/g, "]");
}
