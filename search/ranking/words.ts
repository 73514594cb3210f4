/** Maximum number of characters of a text that are searched. */
const maxTextLength = 100_000;

const unicodeWord = /\.?[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*(?:[.-][\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*)*(?:\+\+|#)?/gu;
/** The same for ASCII, which most texts are, in a quarter of the time. */
const asciiWord = /\.?\w+(?:[.-]\w+)*(?:\+\+|#)?/g;
/** Matches text that is all ASCII. */
// oxlint-disable-next-line no-control-regex -- tells ASCII from the rest
export const onlyAscii = /^[\u0000-\u007f]*$/;

/** The words of a text, of any script, NFKC-normalised; identifiers and dotted names are one word. */
export function wordsOf(text: string): readonly string[] {
  const read = text.slice(0, maxTextLength);
  return (onlyAscii.test(read) ? read.match(asciiWord) : read.normalize("NFKC").match(unicodeWord)) ?? [];
}

/** Routes of more than one segment, such as `/v1/customers/{id}`. */
export const routes = /(?<![\w}./:-])\/[\w{}:.~-]+(?:\/[\w{}:.~-]+)+\/?/g;

/** A route as one identifier of its segments: `v1_customers_id`. */
export function routeName(route: string): string {
  return route.match(/\w+/g)?.join("_") ?? "";
}
