const tagName = /^<\/?[A-Za-z][\w.:-]*(?=[\s/>])|^<\/?>/;
/** Maximum length of a tag, in characters; a longer one is text. */
const maxTagLength = 40_000;
/** Number of unfinished tags after which `<` is text, which keeps the cost linear. */
const maxUnfinished = 50;

/** Removes comments and tags from Markdown, except in code spans. `mdx`: an unclosed comment of MDX extends to the end of the text. */
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
      const closeAt = match[0] === "{" && at + 3 > lastCommentEnd ? -1 : markdown.indexOf(close, at + 3);
      drop = closeAt >= 0 || match[0] === "<" || mdx;
      if (drop) end = closeAt < 0 ? markdown.length : closeAt + close.length;
    } else if (match[0] === "<") {
      const close = tagEnd(markdown, at);
      if (close > 0) [end, drop] = [close, true];
      else if (close < 0) unfinished++;
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

/** The separator in place of a removed tag, so that words before and after it stay apart. */
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

/** The end of the code span at an offset; the end of its backticks if nothing closes them. */
export function codeSpanEnd(text: string, at: number): number {
  let ticks = at;
  while (text.charCodeAt(ticks) === 96) ticks++;
  // Spans are rarely longer; the bound keeps many unclosed ones cheap.
  const close = text.slice(ticks, ticks + 500).indexOf(text.slice(at, ticks));
  return close < 0 ? ticks : ticks + close + (ticks - at);
}

/** The end of the tag at an offset; 0 without a tag, negative for an unfinished one. */
export function tagEnd(text: string, at: number): number {
  const name = tagName.exec(text.slice(at, at + 60));
  if (name === null) return 0;
  let quote = "";
  let braces = 0;
  for (let end = at + name[0].length, last = Math.min(text.length, at + maxTagLength); end < last; end++) {
    const char = text[end] ?? "";
    if (quote !== "") {
      if (char === quote) quote = "";
      // Template literals contain quotes, and escape their own with a backslash.
      else if (char === "\\" && quote === "`") end++;
    } else if (char === '"' || char === "'" || (char === "`" && braces > 0)) quote = char;
    else if (char === "{") braces++;
    else if (char === "}") braces--;
    else if (char === ">" && braces <= 0) return end + 1;
  }
  return name[0].endsWith(">") ? at + name[0].length : -1;
}

const item = String.raw`(?:(?:#\w|\.[A-Za-z])[\w:./-]{0,80}|[\w-]{1,40}=(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[\w-]{1,80})|data-[\w-]{1,40})`;
const list = String.raw`\{:?[ \t]{0,5}${item}(?:[ \t]{1,5}${item}){0,10}[ \t]{0,5}\}`;
/** Code spans; lists of attributes; anything in braces after a colon, as in kramdown. */
const braces = new RegExp(
  String.raw`(?<!\x60)\x60+[^\x60\n]{1,500}\x60+|${list}|\{:(?=[ \t#.]|toc|target)[^\n}\x60]{0,200}\}`,
  "g",
);
const anchor = /\[\]\([^()\n]{0,300}\)(?:\{[^{}\n]{0,200}\})?/g;

/**
 * Removes links without text, and the attributes of elements: `{#id}` of Docusaurus and VitePress, `{: .class }` of kramdown and
 * Python-Markdown, `{ .class key="value" }` of Pandoc, Python-Markdown and Goldmark.
 */
export function stripAttributes(markdown: string): string {
  let text = markdown;
  if (text.includes("[](")) text = text.replace(anchor, "");
  if (!text.includes("{")) return text;
  return text.replace(braces, (match: string, at: number) => {
    if (match.startsWith("`")) return match;
    const end = at + match.length;
    const isAttached = match.startsWith("{:") || ")]*_:`".includes(text[at - 1] ?? " ");
    return isAttached || /^[ \t]*(?:\n|$)/.test(text.slice(end, end + 20)) ? "" : match;
  });
}
