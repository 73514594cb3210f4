/**
 * What generators read behind an element and do not show: `{#id}` of Docusaurus and VitePress, `{: .class }` of kramdown and
 * Python-Markdown, `{ .class key="value" }` of Pandoc, Python-Markdown and Goldmark.
 */

const item = String.raw`(?:[#.][A-Za-z][\w:./-]{0,80}|[\w-]{1,40}=(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[\w-]{1,80})|data-[\w-]{1,40})`;
const list = String.raw`\{:?[ \t]{0,5}${item}(?:[ \t]{1,5}${item}){0,10}[ \t]{0,5}\}`;
/** Code spans; lists behind a mark that closes an element, or at the end of a line; those that begin with a colon anywhere. */
const attached = new RegExp(
  String.raw`\x60+[^\x60\n]{1,500}\x60+|(?<=[)\]*_:\x60])${list}|[ \t]*${list}(?=[ \t]*$)|\{:(?=[ \t#.]|toc|target)[^\n}\x60]{0,200}\}`,
  "gm",
);
const anchor = /\[\]\([^()\n]{0,300}\)(?:\{[^{}\n]{0,200}\})?/g;

/** Takes lists of attributes out of Markdown, and links that show nothing. */
export function stripAttributes(markdown: string): string {
  let text = markdown;
  if (text.includes("[](")) text = text.replace(anchor, "");
  return text.includes("{") ? text.replace(attached, (found) => (found.startsWith("`") ? found : "")) : text;
}
