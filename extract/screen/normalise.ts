import { joined, readWord } from "./disguise.ts";
import { reveal } from "./reveal.ts";
import { codeOf } from "./vocabulary.ts";
import type { Oddities } from "./scan.ts";

/** A text as it is read, whatever it is written with. */
export interface Normalised {
  /** Words in lower case, a space before and behind each; ` . ` stands for the end of a sentence, whatever it is. */
  readonly words: string;
  /** A character for each word, which stands for what phrases have, and commas and colons: they tell who is spoken to. */
  readonly codes: string;
  /** The place in `words` of each character of `codes`. */
  readonly places: readonly number[];
  /** Stretches of `words` that stand in quotation marks or code spans, as pairs of offsets, in order. */
  readonly quoted: readonly (readonly [number, number])[];
  /** Number of words of phrases that were written with look-alike or invisible characters, digits, or gaps between letters. */
  readonly disguised: number;
}

/** Maximum length of a quotation, in characters of `words`: where it is longer, its end is missing. */
const maxQuotation = 2000;

/** What a character is to the reading of words. */
const other = 0;
const letter = 1;
const apostrophe = 2;
const quotation = 3;
const comma = 4;
const colon = 5;
const stop = 6;
const lineBreak = 7;
const unknown = 255;

/** What each character of 16 bits is, `unknown` until it is first asked for. */
const kinds = new Uint8Array(65536).fill(unknown);

function kindOf(code: number): number {
  const known = kinds[code] ?? other;
  return known === unknown ? (kinds[code] = classify(String.fromCharCode(code))) : known;
}

function classify(character: string): number {
  // Vowels of Devanagari are marks.
  if (/[\p{L}\d\p{Script=Devanagari}]/u.test(character) || character === joined) return letter;
  if (/['’]/.test(character)) return apostrophe;
  if (/["“”„«»`]/.test(character)) return quotation;
  if (/[,，]/.test(character)) return comma;
  if (/[:：—]/.test(character)) return colon;
  if (/[.!?。！？]/.test(character)) return stop;
  return character === "\n" ? lineBreak : other;
}

/**
 * Reads a text: white space, compatibility forms, accents, look-alike letters, what cannot be seen, markup, digits for letters and letters apart
 * make no difference any more. `oddities` say which of these the text may have. Takes time in proportion to the length.
 */
export function normalise(text: string, oddities: Pick<Oddities, "odd" | "hyphened">): Normalised {
  const { shown, hidden } = reveal(text, oddities);
  const words = ["", "."];
  let codes = ".";
  const places = [1];
  /** Length of the words so far, joined, with a space behind. */
  let length = 3;
  let disguised = 0;
  const quoted: [number, number][] = [];
  let opened: { readonly mark: number; readonly at: number } | undefined;
  let isEnd = true;
  let isParagraph = false;
  const addCode = (code: string, width: number): void => {
    codes += code;
    places.push(length);
    length += width;
  };
  const end = (): void => {
    if (isEnd) return;
    words.push(".");
    addCode(".", 2);
    isEnd = true;
  };
  for (let at = 0; at < shown.length;) {
    const code = shown.charCodeAt(at);
    const kind = kindOf(code);
    if (kind === letter) {
      const start = at;
      while (at < shown.length && isSmall(shown.charCodeAt(at))) at++;
      const isPlain = at === shown.length || !isInWord(shown, at);
      while (at < shown.length && isInWord(shown, at)) at++;
      const word = shown.slice(start, at);
      const { plain, isDisguised } = isPlain ? { plain: word, isDisguised: false } : readWord(word);
      if (isDisguised) disguised++;
      words.push(plain);
      for (const part of plain.includes(" ") ? plain.split(" ") : [plain]) addCode(codeOf(part), part.length + 1);
      isEnd = false;
      isParagraph = false;
      continue;
    }
    at++;
    if (kind === stop) {
      if (endsSentence(shown, at)) end();
    } else if (kind === lineBreak) {
      if (isParagraph) {
        end();
        opened = undefined;
      } else if (beginsItem(shown, at)) end();
      isParagraph = true;
    } else if (kind === comma || kind === colon) addCode(kind === comma ? "," : ":", 0);
    else if (kind === quotation) {
      if (opened === undefined) opened = { mark: code, at: length };
      else if (closes(opened.mark, code)) {
        if (length - opened.at <= maxQuotation) quoted.push([opened.at, length]);
        opened = undefined;
      }
    }
  }
  // A single one may be a slip.
  return { words: `${words.join(" ")} `, codes, places, quoted, disguised: disguised + (hidden > 1 ? hidden : 0) };
}

/** A small letter of ASCII: most words are of no others. */
function isSmall(code: number): boolean {
  return code >= 97 && code <= 122;
}

/** Letters and digits, and an apostrophe between letters. */
function isInWord(text: string, at: number): boolean {
  const kind = kindOf(text.charCodeAt(at));
  return kind === letter || (kind === apostrophe && kindOf(text.charCodeAt(at + 1) || 0) === letter);
}

/** Whether an item of a list, a heading or a row of a table begins at an offset behind a line break. */
function beginsItem(text: string, at: number): boolean {
  item.lastIndex = at;
  return item.test(text);
}
const item = /[ \t]{0,12}(?:[-*+] |#{1,6} |\|)/y;

/** Whether a stop before an offset is the end of a sentence, and not a part of a name. */
function endsSentence(text: string, at: number): boolean {
  return at >= text.length || /[\s"'”’)]/.test(text.charAt(at));
}

/** A code span ends with what it began with; other quotation marks are mixed. */
function closes(open: number, mark: number): boolean {
  const tick = 96;
  return (open === tick) === (mark === tick);
}
