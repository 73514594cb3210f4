import type { Block, Document, LeftOut, Lines } from "./blocks.ts";
import { closesFence, fenceMarker } from "./markdown/fences.ts";
import type { Refused } from "./markdown/index.ts";

interface Size {
  readonly length: number;
  readonly lines: number;
}

/** Maximum size of a text that is parsed at once: the parser keeps all lines and blocks in memory. */
const whole: Size = { length: 10_000_000, lines: 400_000 };
/** Maximum sizes of pieces; a piece that cannot be parsed is cut again to the next size. */
const pieceSizes: readonly Size[] = [
  { length: 1_000_000, lines: 40_000 },
  { length: 60_000, lines: 1500 },
  { length: 0, lines: 0 },
];

/**
 * Reads a text. One that is too long, or that `read` refuses as `too_large`, is cut where sections begin, if its format allows; the
 * documents of the pieces are joined, with line numbers of the page.
 */
export function readInPieces(
  text: string,
  canBeCut: boolean,
  read: (text: string) => Document | Refused,
): Document | Refused {
  const page: Piece = { text, line: 0, lines: countLines(text) };
  const refused = fits(page, whole) ? read(text) : tooLong;
  if (!canBeCut || !("code" in refused) || refused.code !== "too_large") return refused;
  const parts: Part[] = [];
  const lost: LostPiece[] = [];
  const readPieces = (piece: Piece, [size, ...smaller]: readonly Size[]): Refused | undefined => {
    for (const part of size === undefined ? [] : cut(piece, size)) {
      const result = fits(part, whole) ? read(part.text) : tooLong;
      if (!("code" in result)) parts.push({ document: result, line: part.line });
      else if (result.code !== "too_large") return result;
      else if (smaller.length === 0) lost.push([part, result.reason]);
      else {
        const refusal = readPieces(part, smaller);
        if (refusal !== undefined) return refusal;
      }
    }
    return undefined;
  };
  return readPieces(page, pieceSizes) ?? (parts.length === 0 ? refused : joined(parts, lost));
}

const tooLong: Refused = {
  code: "too_large",
  reason: "The text is too long, and has no headings or paragraphs at which it could be cut.",
};

interface Piece {
  readonly text: string;
  /** Number of lines of the page before it. */
  readonly line: number;
  readonly lines: number;
}

interface Part {
  readonly document: Document;
  readonly line: number;
}

type LostPiece = readonly [piece: Piece, reason: string];

function fits({ text, lines }: Pick<Piece, "text" | "lines">, size: Size): boolean {
  return text.length <= size.length && lines <= size.lines;
}

function countLines(text: string): number {
  let count = 1;
  for (const _ of text.matchAll(lineEnd)) count++;
  return count;
}

const lineEnd = /\r\n?|\n/g;

/** A place where a piece may begin. `rank`: the level of its heading, 7 for a paragraph. */
interface Cut {
  readonly at: number;
  readonly line: number;
  readonly rank: number;
}

/** Cuts a piece into as few smaller ones as possible: at the outermost heading in the second half of each. */
function cut({ text, line: first, lines: count }: Piece, size: Size): Piece[] {
  const pieces: Piece[] = [];
  let start: Cut = { at: 0, line: 0, rank: 0 };
  let open: Cut[] = [];
  const end: Cut = { at: text.length, line: count, rank: 0 };
  const closeAt = (next: Cut): void => {
    const piece = text.slice(start.at, next.at);
    if (piece.trim() !== "") pieces.push({ text: piece, line: first + start.line, lines: next.line - start.line });
    start = next;
    open = open.filter(({ at }) => at > next.at);
  };
  const tooFar = (next: Cut): boolean => next.at - start.at > size.length || next.line - start.line > size.lines;
  for (const next of [...cutsOf(text), end]) {
    while (open.length > 0 && tooFar(next)) closeAt(best(open, start, size));
    if (next !== end) open.push(next);
  }
  closeAt(end);
  return pieces;
}

function best(open: readonly Cut[], start: Cut, size: Size): Cut {
  const late = open.filter(({ at, line }) => (at - start.at) * 2 > size.length || (line - start.line) * 2 > size.lines);
  const [first = start, ...others] = late.length > 0 ? late : open.slice(-1);
  return others.reduce((lowest, next) => (next.rank <= lowest.rank ? next : lowest), first);
}

const heading = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const underline = /^ {0,3}(?:(={3,})|-{3,}|~{3,}|\^{3,})[ \t]*$/;

/** The places where a cut does not split code, comments or lists. */
function* cutsOf(text: string): Generator<Cut> {
  /** Tests whether a line ends the open code or comment. */
  let closing: ((line: string) => boolean) | undefined;
  let before: { readonly at: number; readonly isBlank: boolean } | undefined;
  let starts = false;
  let line = 0;
  for (let at = 0; at < text.length; line++) {
    lineEnd.lastIndex = at;
    const match = lineEnd.exec(text);
    const end = match?.index ?? text.length;
    const next = match === null ? text.length : match.index + match[0].length;
    // The beginning of a line decides which block it starts.
    const words = text.slice(at, Math.min(end, at + 10_000));
    const isBlank = words.trim() === "";
    if (closing !== undefined) {
      if (closing(text.slice(at, end))) closing = undefined;
      starts = false;
    } else if ((closing = closingOf(text.slice(at, end))) !== undefined) {
      if (before?.isBlank === true) yield { at, line, rank: 7 };
      starts = false;
    } else {
      const level = heading.exec(words)?.[1]?.length;
      const rule = underline.exec(words);
      if (level !== undefined) yield { at, line, rank: level };
      else if (rule !== null && starts && before?.isBlank === false)
        yield { at: before.at, line: line - 1, rank: rule[1] === undefined ? 2 : 1 };
      else if (before?.isBlank === true && /^[^\s>|:<-]/.test(words)) yield { at, line, rank: 7 };
      starts = !isBlank && (before === undefined || before.isBlank);
    }
    before = { at, isBlank };
    at = next;
  }
}

/** The test for the line that ends the code or comment opened by this line; undefined if it opens none. */
function closingOf(line: string): ((line: string) => boolean) | undefined {
  const [, marker] = fenceMarker.exec(line) ?? [];
  if (marker !== undefined) return (next) => closesFence(next.replace(/^[ \t>]+/, "").trimEnd(), marker);
  if (!line.includes("<")) return undefined;
  const lower = line.toLowerCase();
  for (const [opening, end] of [
    ["<!--", "-->"],
    ["<pre", "</pre"],
  ] as const) {
    const from = lower.lastIndexOf(opening);
    if (from >= 0 && !lower.includes(end, from)) return (next) => next.toLowerCase().includes(end);
  }
  return undefined;
}

function joined(parts: readonly Part[], lost: readonly LostPiece[]): Document {
  const blocks: Block[] = [];
  const leftOut: LeftOut[] = [];
  const footnotes = new Map<string, string>();
  const dropped: Record<string, number> = {};
  let groups = 0;
  for (const { document, line } of parts) {
    const shift = ([from, to]: Lines): Lines => [from + line, to + line];
    let last = 0;
    for (const block of document.blocks) {
      const moved = { ...block, lines: shift(block.lines) };
      if (moved.type === "code" && moved.tab !== undefined) {
        last = Math.max(last, moved.tab.group);
        blocks.push({ ...moved, tab: { ...moved.tab, group: moved.tab.group + groups } });
      } else blocks.push(moved);
    }
    groups += last;
    for (const block of document.leftOut) leftOut.push({ ...block, lines: shift(block.lines) });
    for (const [name, note] of document.footnotes) footnotes.set(name, note);
    for (const [reason, number] of Object.entries(document.dropped ?? {}))
      dropped[reason] = (dropped[reason] ?? 0) + number;
  }
  const { title = "", description = "" } = parts[0]?.document ?? {};
  const warnings = [...parts.flatMap(({ document }) => document.warnings ?? []), ...toWarnings(lost)];
  return { blocks, title, description, footnotes, leftOut, dropped, ...(warnings.length > 0 && { warnings }) };
}

/** Maximum number of lost pieces that are listed; the others are counted. */
const maxNamed = 20;

function toWarnings(lost: readonly LostPiece[]): string[] {
  const named = lost
    .slice(0, maxNamed)
    .map(
      ([{ line, lines }, reason]) =>
        `Lines ${line + 1} to ${line + lines} are left out: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`,
    );
  const more = lost.length - named.length;
  return more > 0 ? [...named, `${more} more parts are left out for the same reason.`] : named;
}
