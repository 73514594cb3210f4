import type { Block } from "./blocks.ts";
import { plainCode } from "./page.ts";
import type { SourcePage } from "./page.ts";
import type { TextAnswer } from "./text-form.ts";

/** What became of the lead-ins of an answer: paragraphs and items that end in a colon, or in "for example" and the like. */
export interface LeadIns {
  /** Those that lead to something in their page: code, a list, a table, a quote or callout. */
  readonly counted: number;
  /** Of these, behind which the answer has neither that nor a line that says what was left out. */
  readonly toNothing: number;
  /** Of these, behind which the answer has something else than the page: another kind, or other code. */
  readonly toOther: number;
  /** Those that lead to nothing in their page either. */
  readonly nothingThere: number;
  /** Those whose words are not found in the page. */
  readonly notFound: number;
  /** 1 where the answer ends with one, whatever its page has. */
  readonly atEnd: number;
}

const colon = /[:：][\s*_)]*$/;
const words = /\b(?:for example|for instance|e\.g\.|as follows|like this|like so)[\s,.…*_]*$/i;
/** A short line that is emphasised as a whole names what comes next: it is passed over. */
const label = /^\s*(\*\*|__|\*|_|`)[^\n]{1,60}\1:?\s*$/;

/** Whether a block says that something comes next. */
function isLeadIn({ kind, text }: Block): boolean {
  return (kind === "prose" || kind === "list") && (colon.test(text) || words.test(text));
}

/** Looks up each lead-in of an answer in its page; `pageAt` has no page where it cannot be read. */
export function judgeLeadIns(answer: TextAnswer, pageAt: (url: string) => SourcePage | undefined): LeadIns {
  const sums = { counted: 0, toNothing: 0, toOther: 0, nothingThere: 0, notFound: 0 };
  for (const { url, blocks } of answer.groups) {
    const page = pageAt(url);
    for (const [at, block] of blocks.entries()) {
      if (!isLeadIn(block)) continue;
      const places = page?.findText(block) ?? [];
      if (!page || places.length === 0) {
        sums.notFound += 1;
        continue;
      }
      const meant = places.flatMap((place) => behind(page.blocks, place) ?? []);
      if (meant.length === 0) {
        sums.nothingThere += 1;
        continue;
      }
      sums.counted += 1;
      const next = behind(blocks, at);
      if (!next) sums.toNothing += 1;
      else if (isOther(next, meant, isIncluded(blocks, next))) sums.toOther += 1;
    }
  }
  const last = answer.groups.at(-1)?.blocks.at(-1);
  return { ...sums, atEnd: last && isLeadIn(last) ? 1 : 0 };
}

/** What a lead-in leads to: nothing where prose or a heading comes first, or an item that is no deeper than itself. */
function behind(blocks: readonly Block[], at: number): Block | undefined {
  const { kind: ownKind, indent: ownIndent } = blocks[at] ?? { kind: "prose", indent: 0 };
  for (const block of blocks.slice(at + 1)) {
    const { kind, text, indent } = block;
    if (kind === "list") return ownKind === "list" && indent <= ownIndent ? undefined : block;
    if (kind === "code" || kind === "table" || kind === "quote" || kind === "leftOut") return block;
    if (kind === "heading" || (kind === "prose" && !label.test(text))) return undefined;
  }
  return undefined;
}

function isIncluded(blocks: readonly Block[], code: Block): boolean {
  const before = blocks[blocks.indexOf(code) - 1];
  return before?.kind === "provenance" && !before.text.startsWith("Source:");
}

/** Whether it is of another kind than what the page has there, or other code; code of another file cannot be compared. */
function isOther(next: Block, meant: readonly Block[], included: boolean): boolean {
  if (next.kind === "leftOut" || included) return false;
  const alike = meant.filter(({ kind }) => kind === next.kind);
  if (next.kind !== "code") return alike.length === 0;
  const head = plainCode(next.text).split("\n").slice(0, 2).join("\n");
  return !alike.some(({ text }) => plainCode(text).includes(head));
}
