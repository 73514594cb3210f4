import type { SkipCode } from "../domain/skip-codes.ts";

/** Larger pages are skipped, which bounds the cost of parsing: each line may be a block. */
const maxPageBytes = 100_000_000;
const maxPageLines = 2_000_000;

/** The text of a page, or why it has none. `damaged`: invalid UTF-8 became U+FFFD. */
export type Decoded =
  | { readonly text: string; readonly damaged: boolean }
  | { readonly code: SkipCode; readonly reason: string };

const strict = new TextDecoder("utf-8", { fatal: true });
const lenient = new TextDecoder("utf-8");
/** First line of a Git LFS pointer (git-lfs, docs/spec.md). */
const lfsPointer = "version https://git-lfs.github.com/spec/";
/** Maximum share of undecodable characters in a text file. */
const maxDamage = 0.1;

/**
 * Decodes a page as UTF-8, without its byte order mark. Never throws. `dropsNul` removes a few NUL characters, as browsers do in HTML
 * (WHATWG HTML, 13.2.6.4.7); in any other format they mean binary data.
 */
export function decodePage(bytes: Uint8Array, { dropsNul = false } = {}): Decoded {
  if (bytes.length > maxPageBytes)
    return { code: "too_large", reason: `The page has ${bytes.length} bytes, more than ${maxPageBytes}.` };
  const nuls = countNuls(bytes);
  if (nuls > (dropsNul ? bytes.length * maxDamage : 0))
    return { code: "not_text", reason: "The page holds NUL bytes, so it is not text." };
  const { text: decoded, damaged } = decode(bytes);
  const text = nuls === 0 ? decoded : decoded.replaceAll("\0", "");
  const lines = countLines(text);
  if (lines > maxPageLines)
    return { code: "too_large", reason: `The page has ${lines} lines, more than the ${maxPageLines} that are read.` };
  if (text.trim() === "") return { code: "empty", reason: "The page has no text." };
  if (damaged && share(text) > maxDamage)
    return { code: "not_text", reason: "More than a tenth of the page is not UTF-8." };
  if (text.length < 1024 && text.startsWith(lfsPointer))
    return { code: "lfs_pointer", reason: "The page is a Git LFS pointer, its text is stored elsewhere." };
  return { text, damaged };
}

function decode(bytes: Uint8Array): { text: string; damaged: boolean } {
  try {
    return { text: strict.decode(bytes), damaged: false };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { text: lenient.decode(bytes), damaged: true };
  }
}

function countNuls(bytes: Uint8Array): number {
  let nuls = 0;
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) nuls++;
  return nuls;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = 0; at >= 0; count++) at = text.indexOf("\n", at) + 1 || -1;
  return count;
}

function share(text: string): number {
  return (text.split("\uFFFD").length - 1) / text.length;
}
