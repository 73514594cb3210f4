/** A piece of text on a page of a PDF, as pdf.js has it. */
export interface PdfItem {
  readonly str: string;
  /** Identifies its font in the document. */
  readonly fontName: string;
  /** Its matrix; the last two are the place of its baseline's start, from the page's lower left corner. */
  readonly transform: readonly number[];
  readonly width: number;
}

/** The text of a page. */
export interface PdfPage {
  /** From 1. */
  readonly number: number;
  readonly bottom: number;
  readonly top: number;
  readonly items: readonly PdfItem[];
  isMonospaced(font: string): boolean;
}

/** A piece of a line in one font. */
export interface Piece {
  readonly text: string;
  readonly font: string;
  readonly isMono: boolean;
  readonly size: number;
  readonly left: number;
  readonly right: number;
}

/** A line, or a part of one that stands apart, such as the cell of a table. Lengths are in points. */
export interface Line {
  readonly pieces: readonly Piece[];
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** Height of its baseline on the page. */
  readonly base: number;
  /** Size and font of most of its characters. */
  readonly size: number;
  readonly font: string;
  /** All of it is in a font of one width. */
  readonly isMono: boolean;
  /** Its parts that stand apart; one, if all is together. */
  readonly cells: readonly Line[];
}

/** A gap that separates words, and one that separates columns and cells, in sizes of the font. */
const wordGap = 0.18;
const cellGap = 1.1;

const narrow = /[ijl.,:;'|!]/g;
/** Pieces of text count as narrow and as wide by their share of narrow characters; how many of each a font has to show. */
const shares = { narrow: 0.25, wide: 0.06 };
const leastPieces = 2;
const maxDifference = 0.02;
const maxFormDifference = 0.004;

interface FontWidth {
  /** The PDF says that it is of one width. */
  readonly isNamed: boolean;
  /** Least and greatest mean width of the characters of a piece, in sizes of the font. */
  least: number;
  most: number;
  narrow: number;
  wide: number;
}

/** The fonts whose text takes the same room for narrow characters as for wide ones, which not every PDF says of them. */
export function evenFonts(pages: readonly PdfPage[]): ReadonlySet<string> {
  const fonts = new Map<string, FontWidth>();
  for (const { items, isMonospaced } of pages)
    for (const { str, fontName, transform, width } of items) {
      const [a = 0, b = 0] = transform;
      if (str.length < 2 || width === 0 || b !== 0 || /^\P{L}*$/u.test(str)) continue;
      const isNamed = isMonospaced(fontName);
      const font = fonts.get(fontName) ?? { isNamed, least: Infinity, most: 0, narrow: 0, wide: 0 };
      fonts.set(fontName, font);
      const advance = width / str.length / Math.abs(a);
      const share = (str.match(narrow)?.length ?? 0) / str.length;
      font.narrow += share >= shares.narrow ? 1 : 0;
      font.wide += share <= shares.wide ? 1 : 0;
      font.least = Math.min(font.least, advance);
      font.most = Math.max(font.most, advance);
    }
  const isAlike = (least: number, most: number, difference: number): boolean => most - least < most * difference;
  const isEven = (font: FontWidth): boolean =>
    font.isNamed ||
    (font.narrow >= leastPieces && font.wide >= leastPieces && isAlike(font.least, font.most, maxDifference));
  const known = [...fonts.values()].filter(isEven).slice(0, 20);
  // The bold form of such a font has its width.
  const isForm = ({ least, most }: FontWidth): boolean =>
    known.some((one) => isAlike(Math.min(least, one.least), Math.max(most, one.most), maxFormDifference));
  return new Set([...fonts].filter(([, font]) => isEven(font) || isForm(font)).map(([name]) => name));
}

/** A mark of a list in a font of symbols. */
const symbol = /^[\uE000-\uF8FF](?=\s*$)/;

/** The lines of a page in reading order; rotated text is left out. */
export function toLines({ items, isMonospaced }: PdfPage): readonly Line[] {
  const pieces = items.flatMap(({ str, fontName, transform, width }): (Piece & { readonly base: number })[] => {
    const [a = 0, b = 0, , d = 0, left = 0, base = 0] = transform;
    if (str.trim() === "" || Math.abs(b) > Math.abs(a) / 4) return [];
    const plain = str.replace(/[\p{Cc}\u00AD]/gu, "").replace(/[\uFB00-\uFB06]/g, (both) => both.normalize("NFKC"));
    const text = plain.replace(symbol, "\u2022");
    const [size, isMono] = [Math.abs(d) || Math.abs(a), isMonospaced(fontName) && text !== "\u2022"];
    return [{ text, font: fontName, isMono, size, left, right: left + width, base }];
  });
  const rows: (Piece & { readonly base: number })[][] = [];
  for (const piece of pieces.toSorted((one, other) => other.base - one.base)) {
    const row = rows.at(-1);
    const [first] = row ?? [];
    // Exponents and the like are on the line that they overlap.
    if (row && first && first.base - piece.base < Math.max(first.size, piece.size) * 0.4) row.push(piece);
    else rows.push([piece]);
  }
  const parts = rows.map(segments);
  return inColumns(parts.flat()) ?? parts.flatMap((cells) => whole(cells));
}

/** The cells of a row as a line. */
function whole(cells: readonly Line[]): readonly Line[] {
  const pieces = cells.flatMap((cell) => cell.pieces);
  const [first] = cells;
  return cells.length < 2 || first === undefined ? cells : [{ ...toLine(pieces, first.base), cells }];
}

/** The parts of a row that stand apart. */
function segments(row: readonly (Piece & { readonly base: number })[]): readonly Line[] {
  const parts: (Piece & { readonly base: number })[][] = [];
  for (const piece of row.toSorted((one, other) => one.left - other.left)) {
    const last = parts.at(-1)?.at(-1);
    const isApart = last === undefined || piece.left - last.right > cellGap * piece.size;
    // Code is aligned with blanks.
    if (isApart && !(last?.isMono === true && piece.isMono)) parts.push([piece]);
    else parts.at(-1)?.push(piece);
  }
  return parts.map((part) => toLine(part, part[0]?.base ?? 0));
}

function toLine(pieces: readonly Piece[], base: number): Line {
  const weights = new Map<string, number>();
  for (const { font, text } of pieces) weights.set(font, (weights.get(font) ?? 0) + text.length);
  const most = pieces.reduce((one, other) =>
    (weights.get(other.font) ?? 0) > (weights.get(one.font) ?? 0) ? other : one,
  );
  const spaced = pieces.map((piece, at) => {
    const last = pieces[at - 1];
    const isSpaced = last !== undefined && piece.left - last.right > wordGap * piece.size;
    return isSpaced && !/\s$/.test(last.text) && !/^\s/.test(piece.text) ? { ...piece, text: ` ${piece.text}` } : piece;
  });
  const line = {
    pieces: spaced,
    text: spaced.map(({ text }) => text).join(""),
    left: Math.min(...pieces.map(({ left }) => left)),
    right: Math.max(...pieces.map(({ right }) => right)),
    base,
    size: most.size,
    font: most.font,
    isMono: pieces.every(({ isMono }) => isMono),
    cells: [],
  };
  return { ...line, cells: [line] };
}

/** Lines of a page in two columns, column by column; what spans both separates what is above and below. Undefined for other pages. */
function inColumns(lines: readonly Line[]): readonly Line[] | undefined {
  const left = Math.min(...lines.map((line) => line.left));
  const right = Math.max(...lines.map((line) => line.right));
  const middle = (left + right) / 2;
  const inLeft = lines.filter((line) => line.right < middle + (right - left) * 0.02);
  const inRight = lines.filter((line) => line.left > middle - (right - left) * 0.02);
  const isFull = (column: readonly Line[]): boolean => {
    const wide = column.filter((line) => line.right - line.left > (right - left) * 0.35);
    return column.length > 8 && wide.length > column.length / 2;
  };
  if (!isFull(inLeft) || !isFull(inRight) || inLeft.length + inRight.length < lines.length * 0.8) return undefined;
  const columns = [new Set(inLeft), new Set(inRight)] as const;
  const out: Line[] = [];
  let waiting: Line[][] = [[], []];
  const flush = (): void => {
    out.push(...waiting.flat());
    waiting = [[], []];
  };
  for (const line of lines) {
    const at = columns.findIndex((column) => column.has(line));
    if (at >= 0) waiting[at]?.push(line);
    else {
      flush();
      out.push(line);
    }
  }
  flush();
  return out;
}

/** The lines of a page. */
export interface PageLines {
  readonly page: PdfPage;
  readonly lines: readonly Line[];
}

/** Share of a page's height at its top and bottom that may have running lines, and how many pages have to repeat one. */
const edge = 0.13;
const leastRepeated = 3;

/** Leaves out headers, footers and page numbers: lines at the edge of pages that are there on others too, but for their numbers. */
export function withoutRunningLines(pages: readonly PageLines[]): readonly PageLines[] {
  const counts = new Map<string, number>();
  const keyOf = ({ page: { top, bottom } }: PageLines, { base, text }: Line): string | undefined => {
    const height = (base - bottom) / (top - bottom);
    if (height > edge && height < 1 - edge) return undefined;
    const words = text
      .replace(/\d+|\b[ivxl]+\b/g, "#")
      .replace(/\s+/g, " ")
      .trim();
    return `${height > 0.5 ? "top" : "bottom"} ${words}`;
  };
  const edges = pages.map((page) => page.lines.map((line) => keyOf(page, line)));
  for (const keys of edges)
    for (const key of new Set(keys)) if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  const least = Math.min(leastRepeated, Math.max(2, pages.length));
  return pages.map(({ page, lines }, number) => ({
    page,
    lines: lines.filter((_line, at) => (counts.get(edges[number]?.[at] ?? "") ?? 0) < least),
  }));
}
