/** What a character is to the search of words: a letter of ASCII as 1 to 26, or one of these. */
export const separator = 0;
export const digit = 27;
const markup = 28;
/** What may look like a letter of ASCII, be invisible, or carry an accent. */
export const strange = 29;
/** What makes an emoji of the character before it; behind a letter it hides a word. */
export const selector = 30;

const ascii = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z]/.test(character)) return code & 31;
  if (/\d/.test(character)) return digit;
  return /[*`~']/.test(character) ? markup : separator;
});

/** What a character of 16 bits is. */
export function kindOf(code: number): number {
  if (code < 128) return ascii[code] ?? separator;
  if (code === 0x2019) return markup;
  if (code === 0xfe0f) return selector;
  return isOrdinary(code) ? separator : strange;
}

/** Punctuation, symbols, scripts without letters like those of ASCII, and emojis. */
function isOrdinary(code: number): boolean {
  return (
    (code >= 0x2010 && code <= 0x2027) ||
    (code >= 0x2030 && code <= 0x205e) ||
    (code >= 0x20a0 && code <= 0x20cf) ||
    (code >= 0x2190 && code <= 0x245f) ||
    (code >= 0x2500 && code <= 0x2bff) ||
    (code >= 0x3000 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xa0 && code <= 0xbf && code !== 0xad) ||
    code === 0xd83d ||
    code === 0xd83e ||
    (code >= 0xdc00 && code <= 0xdfff)
  );
}

/** Whether a digit may stand for a letter: 0, 1, 3, 4, 5 and 7. */
export function isLetterLike(code: number): boolean {
  return code === 48 || code === 49 || code === 51 || code === 52 || code === 53 || code === 55;
}

/** Whether a character without a kind of letter is of a script that words are not searched in. */
export function isOfOtherScript(code: number): boolean {
  return (code >= 0x3040 && code < 0xd800) || (code >= 0x370 && code < 0x2000);
}
