import { namedCode, piecesOf } from "../../domain/markdown.ts";
import type { ContentKind, Passage, PassageBlock } from "../../domain/passage.ts";
import { estimateTokens, roomWithin } from "../../domain/tokens.ts";

/** Renders passages, and measures the result. */
export interface Rendering<T, P extends Passage = Passage> {
  /** `isShortened`: of the only passage something is left out. */
  readonly render: (passages: readonly P[], isShortened?: boolean) => T;
  /** The text that is sent. */
  readonly sent: (rendered: T) => string;
  /** Selects blocks of which the first that fits must be in the answer, even in place of better passages. */
  readonly needs?: (block: PassageBlock) => boolean;
}

/**
 * Renders as many passages, the first ones first, as fit the budget, in tokens of the sent text. A first passage that exceeds it alone
 * is shortened.
 */
export function fit<T, P extends Passage>(passages: readonly P[], budget: number, rendering: Rendering<T, P>): T {
  const { render, sent, needs } = rendering;
  const limit = roomWithin(budget);
  const excess = (rendered: T): number => estimateTokens(sent(rendered)) - limit;
  if (passages.length === 0) return render([], false);
  const needed = needs === undefined ? -1 : passages.findIndex(({ blocks }) => blocks.some(needs));
  const within: T[] = [];
  greatest(passages.length, (count) => {
    const last = Math.max(count - 1, needed);
    const rendered = render([...passages.slice(0, count - 1), ...passages.slice(last, last + 1)], false);
    const fits = excess(rendered) <= 0;
    if (fits) within.push(rendered);
    return fits;
  });
  return within.at(-1) ?? shortened(passages, limit, rendering, excess);
}

/** The greatest number up to `most` that fits; 0: none. Numbers near `most` are tried first. */
function greatest(most: number, fits: (count: number) => boolean): number {
  let [low, high] = [0, most + 1];
  for (let count = most, step = 1; low + 1 < high; step *= 2) {
    if (fits(count)) low = count;
    else high = count;
    count = Math.max(high - step, Math.ceil((low + high) / 2));
  }
  return low;
}

function shortened<T, P extends Passage>(
  passages: readonly P[],
  limit: number,
  { render, needs }: Rendering<T, P>,
  excess: (rendered: T) => number,
): T {
  const best = passages.slice(0, 1);
  const pieces = best
    .flatMap(({ blocks }) => piecesOf(blocks))
    .map(({ text, example }): PassageBlock => example ?? { type: "prose", markdown: text })
    .map((block) => ({ block, tokens: tokensOf(block) }));
  for (let available = limit; ;) {
    const blocks = fitting(pieces, available);
    const rendered = render(
      best.map((passage) => ({ ...passage, blocks })),
      true,
    );
    const over = excess(rendered);
    if (over <= 0 || available === 0) return (needs && !blocks.some(needs) && neededAlone()) || rendered;
    // By a tenth at least: a slightly smaller budget may drop no paragraph.
    available = Math.max(0, Math.min(available - over, Math.floor(available * 0.9)));
  }

  function neededAlone(): T | undefined {
    for (const passage of passages) {
      for (const block of needs ? passage.blocks.filter(needs) : []) {
        const rendered = tokensOf(block) > limit ? undefined : render([{ ...passage, blocks: [block, rest] }], true);
        if (rendered !== undefined && excess(rendered) <= 0) return rendered;
      }
    }
    return undefined;
  }
}

/** The mark at the end of a shortened passage. */
const rest: PassageBlock = { type: "prose", markdown: "[the rest of this section is left out]" };

/**
 * As many pieces as fit into `available` tokens. Code that does not fit is named in its place; a first paragraph that does not fit is
 * cut. No heading or lead-in is kept before the mark.
 */
function fitting(
  pieces: readonly { readonly block: PassageBlock; readonly tokens: number }[],
  available: number,
): readonly PassageBlock[] {
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

function tokensOf(block: PassageBlock): number {
  if (block.type === "prose") return estimateTokens(block.markdown) + 1;
  return block.codes.reduce((sum, { code }) => sum + estimateTokens(code) + 4, 0);
}

/** The beginning of a paragraph that is too long: whole lines, else whole words. */
function cut(paragraph: string, available: number): string {
  for (const blank of ["\n", " "]) {
    const parts = paragraph.split(blank);
    const begin = (count: number): string => parts.slice(0, count).join(blank);
    const count = greatest(parts.length - 1, (one) => estimateTokens(begin(one)) < available);
    if (count > 0) return begin(count);
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
  const only = (block: PassageBlock): readonly PassageBlock[] => {
    if ((block.type === "code") !== (kind === "code")) return [];
    if (block.type === "prose" || type === "json" || block.description === "") return [block];
    return [{ type: "prose", markdown: block.description }, block];
  };
  return passages
    .map((passage) => ({ ...passage, blocks: passage.blocks.flatMap(only) }))
    .filter(({ blocks }) => blocks.length > 0);
}
