import { escaped } from "./parse.ts";

/** Maximum length of a value on one line that is laid out for readers, in characters. */
const maxLineLength = 100;

/**
 * The texts that values of a JSON file have in it, by their pointers; without those that are not laid out for readers. Lines lose
 * the indentation that the value's place gives them. The text is that of a file which has been parsed.
 */
export function textsIn(text: string, pointers: ReadonlySet<string>): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  /** Pointers that lead to a wanted value: nothing else is entered. */
  const ways = new Set([...pointers].flatMap((pointer) => prefixes(pointer)));
  let at = 0;

  const blanks = (): void => {
    while (/[\s,:]/.test(text.charAt(at))) at++;
  };
  const skip = (): void => {
    const first = text.charAt(at);
    if (first === '"') return skipString();
    if (first !== "{" && first !== "[") {
      while (at < text.length && !/[\s,\]}]/.test(text.charAt(at))) at++;
      return;
    }
    let depth = 0;
    do {
      const code = text.charCodeAt(at);
      if (code === 34) {
        skipString();
        continue;
      }
      if (code === 123 || code === 91) depth++;
      else if (code === 125 || code === 93) depth--;
      at++;
    } while (depth > 0 && at < text.length);
  };
  const skipString = (): void => {
    for (at++; at < text.length && text.charCodeAt(at) !== 34; at++) if (text.charCodeAt(at) === 92) at++;
    at++;
  };
  const value = (pointer: string): void => {
    const start = at;
    const first = text.charAt(at);
    if (!ways.has(pointer) || (first !== "{" && first !== "[")) skip();
    else {
      at++;
      blanks();
      for (let index = 0; at < text.length && !/[\]}]/.test(text.charAt(at)); index++) {
        let key = String(index);
        if (first === "{") {
          const from = at;
          skipString();
          key = JSON.parse(text.slice(from, at)) as string;
          blanks();
        }
        value(`${pointer}/${escaped(key)}`);
        blanks();
      }
      at++;
    }
    if (pointers.has(pointer)) {
      const found = unindented(text, start, at);
      if (found !== undefined) texts.set(pointer, found);
    }
  };
  blanks();
  value("");
  return texts;
}

function prefixes(pointer: string): string[] {
  const keys = pointer.split("/");
  return keys.map((_, index) => keys.slice(0, index + 1).join("/"));
}

function unindented(text: string, start: number, end: number): string | undefined {
  const written = text.slice(start, end);
  if (!written.includes("\n")) return written.length > maxLineLength ? undefined : written;
  const line = text.slice(text.lastIndexOf("\n", start) + 1, start);
  const indentation = /^[ \t]*/.exec(line)?.[0] ?? "";
  const [first = "", ...others] = written.split("\n");
  if (!others.every((other) => other.startsWith(indentation) || other.trim() === "")) return written;
  return [first, ...others.map((other) => other.slice(indentation.length))].join("\n");
}
