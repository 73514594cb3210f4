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
/** A label right above a table, which would be one of its rows. */
const labelledTable = /^([ \t>]{0,20})(\*\*[^*\n]{1,200}\*\*)\n(?=[ \t>]{0,20}\|)/gm;
/** What is neither a blank, a marker nor punctuation. */
const readable = /[^\s*_#>|`~:.!?,;()[\]{}+=\\/-]/;

/** Cleans the Markdown of one block of prose; "" where nothing readable is left of it. */
export function cleanProse(markdown: string, mdx: boolean, links: Links): string {
  const filled = links.fill(markdown);
  const spans = filled.includes("</") ? filled.replace(codeElement, toSpan) : filled;
  let text = stripTags(labelComponents(labelCallouts(spans)), mdx);
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
  if (text.includes("&")) text = text.replace(entity, decoded);
  if (text.includes(":")) text = text.replace(icon, "");
  if (text.includes("import ")) text = text.replace(importLine, "");
  if (text.includes("**\n"))
    text = text.replace(labelledTable, (_, lead: string, label: string) => `${lead}${label}\n${lead.trimEnd()}\n`);
  if (text.includes("\n")) text = text.replace(/\n(?:[ \t]*\n){2,}/g, "\n\n");
  text = trimmed(text);
  return text.length < 400 && !readable.test(text) ? "" : text;
}

/** Code spans, which stay, and elements of code within a sentence. */
const codeElement =
  /(?<!`)`+[^`\n]{1,500}`+|<(?:code|kbd|samp|tt)(?:\s[^<>]{0,200})?>([^`<\n]{1,300})<\/(?:code|kbd|samp|tt)>/g;

function toSpan(whole: string, code: string | undefined): string {
  return code === undefined || code.trim() === "" ? whole : `\`${decodeHTML(code).replaceAll("`", "")}\``;
}

/** What an entity stands for; it begins no tag, and a bar in the row of a table does not end its cell. */
function decoded(found: string, at: number, text: string): string {
  if (!found.startsWith("&")) return found;
  const shown = decodeHTML(found).replace("\u00A0", " ");
  if (shown === "<") return /^[A-Za-z/!]/.test(text.slice(at + found.length, at + found.length + 1)) ? "\\<" : shown;
  if (shown !== "|") return shown;
  const before = text.slice(Math.max(0, at - 2000), at);
  return /^[ \t>]*\|/.test(before.slice(before.lastIndexOf("\n") + 1)) ? "\\|" : shown;
}

/** Without blank lines at its ends, those of a quote among them. */
function trimmed(markdown: string): string {
  let text = markdown.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
  while (text.endsWith("\n>")) text = text.slice(0, -2).trimEnd();
  return text;
}
