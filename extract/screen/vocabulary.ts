/** The words of all phrases, each with the character that stands for it in a text of codes. */
const codes = new Map<string, string>();
const firstCode = 0x4e00;

/** Stands for any other word in a text of codes; a stop, a comma and a colon stand for themselves. */
const otherWord = " ";

/** Adds a word of a phrase, if it is new, and answers the character that stands for it. */
export function addWord(word: string): string {
  const code = codes.get(word) ?? String.fromCharCode(firstCode + codes.size);
  codes.set(word, code);
  return code;
}

/** The character that stands for a word of a text. */
export function codeOf(word: string): string {
  return codes.get(word) ?? otherWord;
}

/** Whether phrases have a word, so that a disguise can be told from an odd name; false for short ones, which are in any text. */
export function isKnown(word: string): boolean {
  return word.length > 2 && codes.has(word);
}
