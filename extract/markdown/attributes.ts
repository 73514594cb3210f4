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
