import type { Block } from "./blocks.ts";
import { plain } from "./page.ts";
import type { SourcePage } from "./page.ts";
import type { TextAnswer } from "./text-form.ts";

/** Whether the blocks of code of an answer stand where they stand in their pages. */
export interface CodePlaces {
  readonly inPlace: number;
  /** Behind prose, a heading or code that they do not follow in their page. */
  readonly elsewhere: number;
  /** The code is not in the page as it is, as code that is included from another file. */
  readonly codeNotFound: number;
  /** What stands before it is not found in the page. */
  readonly beforeNotFound: number;
}

const before: ReadonlySet<Block["kind"]> = new Set(["title", "heading", "prose", "list", "quote", "table", "code"]);

/**
 * Code is in its place where the last paragraph, heading or block of code before it in the answer precedes it in the page
 * too, with no other code and no other heading between; where the answer says that it left something out there, it only
 * has to come later in the page.
 */
export function judgePlaces(answer: TextAnswer, pageAt: (url: string) => SourcePage | undefined): CodePlaces {
  const sums = { inPlace: 0, elsewhere: 0, codeNotFound: 0, beforeNotFound: 0 };
  for (const { url, blocks } of answer.groups) {
    const page = pageAt(url);
    for (const [at, block] of blocks.entries()) {
      if (block.kind === "code") sums[placeOf(page, blocks, at)] += 1;
    }
  }
  return sums;
}

function placeOf(page: SourcePage | undefined, blocks: readonly Block[], at: number): keyof CodePlaces {
  const codes = page?.findCode(blocks[at]?.text ?? "") ?? [];
  if (!page || codes.length === 0) return "codeNotFound";
  const from = blocks.findLastIndex(
    ({ kind, text }, place) => place < at && before.has(kind) && (kind === "code" || plain(text) !== ""),
  );
  const preceding = blocks[from];
  if (!preceding) return "beforeNotFound";
  const found = preceding.kind === "code" ? page.findCode(preceding.text) : page.findText(preceding);
  if (found.length === 0) return "beforeNotFound";
  const gap = blocks.slice(from, at).some(({ kind }) => kind === "leftOut");
  const follows = (place: number, code: number): boolean => {
    if (place >= code) return false;
    const between = page.blocks.slice(place + 1, code);
    if (preceding.kind === "code") return gap || !between.some(({ kind }) => kind === "code");
    return gap || !between.some(({ kind }) => kind === "code" || kind === "heading");
  };
  return codes.some((code) => found.some((place) => follows(place, code))) ? "inPlace" : "elsewhere";
}
