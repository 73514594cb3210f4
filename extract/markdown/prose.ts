import { labelCallouts } from "./callouts.ts";
import type { Links } from "./links.ts";
import { stripTags } from "./tags.ts";

/** Prose of Markdown as it is served: without comments, tags, images and the marker lines of containers. */

const image = /!\[([^\]\n]{0,300})\](?:\([^()\n]{0,1000}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)|\[[^\]\n]{0,200}\])/g;
const emptyLink = /\[\s{0,9}\](?:\([^()\n]{0,1000}\)|\[[^\]\n]{0,200}\])/g;
const badge =
  /\[!\[[^\]\n]{0,300}\](?:\([^()\n]{0,1000}\)|\[[^\]\n]{0,200}\])\](?:\([^()\n]{0,1000}\)|\[[^\]\n]{0,200}\])/g;
const link = /\[([^[\]\n]{1,300})\](?:\([^()\s]{0,1000}(?:\s[^()\n]{0,200})?\)|\[[^\]\n]{0,200}\])/g;
const definition = /^[ \t>]{0,12}\[(?!\^)[^\]\n]{1,200}\]:[ \t]+\S[^\n]*$/gm;
/** What is left of Markdown that says nothing: blanks, markers and punctuation; and its opposite, which text has. */
const marks = /[\s*_#>|`~:.!?,;()[\]{}+=\\/-]+/g;
const readable = /[^\s*_#>|`~:.!?,;()[\]{}+=\\/-]/;

/** Cleans the Markdown of one block of prose; "" where nothing readable is left of it. */
export function cleanProse(markdown: string, mdx: boolean, links: Links): string {
  let text = stripTags(labelCallouts(markdown), mdx);
  if (text.includes("[")) {
    if (text.includes("[![")) text = text.replace(badge, "");
    if (text.includes("![")) {
      if (text.length < 4000 && !readable.test(text.replace(image, ""))) return "";
      text = text.replace(image, "$1").replace(emptyLink, "").trimStart();
    }
    if (text.includes("]:")) text = text.replace(definition, "");
    text = links.resolve(text);
  }
  if (text.includes("\n")) text = text.replace(/\n(?:[ \t]*\n){2,}/g, "\n\n");
  text = text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
  return text.length < 400 && !readable.test(text) ? "" : text;
}

/** True for a list that is a table of contents or a menu: at least three links, more than half of its text in them. */
export function isLinkList(markdown: string): boolean {
  if (!markdown.includes("](") && !markdown.includes("][")) return false;
  const labels: string[] = [];
  const rest = markdown.replace(link, (_, label: string) => {
    labels.push(label);
    return "";
  });
  return labels.length >= 3 && readableLength(labels.join("")) > readableLength(rest);
}

function readableLength(markdown: string): number {
  return markdown.replace(marks, "").length;
}
