import { decodeHTML } from "entities";
import { stripAttributes, stripTags, tagEnd } from "./tags.ts";
import { labelCallouts, calloutLabel, kindOf } from "./callouts.ts";
import type { Links } from "./links.ts";
import { attributesOf, fieldLabel, propertiesTable, typeTable, type Attributes } from "./fields.ts";

/** Number of unfinished tags after which `<` is text, which keeps the cost linear. */
const maxUnfinished = 50;
/** Code spans, which keep their tags, and tags of components. */
const tag = /(?<!`)`+[^`\n]{1,500}`+|<(?<slash>\/?)(?<name>[A-Z]\w{0,40}(?:\.[A-Z]\w{0,40})?)(?=[\s/>])/g;

const callouts =
  /^(?:Note|Tip|Info|Warning|Danger|Caution|Important|Check|Callout|Aside|Admonition|Alert|Hint|Pitfall)$/;
const generic = /^(?:Callout|Aside|Admonition|Alert|Hint)$/;
const fields = /^(?:ParamField|ResponseField|Param|Field|Property|PropertyField)$/;
/** Components for a word or two within a sentence. */
const inline = /^(?:Badge|InlineBadge|Type|MetaInfo|Tag|Pill|Chip|Kbd|Status|Label)$/;
/** Folders and files of trees, such as `<FileTree.Folder name="app">`. */
const tree = /^(?:(?:File)?Tree\.|Files\.)?(?<what>Folder|File)$/;
/** Components whose titles are only visible on hover, or are read elsewhere. */
const untitled =
  /^(?:Tabs?$|Tab\W|TabItem|Code|Image|Img|Video|You|Tweet|Icon|Head|Meta|Seo|SEO|Layout|Page|Link$|Sandpack|Embed|Iframe|Chart|Include|Snippet|Tooltip|Term|Gloss|Abbr|Hover|Popover|Trans|Script)/;

/**
 * Replaces the tags of components by the text in their attributes, as tags are dropped later: components of Mintlify, Starlight,
 * Docusaurus, Nextra, Fumadocs, Expo and others.
 */
function labelComponents(markdown: string): string {
  if (!/<[A-Z]/.test(markdown)) return markdown;
  const parts: string[] = [];
  let kept = 0;
  let depth = 0;
  let unfinished = 0;
  for (const { index, groups = {} } of markdown.matchAll(tag)) {
    const { name, slash } = groups;
    if (name === undefined || index < kept) continue;
    const isNested = fields.test(name) || tree.test(name);
    if (slash === "/") {
      if (!isNested) continue;
      depth = Math.max(0, depth - 1);
      const blanks = /\n[ \t]{0,80}$/.exec(markdown.slice(Math.max(kept, index - 81), index))?.[0].length ?? 0;
      if (blanks > 0 && markdown.startsWith(">", index + name.length + 2)) {
        parts.push(markdown.slice(kept, index - blanks));
        kept = index + name.length + 3;
      }
      continue;
    }
    if (name === "TypeTable" || name === "PropertiesTable") {
      const [rows, tableEnd] = (name === "TypeTable" ? typeTable : propertiesTable)(markdown, index);
      if (rows === "" && ++unfinished > maxUnfinished) break;
      if (rows === "") continue;
      parts.push(markdown.slice(kept, index), rows);
      kept = tableEnd;
      continue;
    }
    const end = tagEnd(markdown, index);
    if (end <= 0) {
      if (++unfinished > maxUnfinished) break;
      continue;
    }
    const text = markdown.slice(index, end);
    const before = /(?:^|\n)([ \t>]{0,80})$/.exec(markdown.slice(Math.max(0, index - 81), index))?.[1];
    const isBlock = before !== undefined;
    const lineStart = index - (before?.length ?? 0);
    const isEmpty = text.endsWith("/>");
    const shown = textOf({ name, attributes: attributesOf(text), isEmpty, isBlock, depth });
    if (isNested && !isEmpty && depth < 8) depth++;
    if (shown === "") continue;
    parts.push(markdown.slice(kept, isNested && isBlock ? lineStart : index));
    parts.push(isNested && !isBlock && /\S/.test(markdown.slice(0, 200)) ? `\n${shown}` : shown);
    kept = end;
    if (isEmpty) continue;
    const gap = fields.test(name)
      ? (/^[ \t]*\n?[ \t]*(?!\n)/.exec(markdown.slice(end, end + 200))?.[0].length ?? 0)
      : 0;
    kept = end + gap;
    if (gap > 0 || !/^\s/.test(markdown.slice(end, end + 1))) parts.push(" ");
  }
  parts.push(markdown.slice(kept));
  return parts.join("");
}

interface Opening {
  readonly name: string;
  readonly attributes: Attributes;
  /** It is self-closing. */
  readonly isEmpty: boolean;
  /** It is the first on its line. */
  readonly isBlock: boolean;
  readonly depth: number;
}

/** The text that replaces an opening tag; "" for none. */
function textOf({ name, attributes, isEmpty, isBlock, depth }: Opening): string {
  const { title, type, kind, variant, intent } = attributes;
  if (isEmpty && /^(?:Check|Cross|Yes|No)$/.test(name)) return name === "Check" || name === "Yes" ? "✓" : "✗";
  if (callouts.test(name)) {
    const word = [type, kind, variant, intent].find((one) => one !== undefined && /^\w+$/.test(one));
    return calloutLabel(kindOf(generic.test(name) ? (word ?? "note") : name), title ?? "");
  }
  if (fields.test(name)) return fieldLabel(attributes, isEmpty, depth);
  const { text, label, v, version } = attributes;
  if (inline.test(name)) return isEmpty ? (text ?? label ?? attributes["preset"] ?? type ?? "") : "";
  if (name === "Since") return v === undefined && version === undefined ? "" : `Added in ${v ?? version ?? ""}.`;
  const what = tree.exec(name)?.groups?.["what"];
  if (what !== undefined)
    return attributes["name"] === undefined
      ? ""
      : `${"  ".repeat(depth)}- ${attributes["name"]}${what === "Folder" && !attributes["name"].endsWith("/") ? "/" : ""}`;
  if (!isBlock || untitled.test(name)) return "";
  return titleLabel(attributes, /^(?:Step|Update|Expandable)$/.test(name) ? label : undefined);
}

function titleLabel({ title, header, heading, summary, href, to, description }: Attributes, label?: string): string {
  const words = (title ?? header ?? heading ?? summary ?? label ?? "").replace(/[*[\]]/g, "").trim();
  if (!/\p{L}|\p{N}/u.test(words)) return "";
  const address = href ?? to ?? "";
  const shown = /^[^\s()]{1,300}$/.test(address) ? `[${words}](${address})` : words;
  return `**${shown}**${description === undefined || description === "" ? "" : `: ${description}`}`;
}

const image = /!\[([^\]\n]{0,300})\](?:\([^()\n]{0,1000}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)|\[[^\]\n]{0,200}\])/g;
const emptyLink = /\[\s{0,9}\](?:\([^()\n]{0,1000}\)|\[[^\]\n]{0,200}\])/g;
const badge =
  /\[!\[[^\]\n]{0,300}\](?:\([^()\n]{0,1000}\)|\[[^\]\n]{0,200}\])\](?:\([^()\n]{0,1000}\)|\[[^\]\n]{0,200}\])/g;
const definition = /^[ \t>]{0,12}\[(?!\^)[^\]\n]{1,200}\]:[ \t]+\S[^\n]*$/gm;
/** Code spans and character references (CommonMark 0.31, section 2.5). */
const entity = /`[^`\n]{0,500}`|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]\w{1,30});/gi;
/** Icons of Material for MkDocs. */
const icon = /:(?:material|octicons|fontawesome|simple)-[\w-]{1,80}:/g;
/** An import on a page of Docusaurus, whose `.md` files are MDX. */
const importLine = /^import [\w$*{}, ]{1,200} from ["'][^"'\n]{1,300}["'];?[ \t]*$/gm;
/** A space of MDX that is written as an expression, to be kept. */
const spacer = /\{[ \t]*(["'`])[ \t]*\1[ \t]*\}/g;
/** A label directly above a table, which would become one of its rows. */
const labelledTable = /^([ \t>]{0,20})(\*\*[^*\n]{1,200}\*\*)\n(?=[ \t>]{0,20}\|)/gm;
/** A character other than blanks, markers and punctuation. */
const readable = /[^\s*_#>|`~:.!?,;()[\]{}+=\\/-]/;

/** Removes comments, tags, images and marker lines of containers from a block of prose; "" if nothing readable is left. */
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

/** Code spans, which stay, and HTML elements of inline code. */
const codeElement =
  /(?<!`)`+[^`\n]{1,500}`+|<(?:code|kbd|samp|tt)(?:\s[^<>]{0,200})?>([^`<\n]{1,300})<\/(?:code|kbd|samp|tt)>/g;

function toSpan(whole: string, code: string | undefined): string {
  return code === undefined || code.trim() === "" ? whole : `\`${decodeHTML(code).replaceAll("`", "")}\``;
}

/** The character of a reference, escaped if it would begin a tag or end a table cell. */
function decoded(match: string, at: number, text: string): string {
  if (!match.startsWith("&")) return match;
  const shown = decodeHTML(match).replace("\u00A0", " ");
  if (shown === "<") return /^[A-Za-z/!]/.test(text.slice(at + match.length, at + match.length + 1)) ? "\\<" : shown;
  if (shown !== "|") return shown;
  const before = text.slice(Math.max(0, at - 2000), at);
  return /^[ \t>]*\|/.test(before.slice(before.lastIndexOf("\n") + 1)) ? "\\|" : shown;
}

/** Removes blank lines at both ends, including those of a quote. */
function trimmed(markdown: string): string {
  let text = markdown.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
  while (text.endsWith("\n>")) text = text.slice(0, -2).trimEnd();
  return text;
}
