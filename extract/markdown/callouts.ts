import { keysByWord } from "../language.ts";
import { attributesOf, fieldLabel } from "./fields.ts";

/** The labels of callouts, and the names of these in generators. */
const kinds = keysByWord({
  Note: "note notes aside callout admonition alert seealso",
  Tip: "tip hint check success protip",
  Info: "info information abstract summary todo",
  Pitfall: "pitfall",
  Warning: "warning warn caution attention deprecated",
  Danger: "danger error bug failure",
  Important: "important",
  Question: "question faq help",
  Example: "example",
  Quote: "quote cite",
});
/** Containers with a title that are not callouts. */
const titled = new Set(
  "details steps step accordion accordion-item collapse collapsible card tab tabs-item".split(" "),
);
const shownKinds = [...new Set(kinds.values())].join("|");
const labelOnly = new RegExp(`^(?:> ?)?\\*\\*(?:(?:${shownKinds}):?(?: [^*\\n]{1,200})?)\\*\\*$`);

/** True for prose that is just the label of a callout. */
export function isCalloutLabel(markdown: string): boolean {
  return labelOnly.test(markdown);
}

/** True for the name of a kind of callout. */
export function isCallout(name: string): boolean {
  return kinds.has(name.toLowerCase());
}

/** A callout's label, `**Tip:**` or `**Tip: Title**`; the title of other titled containers; "" for other containers. */
export function calloutLabel(kind: string, title: string): string {
  const shown = kinds.get(kind.toLowerCase());
  const text = title.replaceAll("*", "").trim().slice(0, 200);
  if (shown !== undefined) return text === "" ? `**${shown}:**` : `**${shown}: ${text}**`;
  return text !== "" && titled.has(kind.toLowerCase()) ? `**${text}**` : "";
}

/** Replaces the marker lines of callouts by labels, in the syntax of any generator, and drops those of other containers. */
export function labelCallouts(markdown: string): string {
  let text = markdown;
  if (text.includes("::")) text = text.replace(colons, fromColons);
  if (text.includes("!!!") || text.includes("???") || text.includes("=== ")) text = text.replace(nested, fromIndented);
  if (text.includes("///")) text = text.replace(slashes, fromSlashes);
  if (text.includes("{%")) text = text.replace(blocks, fromBlock);
  if (text.includes("@tab") || text.includes("== ")) text = text.replace(tabLine, "");
  if (text.includes("[!"))
    text = text.replace(alert, (_, lead: string, kind: string, title: string) => lead + calloutLabel(kind, title));
  return text;
}

const colons = /^([ \t>]*)(?::{3,}[ \t]*|::(?=[a-z]|[ \t]*$))([a-z][\w-]*)?(?![\w:])(.*)/gim;

/** `:::tip[Title]{#id}` of Docusaurus and remark-directive, `::: tip Title` of VitePress, `::note{title="Title"}` of Nuxt Content. */
function fromColons(_: string, lead: string, kind = "", rest = ""): string {
  const attributes = rest.includes("{") ? attributesOf(rest) : {};
  if (kind === "field") return lead + fieldLabel(attributes, false, 0);
  const bare = withoutAttributes(rest.trim());
  const { title: ownTitle, label, summary, name, to, href } = attributes;
  const named = ownTitle ?? label ?? summary ?? (kind === "collapsible" ? name : undefined);
  const title = named ?? /^\[(.*)\]$/.exec(bare)?.[1] ?? bare;
  const address = to ?? href ?? "";
  if (address !== "" && title !== "" && /^(?:card|read-more|button|link-card)$/.test(kind))
    return `${lead}**[${title.replace(/[*[\]]/g, "")}](${address})**`;
  const written = calloutLabel(kind, title);
  return written === "" ? "" : lead + written;
}

/** A line without the braces at its end. */
function withoutAttributes(line: string): string {
  const start = line.endsWith("}") ? line.indexOf("{", line.lastIndexOf("}", line.length - 2) + 1) : -1;
  return start < 0 ? line : line.slice(0, start).trim();
}

const slashes = /^([ \t>]*)\/{3,}(?:[ \t]+([a-z][\w-]*)[ \t]*(?:\|([^\n]*))?)?$/gim;

/** `/// note | Title` of PyMdown Extensions ("Blocks"), and its other blocks, such as `/// version-added | v2`. */
function fromSlashes(_: string, lead: string, kind = "", title = ""): string {
  if (isCallout(kind) || titled.has(kind.toLowerCase())) return lead + calloutLabel(kind, title);
  if (title.trim() === "" || /^(?:html|define|caption|figure-caption|table-caption|latex)$/i.test(kind)) return "";
  const words = kind.replaceAll("-", " ");
  return `${lead}**${words.charAt(0).toUpperCase()}${words.slice(1)}: ${title.replaceAll("*", "").trim()}**`;
}

const blocks =
  /^([ \t>]*)\{%-?[ \t]*(hint|endhint|tabs?|endtabs?|code|endcode|content-ref|endcontent-ref|stepper|endstepper|step|endstep|aside|endaside|callout|endcallout)\b([^%\n]{0,300})%\}[ \t]*$/gm;

/** `{% hint style="info" %}` of GitBook. */
function fromBlock(_: string, lead: string, name: string, attributes: string): string {
  const style = /\b(?:style|type)\s*=\s*"([^"]*)"/.exec(attributes)?.[1];
  const written = /^(?:hint|aside|callout)$/.test(name) ? calloutLabel(kindOf(style ?? "note"), "") : "";
  return written === "" ? "" : lead + written;
}

/** `@tab npm` of VuePress, `== npm` of vitepress-plugin-tabs. */
const tabLine = /^[ \t]*(?:@tab(?::\w+)?|==)[ \t][^\n]*$/gm;

/** `> [!NOTE]` of GitHub, with the title that Obsidian allows. */
const alert = /^([ \t]*(?:>[ \t]?)+)\[!(\w{3,20})\][-+]?([^\n]*)/gm;

/** The kind of callout or titled container for a name; "note" for an unknown one. */
export function kindOf(name: string): string {
  const lower = name.toLowerCase();
  if (kinds.has(lower)) return lower;
  if (lower === "accordionitem") return "accordion-item";
  return lower === "expandable" || lower === "update" ? "details" : titled.has(lower) ? lower : "note";
}

const indented =
  /^([ \t]*)(?:!!!|\?\?\?\+?|===[!+]?)[ \t]*(?:([a-z][\w-]*(?: +[\w-]+)*)[ \t]*)?(?:"([^"]*)"[ \t]*|'([^']*)'[ \t]*)?$/i;

/** Callouts and tabs of MkDocs in a list item, whose content stays indented. */
const nested = /^[ \t]+(?:!!!|\?\?\?|===)[^\n]{1,200}$/gm;

function fromIndented(line: string): string {
  const [, lead = "", words, ...titles] = indented.exec(line) ?? [];
  return words === undefined && titles.join("") === "" ? line : lead + indentedLabel(words, ...titles);
}

function indentedLabel(words = "", double?: string, single?: string): string {
  const title = double ?? single ?? "";
  const label = words === "" ? "" : calloutLabel(kindOf(words.split(" ")[0] ?? ""), title);
  return label !== "" || title === "" ? label : `**${title.replaceAll("*", "")}**`;
}

/** The lines of a callout or tab of MkDocs, with its label and without the indentation of its content. */
export function unindentCallout(lines: readonly string[]): string[] {
  const open: number[] = [];
  return lines.map((line) => {
    const text = line.trimStart();
    if (text === "") return "";
    const indent = line.length - text.length;
    while (open.length > 0 && indent < (open.at(-1) ?? 0) + 4) open.pop();
    const depth = (open[0] ?? 0) + 4 * open.length;
    const marker = /^[!?=]{3}/.test(text) ? indented.exec(line) : null;
    if (marker !== null) {
      open.push(indent);
      return indentedLabel(...marker.slice(2));
    }
    return line.slice(Math.min(depth, indent));
  });
}
