/** Characters of one text that are read; what lies beyond is served, but not searched. */
const maxTextLength = 100_000;

const unicodeWord = /\.?[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*(?:[.-][\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*)*(?:\+\+|#)?/gu;
/** The same words where there is only ASCII, which is what most texts are, in a quarter of the time. */
const asciiWord = /\.?\w+(?:[.-]\w+)*(?:\+\+|#)?/g;
/** Matches text that is all ASCII. */
// oxlint-disable-next-line no-control-regex -- tells ASCII from the rest
export const onlyAscii = /^[\u0000-\u007f]*$/;

/** The words of a text as they stand in it, identifiers and dotted names in one piece; of any script, NFKC-normalised. */
export function wordsOf(text: string): readonly string[] {
  const read = text.slice(0, maxTextLength);
  return (onlyAscii.test(read) ? read.match(asciiWord) : read.normalize("NFKC").match(unicodeWord)) ?? [];
}

/** Matches routes of more than one step, such as `/v1/customers/{id}`. */
export const routes = /(?<![\w}./:-])\/[\w{}:.~-]+(?:\/[\w{}:.~-]+)+\/?/g;

/** A route as one identifier, whose parts are those of its steps: `v1_customers_id`. */
export function routeName(route: string): string {
  return route.match(/\w+/g)?.join("_") ?? "";
}
