import { decodeHTML } from "entities";
import { joined } from "./disguise.ts";
import { isKnown } from "./vocabulary.ts";
import type { Oddities } from "./scan.ts";

/** Letters with one sign between each two. */
const gapped = /(?<![A-Za-z])(?:[A-Za-z][ .\-_*]){4,}[A-Za-z](?![A-Za-z])/g;
/** What cannot be seen. */
const ignorable = /[\p{Default_Ignorable_Code_Point}\u180E]/gu;
const accents = /[\u0300-\u036F\u20D0-\u20F0]/g;
const beyondAscii = /[^\0-\x7F]/;
/** What stands for a character that could not be read, and what cannot be seen, between letters. */
const hiddenInWord = /(?<=[A-Za-z])[\p{Default_Ignorable_Code_Point}\uFFFC\uFFFD\u180E]+(?=[A-Za-z])/gu;
/** Tags inside of a word, comments and emphasis there. */
const markupInWord = /(?<=[\p{L}\d])(?:<\/?[A-Za-z][^<>\n]{0,100}>|<!--[^<>\n]{0,100}-->|[*`~])+(?=[\p{L}\d])/gu;
/** Words with hyphens between them; a line may end there, and have signs of a list, a quotation or a comment before it. */
const hyphenated = /(?<![A-Za-z])[A-Za-z]{1,16}(?:-(?:\r?\n[ \t>*#/|;-]{0,10})?[A-Za-z]{1,16})+/g;
const hyphen = /-(?:\r?\n[ \t>*#/|;-]{0,10})?/;
/** Maximum number of parts of a word with hyphens. */
const maxParts = 6;

/**
 * A text as a reader sees it: without what cannot be seen and markup inside of words, with compatible characters in place of fancy ones, and words
 * in one that had hyphens or gaps between their letters. `hidden` counts the words that were taken apart by gaps or invisible characters.
 */
export function reveal(
  text: string,
  { odd, hyphened }: Pick<Oddities, "odd" | "hyphened">,
): { readonly shown: string; readonly hidden: number } {
  let hidden = 0;
  const hasReferences = text.includes("&");
  const mayHide = odd || hasReferences;
  let shown = hasReferences ? decodeHTML(text) : text;
  if (mayHide && beyondAscii.test(shown)) {
    // Between letters of other scripts they are spelling, and a soft hyphen is not a letter.
    shown = shown.replace(hiddenInWord, () => {
      hidden++;
      return "";
    });
    shown = shown.replace(ignorable, "").normalize("NFKD").replace(accents, "").normalize("NFC");
  }
  shown = shown.replace(markupInWord, "");
  if (hyphened) shown = shown.replace(hyphenated, (parts) => withoutHyphens(parts.split(hyphen)));
  if (mayHide) {
    shown = shown.replace(gapped, (letters) => {
      hidden++;
      return joined + letters.replace(/[ .\-_*]/g, "");
    });
  }
  return { shown, hidden };
}

/** The parts of a word with hyphens, those that make a word of phrases in one. */
function withoutHyphens(parts: readonly string[]): string {
  const whole: string[] = [];
  for (let start = 0; start < parts.length;) {
    let end = Math.min(parts.length, start + maxParts);
    while (end > start + 1 && !isKnown(parts.slice(start, end).join("").toLowerCase())) end--;
    whole.push(parts.slice(start, end).join(""));
    start = end;
  }
  return whole.join(" ");
}
