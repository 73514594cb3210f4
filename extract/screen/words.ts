import { decodeHTML } from "entities";
import { isKnown } from "./signs.ts";

/** Any character that is not ASCII, punctuation, a symbol, an emoji or of a script without look-alikes of ASCII. */
const strange =
  /[^\0-\x7F\u00A0-\u00AC\u00AE-\u00BF\u2010-\u2027\u2030-\u205E\u20A0-\u20CF\u2190-\u245F\u2500-\u2BFF\u3000-\u9FFF\uAC00-\uD7A3\u{1F000}-\u{1FAFF}]/u;
/** Invisible and replacement characters. */
const unseen = /[\p{Default_Ignorable_Code_Point}\u180E\uFFFC\uFFFD]/gu;
const unseenInWord = /(?<=[A-Za-z])[\p{Default_Ignorable_Code_Point}\uFFFC\uFFFD\u180E]+(?=[A-Za-z])/gu;
const accents = /[\u0300-\u036F\u20D0-\u20F0]/g;
/** Tags, comments and emphasis within a word. */
const markupInWord = /(?<=[A-Za-z])(?:<\/?[A-Za-z][^<>\n]{0,100}>|<!--[^<>\n]{0,100}-->|[*`~])+(?=[A-Za-z])/g;
/** A line break within a hyphenated word, with the marker of a list, quotation or comment on the next line. */
const wrapped = /(?<=[a-z])-\r?\n[ \t>*#/|;-]{0,10}(?=[a-z])/g;
/** Words with one or two separators between their letters. */
const gapped = /\b[A-Za-z](?:[ .\-_*]{1,2}[A-Za-z]){4,}\b/g;
/** A word with digits for letters. */
const mayHaveDigits = /[A-Za-z][013457]{1,2}[A-Za-z]{2}|[013457][A-Za-z]{3}/;
const withDigits =
  /(?<![A-Za-z\d])(?=[A-Za-z\d]{0,12}(?:[A-Za-z][013457]{1,2}[A-Za-z]|[013457][A-Za-z]{2}))[A-Za-z\d]{3,20}(?![A-Za-z\d])/g;
const digits: Readonly<Record<string, string>> = { 0: "o", 3: "e", 4: "a", 5: "s", 7: "t" };

/**
 * Reveals a text as a reader sees it: without invisible characters and markup within words, with look-alikes replaced by letters, and
 * spaced-out words joined. `disguised` is the number of words of phrases that were spaced out, or had foreign characters. Takes time in
 * proportion to the length.
 */
export function reveal(text: string) {
  let disguised = 0;
  const read = (word: string, plain: string | undefined): string => {
    if (plain === undefined) return word;
    disguised++;
    return plain;
  };
  let shown = /&(?:#|[a-z]{2,8};)/i.test(text) ? decodeHTML(text) : text;
  if (strange.test(shown)) {
    const hidden = shown.match(unseenInWord)?.length ?? 0;
    // A single one may be a mistake.
    if (hidden > 1) disguised += hidden;
    shown = shown.replace(unseen, "").normalize("NFKD").replace(accents, "").normalize("NFC");
    if (strange.test(shown)) {
      shown = shown.replace(/[\p{L}\p{M}\d]+/gu, (word) => {
        const looks = strange.test(word) ? asItLooks(word) : undefined;
        return read(word, looks !== undefined && isKnown(looks) ? looks : undefined);
      });
    }
  }
  shown = shown.replace(markupInWord, "").replace(wrapped, "");
  shown = shown.replace(gapped, (letters) => {
    const words = letters.split(/ {2}|[.\-_*]{2}/).map((part) => part.replace(/[ .\-_*]/g, "").toLowerCase());
    const plain = words.map((word) => (isKnown(word) ? word : separated(word)));
    return plain.includes(undefined) ? letters : read(letters, plain.join(" "));
  });
  if (mayHaveDigits.test(shown))
    shown = shown.replace(withDigits, (word) => read(word, withoutDigits(word.toLowerCase())));
  return { shown, disguised };
}

/** The word of a phrase that a word with digits for letters stands for; undefined without. */
function withoutDigits(word: string): string | undefined {
  const letters = word.replace(/[03457]/g, (digit) => digits[digit] ?? digit);
  return ["i", "l"].map((one) => letters.replaceAll("1", one)).find(isKnown);
}

/** Splits letters into words of phrases, the longest first; undefined if impossible. */
function separated(letters: string): string | undefined {
  const parts: string[] = [];
  for (let start = 0; start < letters.length && parts.length < 40;) {
    let end = Math.min(letters.length, start + 16);
    while (end > start && !isKnown(letters.slice(start, end))) end--;
    if (end === start) return undefined;
    parts.push(letters.slice(start, end));
    start = end;
  }
  return parts.join(" ");
}

/** Separators of words, except single spaces. */
const between =
  /[^A-Za-z\d\u00C0-\u200F\u2070-\u2FFF\u3040-\uFEFF]{2,}|[^A-Za-z\d\u00C0-\u200F\u2070-\u2FFF\u3040-\uFEFF ]/g;

/**
 * The words of a text in lower case, each with a space before and after. ` . ` is the end of a sentence or item, or of a line before a
 * capital; commas, colons and opening quotation marks are kept.
 */
export function read(shown: string): string {
  return ` . ${shown.replace(between, (run, at: number) => separate(run, shown.charAt(at + run.length)))} . `
    .replace(/ {2,}/g, " ")
    .toLowerCase();
}

/** The normalised form of a separator; `next` is the character after it. */
function separate(run: string, next: string): string {
  if (run === "'" || run === "’") return "";
  const quotation = /["“„«`「『]$/.test(run) ? '" ' : "";
  const isStop = /[.!?][\s"'”’)*_`]|[。！？]/.test(run) || (next === "" && /[.!?]$/.test(run));
  const isBreak = run.includes("\n") && (/\n\s*(?:\n|[-*+#|>])/.test(run) || /[A-Z]/.test(next));
  if (isStop || isBreak) return ` . ${quotation}`;
  if (/[:：—]/.test(run)) return ` : ${quotation}`;
  return /[,，;]/.test(run) ? ` , ${quotation}` : ` ${quotation}`;
}

/**
 * Letters that look like an ASCII letter: the single letters of Latin, Greek, Cyrillic, Armenian, Coptic, Cherokee and Lisu in
 * confusables.txt of Unicode 17.0 (UTS #39) that compatibility decomposition does not change; also the other small capitals, and c with
 * a hook.
 */
const lookAlikes = {
  a: "ɑαаᎪꓮᴀ",
  b: "ƄЬᏏꞴΒⲂВᏴꓐɓƃБƀҍѣʙ",
  c: "ᴄⲥсꮯꓚȼҫƈ",
  d: "ԁᏧꓒᎠꓓɗɖƌđÐᴅ",
  e: "ꬲеҽΕᎬꓰɇҿᴇ",
  f: "ꬵꞙƒẝքϜꓝᵮꜰ",
  g: "ɡᶃƍցԌᏀᏳꓖɠǥɢ",
  h: "һհᏂΗⲎНᎻꓧɦꚕᏲⱧҢħћӉӇʜ",
  i: "ıɪɩιⲓіꙇւꭵɨᵻᵼӀ",
  j: "ϳјꞲᎫꓙɉᴊ",
  k: "ΚⲔКᏦꓗƙⱩҚꝀҞᴋ",
  l: "ǀӏꓲⳐᏞꓡłɭƚɫʟ",
  m: "ΜϺⲘМᎷꓟӍᴍ",
  n: "ոռΝⲚꓠɳƞŋηղƝᵰɴ",
  o: "ᴏᴑꬽοσⲟϭоօꓳøꬾɵꝋⲑөѳꮎꮻθꭴ",
  p: "þƿρϸⲣⳏрᏢꓑƥᵽᴘ",
  q: "ԛգզʠ",
  r: "ꭇꭈᴦⲅгꮁƦᎡᏒꓣɽɼɍғᵲʀ",
  s: "ꜱƽѕꮪՏᏕꓢʂᵴ",
  t: "ΤⲦТᎢꓔƭȾƮҬŧᵵᴛ",
  u: "ꞟᴜꭎꭒʋυսꓴџᵾꮜɄ",
  v: "ᴠνѵꮩꓦ",
  w: "ɯᴡⲽѡшԝաꮃᏔꓪѽꝡ",
  x: "хꞳΧⲬꓫҲ",
  y: "ɣᶌʏỿꭚγⲩуүΥᎩᎽꓬƴɏұ",
  z: "ᴢꮓΖꓜʐƶȥᵶ",
} as const;

/** The ASCII letter that a letter looks like. A capital that looks like another letter than its small one has an own entry. */
const plain: ReadonlyMap<string, string> = new Map(
  Object.entries(lookAlikes).flatMap(([letter, others]) => Array.from(others, (other) => [other, letter] as const)),
);

/**
 * The ASCII word that a word looks like, in lower case; undefined if a letter has no look-alike, so words of other languages are kept.
 */
function asItLooks(word: string): string | undefined {
  let seen = "";
  for (const letter of word) {
    const small = letter.toLowerCase();
    const looks = plain.get(letter) ?? plain.get(small) ?? small;
    if (!/^[a-z0-9]$/.test(looks)) return undefined;
    seen += looks;
  }
  return seen;
}
