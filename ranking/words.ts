/** Characters of one text that are read; what lies beyond is served, but not searched. */
const longestText = 100_000;

const unicodeWord = /\.?[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*(?:[.-][\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*)*(?:\+\+|#)?/gu;
// oxlint-disable-next-line no-control-regex -- tells ASCII from the rest
const onlyAscii = /^[\u0000-\u007f]*$/;

/** 1 for the characters of words, by their code. */
const inWord = Uint8Array.from({ length: 128 }, (_, code) => Number(/\w/.test(String.fromCharCode(code))));
const dot = 46;
const dash = 45;

/** The words of a text as they stand in it, identifiers and dotted names in one piece; of any script, NFKC-normalised. */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  eachWord(text, (source, start, end) => words.push(source.slice(start, end)));
  return words;
}

/** Tells where each word of `wordsOf` stands, in a text that it hands along: cutting out every word takes time. */
export function eachWord(text: string, use: (source: string, start: number, end: number) => void): void {
  const short = text.length > longestText ? text.slice(0, longestText) : text;
  if (!isAscii(short)) {
    for (const word of short.normalize("NFKC").match(unicodeWord) ?? []) use(word, 0, word.length);
    return;
  }
  // What the expression above finds, without making a string of each word.
  for (let at = 0; at < short.length;) {
    const start = at;
    if (short.charCodeAt(at) === dot) at += 1;
    if (!isInWord(short, at)) {
      at = start + 1;
      continue;
    }
    at = endOfWord(short, at);
    use(short, start, at);
  }
}

/** True for text without any character beyond ASCII. */
export function isAscii(text: string): boolean {
  return onlyAscii.test(text);
}

function endOfWord(text: string, start: number): number {
  let at = start;
  for (;;) {
    while (isInWord(text, at)) at += 1;
    if (at === text.length) return at;
    const sign = text.charCodeAt(at);
    if ((sign !== dot && sign !== dash) || !isInWord(text, at + 1)) break;
    at += 1;
  }
  if (text.startsWith("#", at)) return at + 1;
  return text.startsWith("++", at) ? at + 2 : at;
}

function isInWord(text: string, at: number): boolean {
  return at < text.length && inWord[text.charCodeAt(at)] === 1;
}
