import { delimiter } from "./build.ts";

/** Maximum depth of blocks, lists and quotes; the library parses and converts each depth by a call of its own. */
const maxDepth = 60;
const deepItem = new RegExp(`^[ \\t]*(?:([*.-])\\1{${maxDepth}}|(?:> ?){${maxDepth}})`);
/** Blocks without blocks in them. */
const verbatim = /^(?:-{4}|\.{4}|\+{4}|\/{4}|`{3})/;

/** True for text with blocks in more blocks than are parsed. Linear. */
export function isTooDeep(lines: readonly string[]): boolean {
  const open: string[] = [];
  for (const line of lines) {
    const text = line.length < maxLine ? line.trimEnd() : line;
    const last = open.at(-1) ?? "";
    if (verbatim.test(last)) {
      if (text === last) open.pop();
    } else if (text.length < maxLine && delimiter.test(text)) {
      const marker = text.replace(/^(`{3,}).*/, "$1");
      const at = open.lastIndexOf(marker);
      if (at >= 0) open.length = at;
      else if (open.push(marker) > maxDepth) return true;
    } else if (deepItem.test(line)) return true;
  }
  return false;
}

/** Maximum length of a delimiter, in characters. */
const maxLine = 2000;
