import { calloutLabel, kindOf } from "./callouts.ts";
import { attributesOf, fieldLabel, propertiesTable, typeTable } from "./fields.ts";
import type { Attributes } from "./fields.ts";
import { tagEnd } from "./tags.ts";

/**
 * Writes the text in attributes of components of MDX as Markdown, as tags are dropped later: components of Mintlify, Starlight, Docusaurus,
 * Nextra, Fumadocs, Expo and others.
 */

/** Number of unfinished tags after which `<` is taken for text: keeps the cost linear. */
const maxUnfinished = 50;
/** Code spans, which keep their tags, and tags of components. */
const tag = /(?<!`)`+[^`\n]{1,500}`+|<(?<slash>\/?)(?<name>[A-Z]\w{0,40}(?:\.[A-Z]\w{0,40})?)(?=[\s/>])/g;

const callouts =
  /^(?:Note|Tip|Info|Warning|Danger|Caution|Important|Check|Callout|Aside|Admonition|Alert|Hint|Pitfall)$/;
const generic = /^(?:Callout|Aside|Admonition|Alert|Hint)$/;
const fields = /^(?:ParamField|ResponseField|Param|Field|Property|PropertyField)$/;
/** Components that show a word or two within a sentence. */
const inline = /^(?:Badge|InlineBadge|Type|MetaInfo|Tag|Pill|Chip|Kbd|Status|Label)$/;
/** Folders and files of trees, such as `<FileTree.Folder name="app">`. */
const tree = /^(?:(?:File)?Tree\.|Files\.)?(?<what>Folder|File)$/;
/** Components whose titles are shown on hover only, or are read elsewhere. */
const untitled =
  /^(?:Tabs?$|Tab\W|TabItem|Code|Image|Img|Video|You|Tweet|Icon|Head|Meta|Seo|SEO|Layout|Page|Link$|Sandpack|Embed|Iframe|Chart|Include|Snippet|Tooltip|Term|Gloss|Abbr|Hover|Popover|Trans|Script)/;

/** Replaces the tags of components by the text in their attributes. */
export function labelComponents(markdown: string): string {
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
      const [rows, behind] = (name === "TypeTable" ? typeTable : propertiesTable)(markdown, index);
      if (rows === "" && ++unfinished > maxUnfinished) break;
      if (rows === "") continue;
      parts.push(markdown.slice(kept, index), rows);
      kept = behind;
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
    const written = sayingOf({ name, attributes: attributesOf(text), isEmpty: text.endsWith("/>"), isBlock, depth });
    if (isNested && !text.endsWith("/>") && depth < 8) depth++;
    if (written === "") continue;
    parts.push(markdown.slice(kept, isNested && isBlock ? lineStart : index));
    parts.push(isNested && !isBlock && /\S/.test(markdown.slice(0, 200)) ? `\n${written}` : written);
    kept = end;
    if (text.endsWith("/>")) continue;
    const behind = fields.test(name)
      ? (/^[ \t]*\n?[ \t]*(?!\n)/.exec(markdown.slice(end, end + 200))?.[0].length ?? 0)
      : 0;
    kept = end + behind;
    if (behind > 0 || !/^\s/.test(markdown.slice(end, end + 1))) parts.push(" ");
  }
  parts.push(markdown.slice(kept));
  return parts.join("");
}

interface Opening {
  readonly name: string;
  readonly attributes: Attributes;
  /** It holds nothing. */
  readonly isEmpty: boolean;
  /** Nothing stands before it on its line. */
  readonly isBlock: boolean;
  readonly depth: number;
}

function sayingOf({ name, attributes, isEmpty, isBlock, depth }: Opening): string {
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
  const said = (title ?? header ?? heading ?? summary ?? label ?? "").replace(/[*[\]]/g, "").trim();
  if (!/\p{L}|\p{N}/u.test(said)) return "";
  const address = href ?? to ?? "";
  const shown = /^[^\s()]{1,300}$/.test(address) ? `[${said}](${address})` : said;
  return `**${shown}**${description === undefined || description === "" ? "" : `: ${description}`}`;
}
