const tagName = /^<\/?[A-Za-z][\w.:-]*(?=[\s/>])|^<\/?>/;
/** Maximum length of a tag, in characters; a longer one is taken for text. */
const maxTagLength = 40_000;
/** Number of unfinished tags on a page after which `<` is taken for text: keeps the cost linear. */
const maxUnfinished = 50;

/** Takes the comments and tags out of Markdown; code spans keep theirs. `mdx`: a comment of MDX without an end goes on to the end of the text. */
export function stripTags(markdown: string, mdx = false): string {
  if (!markdown.includes("<") && !markdown.includes("{/*")) return markdown;
  const parts: string[] = [];
  // Looked up once: a search from each `{/*` that nothing closes would be quadratic.
  const lastCommentEnd = markdown.lastIndexOf("*/}");
  let unfinished = 0;
  let kept = 0;
  const special = /[`<{\\]/g;
  for (
    let match = special.exec(markdown);
    match !== null && unfinished < maxUnfinished;
    match = special.exec(markdown)
  ) {
    const at = match.index;
    let end = at + 1;
    let drop = false;
    if (match[0] === "`") end = codeSpanEnd(markdown, at);
    else if (match[0] === "\\") end = at + 2;
    else if (markdown.startsWith("<!--", at) || markdown.startsWith("{/*", at)) {
      const close = match[0] === "<" ? "-->" : "*/}";
      const found = match[0] === "{" && at + 3 > lastCommentEnd ? -1 : markdown.indexOf(close, at + 3);
      drop = found >= 0 || match[0] === "<" || mdx;
      if (drop) end = found < 0 ? markdown.length : found + close.length;
    } else if (match[0] === "<") {
      const found = tagEnd(markdown, at);
      if (found > 0) [end, drop] = [found, true];
      else if (found < 0) unfinished++;
    }
    if (drop) {
      parts.push(markdown.slice(kept, at), breakOf(markdown, at, end));
      kept = end;
    }
    special.lastIndex = end;
  }
  parts.push(markdown.slice(kept));
  return parts.join("");
}

const lineBreak = /^<(?:br\b|\/(?:p|div|section|article|h[1-6]|ul|ol|dl|dt|dd|table|tr|details|summary|blockquote)\b)/i;
const listItem = /^<li\b/i;
const cell = /^<\/t[dh]\b/i;

/** What a tag that is dropped leaves where text stands on both of its sides, so that the words do not run into each other. */
function breakOf(markdown: string, at: number, end: number): string {
  const tag = markdown.slice(at, at + 16);
  const isItem = listItem.test(tag);
  const isBreak = isItem || lineBreak.test(tag);
  if (isItem && /(?:^|\n)[ \t>]*$/.test(markdown.slice(Math.max(0, at - 80), at))) return "- ";
  if (!(isBreak || cell.test(tag)) || !/\S/.test(markdown[at - 1] ?? "") || !/\S/.test(markdown[end] ?? "")) return "";
  const before = markdown.slice(Math.max(0, at - 1000), at);
  const isRow = /^\s*\|/.test(before.slice(before.lastIndexOf("\n") + 1));
  return !isBreak || isRow ? " " : isItem ? "\n- " : "\n";
}

/** Where the code span that begins at an offset ends; behind its marks where it is none. */
export function codeSpanEnd(text: string, at: number): number {
  let ticks = at;
  while (text.charCodeAt(ticks) === 96) ticks++;
  // A span rarely is longer; the bound keeps many unclosed ones cheap.
  const close = text.slice(ticks, ticks + 500).indexOf(text.slice(at, ticks));
  return close < 0 ? ticks : ticks + close + (ticks - at);
}

/** Where the tag that begins at an offset ends; 0 where none begins, negative where it does not end. */
export function tagEnd(text: string, at: number): number {
  const name = tagName.exec(text.slice(at, at + 60));
  if (name === null) return 0;
  let quote = "";
  let braces = 0;
  for (let end = at + name[0].length, last = Math.min(text.length, at + maxTagLength); end < last; end++) {
    const char = text[end] ?? "";
    if (quote !== "") {
      if (char === quote) quote = "";
      // Template literals have quotes in them, and their own behind a backslash.
      else if (char === "\\" && quote === "`") end++;
    } else if (char === '"' || char === "'" || (char === "`" && braces > 0)) quote = char;
    else if (char === "{") braces++;
    else if (char === "}") braces--;
    else if (char === ">" && braces <= 0) return end + 1;
  }
  return name[0].endsWith(">") ? at + name[0].length : -1;
}

/**
 * What generators read behind an element and do not show: `{#id}` of Docusaurus and VitePress, `{: .class }` of kramdown and
 * Python-Markdown, `{ .class key="value" }` of Pandoc, Python-Markdown and Goldmark.
 */

const item = String.raw`(?:(?:#\w|\.[A-Za-z])[\w:./-]{0,80}|[\w-]{1,40}=(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[\w-]{1,80})|data-[\w-]{1,40})`;
const list = String.raw`\{:?[ \t]{0,5}${item}(?:[ \t]{1,5}${item}){0,10}[ \t]{0,5}\}`;
/** Code spans; lists; what begins with a colon as those of kramdown do. */
const braces = new RegExp(
  String.raw`(?<!\x60)\x60+[^\x60\n]{1,500}\x60+|${list}|\{:(?=[ \t#.]|toc|target)[^\n}\x60]{0,200}\}`,
  "g",
);
const anchor = /\[\]\([^()\n]{0,300}\)(?:\{[^{}\n]{0,200}\})?/g;

/** Takes lists of attributes out of Markdown, and links that show nothing. */
export function stripAttributes(markdown: string): string {
  let text = markdown;
  if (text.includes("[](")) text = text.replace(anchor, "");
  if (!text.includes("{")) return text;
  return text.replace(braces, (found: string, at: number) => {
    if (found.startsWith("`")) return found;
    const behind = at + found.length;
    const isAttached = found.startsWith("{:") || ")]*_:`".includes(text[at - 1] ?? " ");
    return isAttached || /^[ \t]*(?:\n|$)/.test(text.slice(behind, behind + 20)) ? "" : found;
  });
}
