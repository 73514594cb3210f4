import type { Element } from "domhandler";
import type { Lines } from "../blocks.ts";
import { isFileName } from "../file-name.ts";
import { calloutLabel, kindOf } from "../markdown/callouts.ts";
import type { Attributes } from "../markdown/attributes.ts";
import { fieldFacts, fieldRows, type FieldRow } from "../markdown/fields.ts";
import { literalOf } from "../markdown/literals.ts";
import type { Inline, Item, Node } from "../tree/nodes.ts";
import { elementsIn, lineOf } from "./tree.ts";

/**
 * Components of MDX, Vue and Markdown's containers by their names in any generator: those of Mintlify, Starlight, Docusaurus, Nextra,
 * Fumadocs, Expo, React's documentation and others. A new one is an entry here. What has none keeps its content, after the title and
 * description in its attributes.
 */
export interface Component {
  readonly names: RegExp;
  /** The blocks that are shown for an element. `inside` reads its children. */
  read(element: Element, inside: Inside): readonly Node[];
}

/** Reads the content of an element. */
export interface Inside {
  /** Its children. */
  flow(element?: Element): readonly Node[];
  /** Its children as a group of tabs. `whole`: all code in it belongs together. */
  tabs(element: Element, whole: boolean, labels: readonly string[]): readonly Node[];
  /** The address to serve for a link; "" if it leads nowhere. */
  address(href: string): string;
  /** Its children as the next tab of the group that it is in. */
  tab(element: Element, label: string): readonly Node[];
}

const components: readonly Component[] = [
  {
    names: /^(?:Note|Tip|Info|Warning|Danger|Caution|Important|Check|Pitfall|Callout|Aside|Admonition|Alert|Hint)$/,
    read: (element, inside) => {
      const { type, kind, variant, intent, title = "" } = element.attribs;
      const isGeneric = /^(?:Callout|Aside|Admonition|Alert|Hint)$/.test(element.name);
      const word = [type, kind, variant, intent].find((one) => one !== undefined && /^\w+$/.test(one));
      const label = calloutLabel(kindOf(isGeneric ? (word ?? "note") : element.name), title);
      return [{ type: "callout", label, children: inside.flow() }];
    },
  },
  {
    names: /^(?:CodeGroup|Sandpack(?:RSC|Provider)?|CodeBlockGroup|CodeSwitcher|RequestExample|ResponseExample)$/,
    read: (element, inside) => inside.tabs(element, true, []),
  },
  {
    names: /^(?:Tabs|CodeTabs|CodeBlockTabs|TabGroup|InstallTabs|PackageManagerTabs|Tabs\.Root|TabbedCode(?:Block)?)$/,
    read: (element, inside) => inside.tabs(element, false, stringsIn(element.attribs["items"] ?? "")),
  },
  {
    names: /^(?:TabItem|Tab|Tabs?\.(?:Tab|Content|Panel)|TabPanel|TabsContent|CodeBlockTab|CodeTab)$/,
    read: (element, inside) => {
      const { label, title, value, name } = element.attribs;
      return inside.tab(element, label || title || value || name || "");
    },
  },
  {
    names: /^(?:Step|Accordion(?:\.?Item|Panel|Tab)?|Update|Details|Collapsible|Collapse)$/,
    read: (element, inside) => {
      const { label = "", description = "" } = element.attribs;
      const summary = elementsIn(element).find(({ name }) => name === "summary");
      const shown = element.name === "Update" ? [label, description].filter((one) => one !== "").join(": ") : "";
      const title = shown || (summary === undefined ? titleOf(element.attribs) || label : lineOf(summary, 300));
      const children = inside.flow();
      if (title === "") return children;
      return children.length === 0 ? [labelled(strong(title))] : [{ type: "section", title, children }];
    },
  },
  {
    names: /^(?:ParamField|ResponseField|Param|Field|Property|PropertyField)$/,
    read: (element, inside) => {
      const { name, facts } = fieldFacts(element.attribs);
      const children = inside.flow();
      return name === "" ? children : [list([{ children: described(name, facts, children) }])];
    },
  },
  {
    names: /^(?:TypeTable|PropertiesTable)$/,
    read: ({ attribs }) => {
      const rows = fieldRows(attribs["type"] ?? attribs["content"] ?? "");
      return rows.length === 0 ? [] : [fieldList(rows)];
    },
  },
  {
    names: /^(?:Frame|Figure|Captioned\w*)$/,
    read: ({ attribs: { caption = "" } }, inside) => [...inside.flow(), labelled([words(caption)])],
  },
  {
    names: /^(?:(?:File)?Tree\.|Files\.)?(?:Folder|File)$/,
    read: ({ name, attribs }, inside) => {
      const children = inside.flow();
      const { name: shown = "" } = attribs;
      if (shown === "") return children;
      const isFolder = name.endsWith("Folder") && !shown.endsWith("/");
      return [list([{ children: [labelled([words(isFolder ? `${shown}/` : shown)]), ...children] }])];
    },
  },
];

/** Components for a word or two within a sentence: the words that are shown for one without content. */
const inlineComponents: readonly { readonly names: RegExp; text(attributes: Attributes): string }[] = [
  { names: /^(?:Check|Yes)$/, text: () => "✓" },
  { names: /^(?:Cross|No)$/, text: () => "✗" },
  { names: /^Since$/, text: ({ v, version = v }) => (version === undefined ? "" : `Added in ${version}.`) },
  {
    names: /^(?:Badge|InlineBadge|Type|MetaInfo|Tag|Pill|Chip|Kbd|Status|Label)$/,
    text: ({ text, label, preset, type }) => text ?? label ?? preset ?? type ?? "",
  },
  {
    names: /^(?:\w*Icon|Icons?\.\w+|Emoji|Logo)$/,
    text: ({ label, "aria-label": aria, alt }) => label ?? aria ?? alt ?? "",
  },
];

/** True for a component that is part of a sentence wherever it is. */
export function isInlineComponent(name: string): boolean {
  return inlineComponents.some(({ names }) => names.test(name));
}

/** The words for an inline component without content; undefined for other elements and for those with content. */
export function inlineComponent({ name, attribs, children }: Element): string | undefined {
  if (children.length > 0 || !/^[A-Z]/.test(name)) return undefined;
  const entry = inlineComponents.find(({ names }) => names.test(name));
  if (entry !== undefined) return entry.text(attribs);
  const { label, "aria-label": aria = label, text = aria } = attribs;
  return text ?? undefined;
}

/** Components whose titles are only visible on hover, or are read elsewhere. */
const untitled =
  /^(?:Code|Image|Img|Video|You|Tweet|Icon|Head|Meta|Seo|SEO|Layout|Page|Link$|Sandpack|Embed|Iframe|Chart|Include|Snippet|Tooltip|Term|Gloss|Abbr|Hover|Popover|Trans|Script)/;

/** The blocks of a component; undefined for an element of HTML. */
export function readComponent(element: Element, inside: Inside): readonly Node[] | undefined {
  const { name, attribs } = element;
  if (!/^[A-Z]/.test(name) && !name.includes("-")) return undefined;
  const entry = components.find(({ names }) => names.test(name));
  if (entry !== undefined) return entry.read(element, inside);
  const label =
    untitled.test(name) || !/^[A-Z]/.test(name) ? undefined : titleLabel(attribs, inside, name === "Expandable");
  return titled(label, inside.flow());
}

/** Blocks after their title, which is on a line of its own above the first paragraph. `at`: the lines of all. */
export function titled(
  label: Node | undefined,
  children: readonly Node[],
  at: Lines | undefined = children[0]?.lines,
): readonly Node[] {
  const [first, ...others] = children;
  if (label?.type !== "paragraph") return children;
  if (first?.type !== "paragraph") return [{ ...label, ...(at && { lines: [at[0], at[0]] }) }, ...children];
  return [{ ...first, children: [...label.children, { type: "break" }, ...first.children] }, ...others];
}

/** The title and description in attributes, `**[title](address)**: description`, or the plain words of `#caption`. */
export function titleLabel(
  attributes: Attributes,
  { address }: Pick<Inside, "address">,
  hasLabel = false,
): Node | undefined {
  const { label = "", href, to = href ?? "", description = "", "#caption": caption = "" } = attributes;
  if (caption !== "") return labelled([{ type: "strong", children: [{ type: "words", text: caption }] }]);
  const title = (titleOf(attributes) || (hasLabel ? label : "")).replace(/[*[\]]/g, "").trim();
  const hasTitle = /[\p{L}\p{N}]/u.test(title);
  if (!hasTitle) return description.trim() === "" ? undefined : labelled([words(description)]);
  const target = /^[^\s()]{1,300}$/.test(to) ? address(to) : "";
  const shown: Inline = target === "" ? words(title) : { type: "link", address: target, children: [words(title)] };
  return labelled([{ type: "strong", children: [shown] }, ...(description === "" ? [] : [words(`: ${description}`)])]);
}

function titleOf({ title, header, heading, summary }: Attributes): string {
  return title ?? header ?? heading ?? summary ?? "";
}

function words(text: string): Inline {
  return { type: "words", text, written: text.replace(/\s+/g, " ") };
}

function strong(text: string): readonly Inline[] {
  return [{ type: "strong", children: [words(text.replaceAll("*", ""))] }];
}

function labelled(children: readonly Inline[]): Node {
  return { type: "paragraph", children };
}

function list(items: readonly Item[]): Node {
  return { type: "list", items: [...items], isItem: true };
}

/** A parameter or field as the first words of its description. */
function described(name: string, facts: string, children: readonly Node[]): readonly Node[] {
  const [first, ...others] = children;
  const head: Inline[] = [{ type: "strong", children: [{ type: "code", text: name }] }];
  const isAlone = first?.type !== "paragraph";
  head.push(words(`${facts === "" ? "" : ` (${facts})`}${children.length === 0 ? "" : ":"}${isAlone ? "" : " "}`));
  if (isAlone) return [labelled(head), ...children];
  return [{ ...first, children: [...head, ...first.children] }, ...others];
}

/** Rows of a table of fields, each with those that are part of it. */
function fieldList(rows: readonly FieldRow[]): Node {
  const items = rows.map(({ fields, inner }): Item => {
    const { name, facts } = fieldFacts(fields);
    const { description = "" } = fields;
    const children = description === "" ? [] : [labelled([words(description)])];
    return { children: [...described(name, facts, children), ...(inner.length === 0 ? [] : [fieldList(inner)])] };
  });
  return list(items);
}

/** The strings in a list of JavaScript. */
function stringsIn(text: string): readonly string[] {
  const list = literalOf(text);
  return Array.isArray(list) ? list.map((one) => (typeof one === "string" ? one : "")) : [];
}

/** A label without the icons and marks that MkDocs and VitePress allow. */
export function cleanLabel(label: string): string {
  const shown = label.includes(":") || label.includes("`") ? label.replace(/:[a-z][\w-]*:|`/g, "") : label;
  return isFileName(shown.trim()) ? shown.trim() : shown.trim().slice(0, 60);
}
