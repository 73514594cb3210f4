import { decodeHTML } from "entities";
import { stripAttributes } from "./attributes.ts";
import { labelCallouts } from "./callouts.ts";
import { labelComponents } from "./components.ts";
import type { Links } from "./links.ts";
import { stripTags } from "./tags.ts";

/** Prose of Markdown as it is served: without comments, tags, images and the marker lines of containers. */

const image = /!\[([^\]\n]{0,300})\](?:\([^()\n]{0,1000}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)|\[[^\]\n]{0,200}\])/g;
const emptyLink = /\[\s{0,9}\](?:\([^()\n]{0,1000}\)|\[[^\]\n]{0,200}\])/g;
const badge =
  /\[!\[[^\]\n]{0,300}\](?:\([^()\n]{0,1000}\)|\[[^\]\n]{0,200}\])\](?:\([^()\n]{0,1000}\)|\[[^\]\n]{0,200}\])/g;
const definition = /^[ \t>]{0,12}\[(?!\^)[^\]\n]{1,200}\]:[ \t]+\S[^\n]*$/gm;
/** A code span, or a character by its name or number (CommonMark 0.31, section 2.5). */
const entity = /`[^`\n]{0,500}`|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]\w{1,30});/gi;
/** Icons of Material for MkDocs. */
const icon = /:(?:material|octicons|fontawesome|simple)-[\w-]{1,80}:/g;
/** An import of a page of Docusaurus, whose `.md` is MDX. */
const importLine = /^import [\w$*{}, ]{1,200} from ["'][^"'\n]{1,300}["'];?[ \t]*$/gm;
/** A blank of MDX, written as an expression so that it stays. */
const spacer = /\{[ \t]*(["'`])[ \t]*\1[ \t]*\}/g;
/** What is neither a blank, a marker nor punctuation. */
const readable = /[^\s*_#>|`~:.!?,;()[\]{}+=\\/-]/;

/** Cleans the Markdown of one block of prose; "" where nothing readable is left of it. */
export function cleanProse(markdown: string, mdx: boolean, links: Links): string {
  let text = stripTags(labelComponents(labelCallouts(links.fill(markdown))), mdx);
  if (text.includes("[")) {
    if (text.includes("[![")) text = text.replace(badge, "");
    if (text.includes("[](")) text = stripAttributes(text);
    if (text.includes("![")) {
      if (text.length < 4000 && !readable.test(text.replace(image, ""))) return "";
      text = text.replace(image, "$1").replace(emptyLink, "").trimStart();
    }
    if (text.includes("]:")) text = text.replace(definition, "");
    text = links.resolve(text);
  }
  if (text.includes("{")) text = stripAttributes(mdx ? text.replace(spacer, " ") : text);
  if (text.includes("&"))
    text = text.replace(entity, (found) => (found.startsWith("&") ? decodeHTML(found).replace("\u00A0", " ") : found));
  if (text.includes(":")) text = text.replace(icon, "");
  if (text.includes("import ")) text = text.replace(importLine, "");
  if (text.includes("\n")) text = text.replace(/\n(?:[ \t]*\n){2,}/g, "\n\n");
  text = trimmed(text);
  return text.length < 400 && !readable.test(text) ? "" : text;
}

/** Without blank lines at its ends, those of a quote among them. */
function trimmed(markdown: string): string {
  let text = markdown.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
  while (text.endsWith("\n>")) text = text.slice(0, -2).trimEnd();
  return text;
}
