/** Minimum length of an encoded run, in characters. */
const minLength = 24;
/** Minimum length of a line of a wrapped run, in characters. */
const minLine = 16;
/** Maximum number of characters decoded of a run. */
const maxLength = 4000;
/** Maximum number of decoded texts. */
const maxPieces = 200;

/** An escaped character in addresses or code. */
const escaped = /%([\dA-Fa-f]{2})|\\x([\dA-Fa-f]{2})|\\u([\dA-Fa-f]{4})|\\u\{([\dA-Fa-f]{1,6})\}|\\([0-3][0-7]{2})/g;

/** Minimum number of escapes that may hide words. */
const minEscaped = 4;

/** Words of orders, reversed or in rot13. */
const turned = /snoitcurtsni|tpmorp|erongi|dragersid|vafgehpgvbaf|cebzcg|vtaber|qvfertneq/i;

/**
 * Decodes the encoded parts of a text: base64 and hex, also wrapped; percent, `\x`, `\u` and octal escapes, with the text around them;
 * reversed text and rot13. Takes time in proportion to the length.
 */
export function decodedTexts(text: string): readonly string[] {
  const texts = runsIn(text).flatMap(decodeRun);
  const plain = /[%\\]/.test(text) ? withoutEscapes(text) : undefined;
  if (plain !== undefined) texts.push(plain);
  if (turned.test(text)) texts.push(Array.from(text).toReversed().join(""), text.replace(/[a-z]/gi, rotate));
  return texts.slice(0, maxPieces);
}

/** Runs of base64 or hex, wrapped ones joined. Tests every sixteenth character first, as most texts have none. */
function runsIn(text: string): readonly string[] {
  const runs: string[] = [];
  let isWrapped = false;
  for (let last = minLine - 1; last < text.length;) {
    let start = last + 1;
    while (start > 0 && isDigitOf64(text.charCodeAt(start - 1))) start--;
    if (last - start + 1 < minLine) {
      last = start + minLine - 1;
      continue;
    }
    let end = last + 1;
    while (end < text.length && isDigitOf64(text.charCodeAt(end))) end++;
    const run = text.slice(start, end);
    if (isMixed(run)) {
      if (run.length >= minLength) runs.push(run);
      isWrapped ||= endsLine(text, end);
    }
    last = end + minLine;
  }
  return isWrapped ? [...runs, ...wrappedRuns(text)] : runs;
}

/** Whether a run may be base64 or hex rather than a name: it has letters of both cases, or only hex digits. */
function isMixed(run: string): boolean {
  return (/[A-Z]/.test(run) && /[a-z]/.test(run)) || /^(?=[a-fA-F]*\d)[\dA-Fa-f]+$/.test(run);
}

function endsLine(text: string, end: number): boolean {
  for (let at = end; at < end + 8; at++) {
    const character = text.charAt(at);
    if (character === "\n") return true;
    if (!/["'`,;+\\ \r]/.test(character)) return false;
  }
  return false;
}

/** Runs wrapped over lines, which may be comments, strings or items. */
function wrappedRuns(text: string): readonly string[] {
  const runs: string[] = [];
  let parts: string[] = [];
  const end = (): void => {
    if (parts.length > 1) runs.push(parts.join(""));
    parts = [];
  };
  for (const line of text.split("\n")) {
    const bare = withoutMarks(line);
    const isPart = bare !== undefined && (bare.length >= minLine || parts.length > 0);
    if (isPart) parts.push(bare);
    if (!isPart || bare.length < minLine) end();
  }
  end();
  return runs;
}

/** A line of base64 or hex without the markers of a comment, string or item; undefined for any other line. */
function withoutMarks(line: string): string | undefined {
  const [first = "", second = "", ...more] = line.trim().split(/\s+/, 4);
  const isMark = /^[^\sA-Za-z\d]{1,4}$/.test(first);
  const run = (isMark ? second : first).replace(/^["'`]/, "").replace(/["'`,;]{1,3}$/, "");
  const rest = isMark ? more : [second, ...more];
  return /^[A-Za-z\d+/_-]+={0,2}$/.test(run) && rest.every((part) => /^[+\\]?$/.test(part)) ? run : undefined;
}

function isDigitOf64(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 47 && code <= 57) ||
    code === 43 ||
    code === 95
  );
}

function decodeRun(run: string): readonly string[] {
  const part = run.slice(0, maxLength);
  const text = Buffer.from(part, /^[\dA-Fa-f]+$/.test(part) ? "hex" : "base64").toString("utf8");
  // A text begins with printable ASCII.
  return text.length > 8 && /^[\t\n\r -~]+$/.test(text.slice(0, 40)) ? [text] : [];
}

function withoutEscapes(text: string): string | undefined {
  let count = 0;
  const plain = text.replace(escaped, (_, percent = "", hex = "", four = "", braces = "", octal = "") => {
    count++;
    const number = octal === "" ? Number.parseInt(percent + hex + four + braces, 16) : Number.parseInt(octal, 8);
    return number <= 0x10ffff ? String.fromCodePoint(number) : " ";
  });
  return count >= minEscaped ? plain : undefined;
}

function rotate(letter: string): string {
  const first = letter >= "a" ? 97 : 65;
  return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
}
