import sniffEncoding from "html-encoding-sniffer";
import type { SkipCode } from "../domain/skip-codes.ts";

/** Larger pages are skipped, which bounds the cost of parsing: each line may be a block. */
const maxPageBytes = 100_000_000;
const maxPageLines = 2_000_000;

/** A decoded text. */
export interface DecodedText {
  readonly text: string;
  /** The bytes are invalid in their encoding: some became U+FFFD. */
  readonly damaged: boolean;
  /** The encoding, if nothing names it and the bytes are not UTF-8. */
  readonly guessed?: string;
}

/** The text of a page, or why it has none. */
export type Decoded = DecodedText | { readonly code: SkipCode; readonly reason: string };

/** First line of a Git LFS pointer (git-lfs, docs/spec.md). */
const lfsPointer = "version https://git-lfs.github.com/spec/";
/** Maximum share of undecodable characters in a text file. */
const maxDamage = 0.1;

/**
 * Decodes a page, without its byte order mark; see `decodeText`. Never throws. For `isHtml` the encoding that it declares counts, and a
 * few NUL characters are removed, as browsers do (WHATWG HTML, 13.2.6.4.7); in any other format they mean binary data.
 */
export function decodePage(bytes: Uint8Array, { isHtml = false } = {}): Decoded {
  if (bytes.length > maxPageBytes)
    return { code: "too_large", reason: `The page has ${bytes.length} bytes, more than ${maxPageBytes}.` };
  const decoded = decodeText(bytes, isHtml);
  const nuls = count(decoded.text, "\0");
  if (nuls > (isHtml ? decoded.text.length * maxDamage : 0))
    return { code: "not_text", reason: "The page holds NUL bytes, so it is not text." };
  const text = nuls === 0 ? decoded.text : decoded.text.replaceAll("\0", "");
  const lines = count(text, "\n") + 1;
  if (lines > maxPageLines)
    return { code: "too_large", reason: `The page has ${lines} lines, more than the ${maxPageLines} that are read.` };
  if (text.trim() === "") return { code: "empty", reason: "The page has no text." };
  if (decoded.damaged && count(text, "\uFFFD") > text.length * maxDamage)
    return { code: "not_text", reason: "More than a tenth of the page is not UTF-8." };
  if (text.length < 1024 && text.startsWith(lfsPointer))
    return { code: "lfs_pointer", reason: "The page is a Git LFS pointer, its text is stored elsewhere." };
  return { ...decoded, text };
}

/**
 * Decodes UTF-16 with a byte order mark, else UTF-8, else the encoding that HTML declares, else windows-1252 if the bytes are probably
 * that. What is left is UTF-8 with damage.
 */
export function decodeText(bytes: Uint8Array, isHtml = false): DecodedText {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decodeAs("utf-16le", bytes);
  if (first === 0xfe && second === 0xff) return decodeAs("utf-16be", bytes);
  const utf8 = decodeAs("utf-8", bytes);
  if (!utf8.damaged) return utf8;
  const declared = isHtml ? sniffEncoding(bytes, { defaultEncoding: "UTF-8" }) : "UTF-8";
  if (declared !== "UTF-8") return decodeAs(declared, bytes);
  return isWindows1252(bytes) ? { ...decodeAs("windows-1252", bytes), guessed: "windows-1252" } : utf8;
}

/** Decodes an encoding (WHATWG label). */
export function decodeAs(label: string, bytes: Uint8Array): DecodedText {
  try {
    return { text: new TextDecoder(label, { fatal: true }).decode(bytes), damaged: false };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { text: new TextDecoder(label).decode(bytes), damaged: true };
  }
}

/** Encodes a text as UTF-8. U+FFFD of a damaged one becomes an invalid sequence, which the next decoder detects. */
export function encodeText({ text, damaged }: DecodedText): Uint8Array {
  if (!damaged) return Buffer.from(text);
  const invalid = Buffer.from([0xf0, 0x90]);
  const [first = "", ...others] = text.split("\uFFFD");
  return Buffer.concat([Buffer.from(first), ...others.flatMap((part) => [invalid, Buffer.from(part)])]);
}

/** The sentences about guessed and invalid characters. `subject` begins a sentence, such as `The page`. */
export function encodingNotes(subject: string, { text, damaged, guessed }: DecodedText): readonly string[] {
  if (guessed !== undefined) return [`${subject} is not UTF-8, and is read as ${guessed}.`];
  return damaged ? [`${subject} has ${count(text, "\uFFFD")} invalid characters, which are shown as \uFFFD.`] : [];
}

/** Bytes without a character in windows-1252. */
const unassigned = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

/** Whether most bytes beyond ASCII are alone: letters with accents and signs. Those of UTF-8 and of encodings of other scripts are in runs. */
function isWindows1252(bytes: Uint8Array): boolean {
  let [high, alone] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) continue;
    if (unassigned.has(byte)) return false;
    high += 1;
    if ((bytes[at - 1] ?? 0) < 0x80 && (bytes[at + 1] ?? 0) < 0x80) alone += 1;
  }
  return alone * 3 >= high * 2;
}

function count(text: string, sign: string): number {
  let found = 0;
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) found += 1;
  return found;
}
