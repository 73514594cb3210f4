/** A string in a text of JSON. */
export interface JsonString {
  /** The keys and indices that lead to it. */
  readonly path: readonly (string | number)[];
  /** Its line, from 1. */
  readonly line: number;
  /** Decodes it; "" if it is invalid. */
  value(): string;
}

/** Maximum depth of the values that are looked into; the strings of deeper ones are passed over. */
const maxDepth = 20;

/**
 * Finds the strings in a text of JSON with their lines, which parsers do not give. Linear, and tolerant: what is broken loses as little
 * as possible.
 */
export function* stringsIn(text: string): Generator<JsonString> {
  const path: (string | number)[] = [];
  let depth = 0;
  let line = 1;
  let lineEnd = nextLineEnd(text, 0);
  const structural = /[{}[\],"]/g;
  for (let found = structural.exec(text); found !== null; found = structural.exec(text)) {
    const at = found.index;
    while (lineEnd < at) {
      line++;
      lineEnd = nextLineEnd(text, lineEnd + 1);
    }
    const [sign] = found;
    if (sign === "{" || sign === "[") {
      if (depth < maxDepth) path.push(sign === "{" ? "" : 0);
      depth++;
    } else if (sign === "}" || sign === "]") {
      if (depth > 0 && depth <= maxDepth) path.pop();
      depth = Math.max(0, depth - 1);
    } else if (sign === ",") {
      const last = path.at(-1);
      if (depth === path.length && typeof last === "number") path[depth - 1] = last + 1;
    } else {
      const end = endOfString(text, at);
      structural.lastIndex = end;
      if (depth !== path.length) continue;
      const value = (): string => decoded(text.slice(at, end));
      if (typeof path.at(-1) === "string" && /\s{0,100}:/y.test(text.slice(end, end + 101))) path[depth - 1] = value();
      else yield { path: [...path], line, value };
    }
  }
}

function nextLineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? Infinity : end;
}

/** The end offset of the string literal that begins at an offset. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return text.length;
}

function decoded(written: string): string {
  try {
    return String(JSON.parse(written));
  } catch (error) {
    if (error instanceof SyntaxError) return "";
    throw error;
  }
}
