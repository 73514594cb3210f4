import { decodeHTML } from "entities";
import { asItLooks } from "./look-alikes.ts";
import { codes, otherWord } from "./phrases.ts";

/** A text as it is read, whatever it is written with. */
export interface Normalised {
  /** Small words, a space before and behind each; ` . ` stands for the end of a sentence, whatever it is. */
  readonly words: string;
  /** A character for each word, which stands for what phrases have, and commas and colons: they tell who is spoken to. */
  readonly codes: string;
  /** The place in `words` of each character of `codes`. */
  readonly places: readonly number[];
  /** Stretches of `words` that stand in quotation marks or code spans, as pairs of offsets, in order. */
  readonly quoted: readonly (readonly [number, number])[];
  /** Words of the vocabulary that were written with look-alike or invisible characters, digits, or gaps between letters. */
  readonly disguised: number;
}

/** Maximum length of a quotation, in characters of `words`: where it is longer, its end is missing. */
const maxQuotation = 2000;

/** Letters with one sign between each two. */
const gapped = /(?<![A-Za-z])(?:[A-Za-z][ .\-_*]){4,}[A-Za-z](?![A-Za-z])/g;
/** Stands before letters that were apart, so that they are taken for more than one word: a character for private use. */
const joined = "\uE000";
/** What cannot be seen. */
const ignorable = /[\p{Default_Ignorable_Code_Point}\u180E]/gu;
const accents = /[\u0300-\u036F\u20D0-\u20F0]/g;
const beyondAscii = /[^\0-\x7F]/;
/** What stands for a character that could not be read, and what cannot be seen, between letters. */
const hiddenInWord = /(?<=[A-Za-z])[\p{Default_Ignorable_Code_Point}\uFFFC\uFFFD\u180E]+(?=[A-Za-z])/gu;
/** Tags inside of a word, comments and emphasis there. */
const inWord = /(?<=[\p{L}\d])(?:<\/?[A-Za-z][^<>\n]{0,100}>|<!--[^<>\n]{0,100}-->|[*`~])+(?=[\p{L}\d])/gu;
/** Words with hyphens between them; a line may end there, and have signs of a list, a quotation or a comment before it. */
const hyphened = /(?<![A-Za-z])[A-Za-z]{1,16}(?:-(?:\r?\n[ \t>*#/|;-]{0,10})?[A-Za-z]{1,16})+/g;
const hyphen = /-(?:\r?\n[ \t>*#/|;-]{0,10})?/;
/** Where a word of capitals and small letters is made of more than one. */
/** A name such as those of companies, which is no address. */
const company = /^[A-Z][a-z]+AI$/;
const humps = /(?<=[a-z])(?=[A-Z])/;

const digits: Readonly<Record<string, string>> = { 0: "o", 3: "e", 4: "a", 5: "s", 7: "t" };

/** What a character is to the reading of words. */
const other = 0;
const letter = 1;
const apostrophe = 2;
const quotation = 3;
const comma = 4;
const colon = 5;
const stop = 6;
const lineBreak = 7;

/** What each character of 16 bits is, as soon as it was asked for; 255 until then. */
const kinds = new Uint8Array(65536).fill(255);

function kindOf(code: number): number {
  const known = kinds[code] ?? other;
  if (known !== 255) return known;
  return (kinds[code] = classify(String.fromCharCode(code)));
}

function classify(character: string): number {
  if (/[\p{L}\d]/u.test(character) || character === joined) return letter;
  if (/['’]/.test(character)) return apostrophe;
  if (/["“”„«»`]/.test(character)) return quotation;
  if (/[,，]/.test(character)) return comma;
  if (/[:：—]/.test(character)) return colon;
  if (/[.!?。！？]/.test(character)) return stop;
  return character === "\n" ? lineBreak : other;
}

/**
 * Reads a text: white space, compatibility forms, accents, look-alike letters, what cannot be seen, markup, digits for letters
 * and letters apart make no difference any more. `vocabulary` says which words matter, so that a disguise can be told from an
 * odd name. `hyphened`: words of it may have hyphens in them; `odd`: there are other characters or single letters. Takes time in proportion to the length.
 */
export function normalise(
  text: string,
  vocabulary: ReadonlySet<string>,
  { hyphened: isHyphened, odd: isOdd }: { readonly hyphened: boolean; readonly odd: boolean },
): Normalised {
  const hidden = { count: 0 };
  const shown = reveal(text, hidden, isOdd, isHyphened ? vocabulary : undefined);
  const words = ["", "."];
  let coded = ".";
  const places = [1];
  /** Length of the words so far, joined, with a space behind. */
  let length = 3;
  let disguised = 0;
  const quoted: [number, number][] = [];
  let opened: { readonly mark: number; readonly at: number } | undefined;
  let isEnd = true;
  let isParagraph = false;
  const end = (): void => {
    if (isEnd) return;
    words.push(".");
    coded += ".";
    places.push(length);
    length += 2;
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
      const { plain, odd } = isPlain ? { plain: word, odd: false } : readWord(word, vocabulary);
      if (odd) disguised++;
      words.push(plain);
      for (const part of plain.includes(" ") ? plain.split(" ") : [plain]) {
        coded += codes.get(part) ?? otherWord;
        places.push(length);
        length += part.length + 1;
      }
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
      } else if (begins(shown, at)) end();
      isParagraph = true;
    } else if (kind === comma || kind === colon) {
      coded += kind === comma ? "," : ":";
      places.push(length);
    } else if (kind === quotation) {
      if (opened === undefined) opened = { mark: code, at: length };
      else if (closes(opened.mark, code)) {
        if (length - opened.at <= maxQuotation) quoted.push([opened.at, length]);
        opened = undefined;
      }
    }
  }
  return {
    words: `${words.join(" ")} `,
    codes: coded,
    places,
    quoted,
    disguised: disguised + (hidden.count > 1 ? hidden.count : 0),
  };
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
function begins(text: string, at: number): boolean {
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

/** The text with what cannot be seen taken out, and compatible characters in place of fancy ones. */
function reveal(
  text: string,
  hidden: { count: number },
  isOdd: boolean,
  vocabulary: ReadonlySet<string> | undefined,
): string {
  const hasReferences = text.includes("&");
  let shown = hasReferences ? decodeHTML(text) : text;
  const mayHide = isOdd || hasReferences;
  if (mayHide && beyondAscii.test(shown)) {
    // Between letters of other scripts they are spelling, and a soft hyphen is not a letter.
    shown = shown.replace(hiddenInWord, () => {
      hidden.count++;
      return "";
    });
    shown = shown.replace(ignorable, "").normalize("NFKD").replace(accents, "").normalize("NFC");
  }
  shown = shown.replace(inWord, "");
  if (vocabulary !== undefined) {
    shown = shown.replace(hyphened, (parts) => withoutHyphens(parts.split(hyphen), vocabulary));
  }
  if (!mayHide) return shown;
  return shown.replace(gapped, (letters) => {
    hidden.count++;
    return joined + letters.replace(/[ .\-_*]/g, "");
  });
}

/** The parts of a word with hyphens, those that make a word of the vocabulary in one. */
function withoutHyphens(parts: readonly string[], vocabulary: ReadonlySet<string>): string {
  const whole: string[] = [];
  for (let start = 0; start < parts.length;) {
    let end = Math.min(parts.length, start + maxParts);
    while (end > start + 1 && !vocabulary.has(parts.slice(start, end).join("").toLowerCase())) end--;
    whole.push(parts.slice(start, end).join(""));
    start = end;
  }
  return whole.join(" ");
}

/** Maximum number of parts of a word. */
const maxParts = 6;

const simple = { plain: "", odd: false };

/** A word as it is read, and whether it was disguised. It holds until the next one is read. */
function readWord(word: string, vocabulary: ReadonlySet<string>): { readonly plain: string; readonly odd: boolean } {
  simple.plain = word.toLowerCase();
  if (/^[a-z]+$/.test(simple.plain)) {
    if (word !== simple.plain && humps.test(word) && !company.test(word) && !vocabulary.has(simple.plain))
      simple.plain = word.split(humps).join(" ").toLowerCase();
    return simple;
  }
  const bare = /^[A-Za-z\d]+$/.test(word) ? word : word.replace(/['’\uE000]/g, "");
  const small = bare.toLowerCase();
  simple.plain = small;
  if (vocabulary.has(small)) return simple;
  if (beyondAscii.test(small)) {
    const looks = asItLooks(bare);
    return { plain: looks ?? small, odd: looks !== undefined && vocabulary.has(looks) };
  }
  if (small.length <= 20 && /\d/.test(small) && /[a-z]/.test(small)) {
    const letters = small.replace(/[03457]/g, (digit) => digits[digit] ?? digit);
    for (const one of ["i", "l"]) {
      const looks = letters.replaceAll("1", one);
      if (vocabulary.has(looks)) return { plain: looks, odd: true };
    }
  }
  const parts = word.startsWith(joined) ? segment(small, vocabulary) : undefined;
  return parts === undefined ? simple : { plain: parts.join(" "), odd: true };
}

/** Longest word that is taken apart, in characters. */
const maxJoined = 200;

/** The words of the vocabulary that letters without spaces are made of, the longest first; undefined where they are not. */
function segment(letters: string, vocabulary: ReadonlySet<string>): readonly string[] | undefined {
  if (letters.length > maxJoined) return undefined;
  const parts: string[] = [];
  for (let start = 0; start < letters.length;) {
    let end = Math.min(letters.length, start + 16);
    while (end > start && !vocabulary.has(letters.slice(start, end))) end--;
    if (end === start) return undefined;
    parts.push(letters.slice(start, end));
    start = end;
  }
  return parts.length > 1 ? parts : undefined;
}
