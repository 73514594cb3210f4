import type { Passage, PassageBlock, ContentKind } from "../domain/passage.ts";
import { estimateTokens, roomWithin } from "../domain/tokens.ts";
import { namedCode, paragraphsOf } from "../domain/markdown.ts";

/** Renders passages, and measures the result. */
export interface Rendering<T> {
  readonly render: (passages: readonly Passage[]) => T;
  /** The text that is sent. */
  readonly sent: (rendered: T) => string;
  /** Selects blocks of which the first that fits must be in the answer, even in place of better passages. */
  readonly needs?: (block: PassageBlock) => boolean;
}

/** Renders as many passages, best first, as fit the budget, in tokens of the sent text. A best passage over it is shortened. */
export function fit<T>(passages: readonly Passage[], budget: number, rendering: Rendering<T>): T {
  const { render, sent, needs } = rendering;
  const limit = roomWithin(budget);
  const excess = (rendered: T): number => estimateTokens(sent(rendered)) - limit;
  const needed = needs === undefined ? -1 : passages.findIndex(({ blocks }) => blocks.some(needs));
  for (let count = passages.length; ; count -= 1) {
    const last = Math.max(count - 1, needed);
    const rendered = render(count === 0 ? [] : [...passages.slice(0, count - 1), ...passages.slice(last, last + 1)]);
    if (count === 0 || excess(rendered) <= 0) return rendered;
    if (count === 1) return shortened(passages, limit, rendering, excess);
  }
}

function shortened<T>(
  passages: readonly Passage[],
  limit: number,
  { render, needs }: Rendering<T>,
  excess: (rendered: T) => number,
): T {
  const best = passages.slice(0, 1);
  const pieces = best.flatMap(({ blocks }) =>
    blocks.flatMap(piecesOf).map((block) => ({ block, tokens: tokensOf(block) })),
  );
  for (let available = limit; ;) {
    const blocks = fitting(pieces, available);
    const rendered = render(best.map((passage) => ({ ...passage, blocks })));
    const over = excess(rendered);
    if (over <= 0 || available === 0) return (needs && !blocks.some(needs) && neededAlone()) || rendered;
    // By a tenth at least: a slightly smaller budget may drop no paragraph.
    available = Math.max(0, Math.min(available - over, Math.floor(available * 0.9)));
  }

  function neededAlone(): T | undefined {
    for (const passage of passages) {
      for (const block of needs ? passage.blocks.filter(needs) : []) {
        const rendered = tokensOf(block) > limit ? undefined : render([{ ...passage, blocks: [block, rest] }]);
        if (rendered !== undefined && excess(rendered) <= 0) return rendered;
      }
    }
    return undefined;
  }
}

/** The mark at the end of a shortened passage. */
const rest: PassageBlock = { type: "prose", markdown: "[the rest of this section is left out]" };

/** A block of code, or a paragraph of prose. */
interface Piece {
  readonly block: PassageBlock;
  readonly tokens: number;
}

/**
 * As many pieces as fit into `available` tokens. Code that does not fit is named in its place; a first paragraph that does not fit is
 * cut. No heading or lead-in is kept before the mark.
 */
function fitting(pieces: readonly Piece[], available: number): readonly PassageBlock[] {
  const kept: PassageBlock[] = [];
  let left = available - tokensOf(rest);
  for (const { block, tokens } of pieces) {
    const isWhole = tokens <= left;
    const shown = isWhole ? block : instead(block, left, kept.length === 0);
    const taken = isWhole ? tokens : tokensOf(shown);
    if (taken > 1 && taken <= left) {
      kept.push(shown);
      left -= taken;
      if (isWhole || block.type === "code") continue;
    }
    while (leads(kept.at(-1))) kept.pop();
    return [...kept, rest];
  }
  return kept;
}

function instead(block: PassageBlock, available: number, isFirst: boolean): PassageBlock {
  if (block.type === "code") return { type: "prose", markdown: namedCode(block) };
  return { type: "prose", markdown: isFirst ? cut(block.markdown, available) : "" };
}

function piecesOf(block: PassageBlock): readonly PassageBlock[] {
  if (block.type === "code") return [block];
  return paragraphsOf(block.markdown).map((markdown) => ({ type: "prose", markdown }));
}

function tokensOf(block: PassageBlock): number {
  if (block.type === "prose") return estimateTokens(block.markdown) + 1;
  return block.codes.reduce((sum, { code }) => sum + estimateTokens(code) + 4, 0);
}

/** The beginning of a paragraph that is too long: whole lines, else whole words. */
function cut(paragraph: string, available: number): string {
  for (const blank of ["\n", " "]) {
    const parts = paragraph.split(blank);
    const begin = (count: number): string => parts.slice(0, count).join(blank);
    let [fits, tooMany] = [0, parts.length];
    while (fits + 1 < tooMany) {
      const middle = Math.floor((fits + tooMany) / 2);
      if (estimateTokens(begin(middle)) < available) fits = middle;
      else tooMany = middle;
    }
    if (fits > 0) return begin(fits);
  }
  return "";
}

/** Whether a block is a heading or a lead-in: prose that ends in a colon. */
function leads(block: PassageBlock | undefined): boolean {
  return (
    block?.type === "prose" && (/^#{1,6} [^\n]*$/.test(block.markdown) || /[:：][*_)\]]{0,3}$/.test(block.markdown))
  );
}

/** Passages reduced to code or to prose; passages without any are left out. In the text form code keeps its lead-in. */
export function withOnly(
  passages: readonly Passage[],
  kind: ContentKind | undefined,
  type: "txt" | "json",
): readonly Passage[] {
  if (kind === undefined) return passages;
  return passages
    .map((passage) => ({ ...passage, blocks: passage.blocks.flatMap((block) => only(kind, type, block)) }))
    .filter(({ blocks }) => blocks.length > 0);
}

function only(kind: ContentKind, type: "txt" | "json", block: PassageBlock): readonly PassageBlock[] {
  if ((block.type === "code") !== (kind === "code")) return [];
  if (block.type === "prose" || type === "json" || block.description === "") return [block];
  return [{ type: "prose", markdown: block.description }, block];
}
