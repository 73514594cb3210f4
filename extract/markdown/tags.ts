const tagName = /^<\/?[A-Za-z][\w.:-]*(?=[\s/>])(?!:?\/\/)|^<\/?>/;
/** Maximum length of a tag, in characters; a longer one is text. */
const maxTagLength = 200_000;
/** Number of tags without an end after which `<` is text, which keeps the cost linear. */
const maxUnfinished = 50;

/** What was searched for on a page in vain. */
export interface Unfinished {
  tags?: number;
  directives?: number;
  /** The text in which no comment ends any more. */
  endless?: string;
}

/** The end of the tag, comment or declaration at an offset; 0 without one. */
export function markupEnd(text: string, at: number, unfinished: Unfinished): number {
  if (text.startsWith("<!--", at)) {
    const end = unfinished.endless === text ? -1 : text.indexOf("-->", at + 2);
    if (end < 0) unfinished.endless = text;
    return end < 0 ? 0 : end + 3;
  }
  if (/^<[!?][A-Za-z[]/.test(text.slice(at, at + 3))) return text.indexOf(">", at) + 1;
  return tagEnd(text, at, unfinished);
}

/** The end of the tag at an offset; 0 without one. */
export function tagEnd(text: string, at: number, unfinished: Unfinished): number {
  const { tags = 0 } = unfinished;
  const name = tags > maxUnfinished ? null : tagName.exec(text.slice(at, at + 60));
  if (name === null) return 0;
  let quote = "";
  let braces = 0;
  for (let end = at + name[0].length, last = Math.min(text.length, at + maxTagLength); end < last; end++) {
    const char = text[end] ?? "";
    if (quote !== "") {
      if (char === quote) quote = "";
      // In expressions quotes are escaped with a backslash.
      else if (char === "\\" && braces > 0) end++;
    } else if (char === '"' || char === "'" || (char === "`" && braces > 0)) quote = char;
    else if (char === "{") braces++;
    else if (char === "}") braces--;
    else if (char === ">" && braces <= 0) return end + 1;
  }
  if (name[0].endsWith(">")) return at + name[0].length;
  unfinished.tags = tags + 1;
  return 0;
}

const item = String.raw`(?:(?:#\w|\.[A-Za-z])[\w:./-]{0,80}|[\w-]{1,40}=(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[\w-]{1,80})|data-[\w-]{1,40})`;
const list = String.raw`\{:?[ \t]{0,5}${item}(?:[ \t]{1,5}${item}){0,10}[ \t]{0,5}\}`;
/** Code spans; lists of attributes; anything in braces after a colon, as in kramdown. */
const braces = new RegExp(
  String.raw`(?<!\x60)\x60+[^\x60\n]{1,500}\x60+|${list}|\{:(?=[ \t#.]|toc|target)[^\n}\x60]{0,200}\}`,
  "g",
);
const anchor = /(?<!`)`+[^`\n]{1,500}`+|!?\[\]\([^()\n]{0,300}\)(?:\{[^{}\n]{0,200}\})?/g;

/**
 * Removes links without text, and the attributes of elements: `{#id}` of Docusaurus and VitePress, `{: .class }` of kramdown and
 * Python-Markdown, `{ .class key="value" }` of Pandoc, Python-Markdown and Goldmark.
 */
export function stripAttributes(markdown: string): string {
  let text = markdown;
  if (text.includes("[](")) text = text.replace(anchor, (whole) => (whole.startsWith("`") ? whole : ""));
  if (!text.includes("{")) return text;
  return text.replace(braces, (match: string, at: number) => {
    if (match.startsWith("`")) return match;
    const end = at + match.length;
    const isAttached = match.startsWith("{:") || ")]*_:`".includes(text[at - 1] ?? " ");
    return isAttached || /^[ \t]*(?:\n|$)/.test(text.slice(end, end + 20)) ? "" : match;
  });
}
