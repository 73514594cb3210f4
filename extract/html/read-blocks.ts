import { isTag, isText, type ChildNode, type Element } from "domhandler";
import type { TabPlace } from "../blocks.ts";
import { offersToOpen } from "../phrases.ts";
import { headingText } from "../markdown/headings.ts";
import { marksOf } from "../markdown/marked-lines.ts";
import { CodeElement, lined, linesOf, linesOver } from "../tree/elements.ts";
import type { Code, Inline, Item, Node } from "../tree/nodes.ts";
import { plainText as plainInline } from "../tree/write-inline.ts";
import type { calloutOf } from "./callouts.ts";
import { textOfCode } from "./code.ts";
import { cleanLabel, readComponent, titled, titleLabel, type Inside } from "./components.ts";
import type { Contained } from "./contained.ts";
import { titleOfCode, type Frame } from "./frames.ts";
import { isInline, plainText, readInline, withoutEmptyImages, type InlineReading } from "./read-inline.ts";
import { readTable } from "./read-table.ts";
import { apiObjects, nameOfSignature, signatureText } from "./signatures.ts";
import { anchorIn, anchorOf, elementsIn, fragmentOf, isInItem, removeAll } from "./tree.ts";

/** A page's structure, which is determined before its content is read. */
export interface Reading extends InlineReading {
  readonly contained: Contained;
  readonly frames: ReadonlyMap<Element, Frame>;
  readonly panels: ReadonlyMap<Element, TabPlace>;
  callout(element: Element): ReturnType<typeof calloutOf>;
  isSignature(element: Element): boolean;
  /** True for an element to leave out, such as the texts of footnotes. */
  isLeftOut(element: Element): boolean;
  /** Language of code that names none; "" if unknown. */
  readonly language: string;
}

/** Maximum number of tabs in a group. */
const maxTabs = 50;
/** Title of a table of contents, which is meaningless without it. */
const contentsTitle = /^(?:(?:table of )?contents|on this page|in this (?:article|page)):?$/i;
/** A group of tabs that is being read. */
interface Group {
  readonly number: number;
  readonly labels: readonly string[];
  tabs: number;
}

/** Reads the content of a page, in document order. Pure, and linear in the number of nodes. */
export function readNodes(main: readonly Element[], reading: Reading): readonly Node[] {
  const { contained, frames, panels, isMarkdown } = reading;
  /** The fragment for the next heading without an id of its own. */
  let anchor = "";
  /** `anchor` is a section's: anchors inside the section do not replace it before the heading. */
  let ofSection = false;
  let groups = [...panels.values()].reduce((most, { group }) => Math.max(most, group), 0);
  const openGroups: Group[] = [];

  const resetAnchor = (): void => {
    anchor = "";
    ofSection = false;
  };
  /** Makes an element's id the fragment of the next heading. */
  const setAnchor = (element: Element): void => {
    const id = anchorOf(element);
    if (id === "" || (ofSection && element.name !== "section")) return;
    anchor = id;
    ofSection = element.name === "section";
  };
  /** Markdown's hosts derive the fragments of headings from their texts. */
  const fragment = (id: string): { readonly id?: string } => {
    const shown = fragmentOf(id === "" ? anchor : id);
    resetAnchor();
    return isMarkdown ? {} : { id: shown };
  };
  const paragraph = (nodes: readonly ChildNode[], lines = linesOver(nodes)): readonly Node[] => {
    const children = withoutEmptyImages(readInline(nodes, reading));
    if (children.every((one) => one.type === "break" || (one.type === "words" && one.text.trim() === ""))) return [];
    if (children.length <= 2 && !isInItem(nodes[0]) && contentsTitle.test(plainInline(children))) return [];
    resetAnchor();
    return [{ type: "paragraph", children, ...(lines && { lines }) }];
  };
  const flow = (nodes: readonly ChildNode[]): Node[] => {
    const all: Node[] = [];
    let run: ChildNode[] = [];
    const end = (): void => {
      if (run.length > 0) all.push(...paragraph(run));
      run = [];
    };
    for (const node of nodes) {
      if (isText(node) || isInline(node, contained.block)) {
        if (isTag(node)) setAnchor(node);
        run.push(node);
      } else if (isTag(node)) {
        end();
        addAll(all, element(node));
      }
    }
    end();
    return all;
  };
  /** Adds blocks; items of components one after the other, such as fields, are one list. */
  const addAll = (all: Node[], added: readonly Node[]): void => {
    for (const node of added) {
      const last = all.at(-1);
      if (node.type === "list" && node.isItem && last?.type === "list" && last.isItem)
        for (const one of node.items) last.items.push(one);
      else all.push(node);
    }
  };
  const element = (node: Element): readonly Node[] => {
    if (reading.isLeftOut(node)) return [];
    const [outer, wasOfSection] = [anchor, ofSection];
    const place = panels.get(node);
    const read = within(node);
    // The id of removed content, such as a search box, is dropped; that of an empty element is an anchor for the next block.
    const isEmpty = !elementsIn(node).some(({ children }) => children.length > 0);
    if (read.length === 0 && !isEmpty && anchor !== "" && anchor === anchorOf(node))
      [anchor, ofSection] = [outer, wasOfSection];
    return place === undefined ? read : [{ type: "tab", place, children: read }];
  };
  const within = (node: Element): readonly Node[] => {
    if (node instanceof CodeElement) return code(node.code, node.attribs["#caption"]);
    const framed = frames.get(node);
    if (framed !== undefined) return frame(framed, linesOf(node));
    if (reading.isSignature(node)) return signature(node);
    const callout = reading.callout(node);
    setAnchor(node);
    if (callout !== undefined) {
      if (callout.title !== undefined) removeAll([callout.title]);
      return [{ type: "callout", label: callout.label, children: flow(node.children), ...lined(node) }];
    }
    const read = readers.get(node.name);
    if (read !== undefined) return read(node);
    const shown = readComponent(node, insideOf(node));
    return shown?.map((one) => (one.lines === undefined ? { ...one, ...lined(node) } : one)) ?? flow(node.children);
  };
  const code = (content: Code, caption = ""): readonly Node[] => {
    if (content.code.trim() === "") return [];
    resetAnchor();
    return titled(titleLabel({ "#caption": caption }, reading), [content]);
  };
  const frame = ({ pre, title, language: named }: Frame, lines: Code["lines"]): readonly Node[] => {
    const { code: text, marked } = textOfCode(pre);
    const marks = marksOf(marked, text);
    const names = titleOfCode(title);
    const language = named || reading.language;
    const content: Code = { type: "code", language, code: text, ...names, ...(marks.length > 0 && { marks }) };
    return code({ ...content, ...(lines && { lines }) }, names.label);
  };
  const heading = (node: Element): readonly Node[] => {
    // One that nothing closes goes on to the end of the page.
    if (contained.code(node) || contained.heading(node)) return flow(node.children);
    const inline = readInline(node.children, reading).filter(({ type }) => type !== "image");
    const text = headingText(plainInline(inline));
    // A heading of punctuation only is a horizontal rule.
    if (text === "" || (/^[-–—_*=~.]{3,}$/.test(text) && inline.every(({ type }) => type === "words"))) return [];
    const id = node.attribs["id"] ?? anchorIn(node);
    return [{ type: "heading", level: Number(node.name[1]), text, ...fragment(id), ...lined(node) }];
  };
  const list = (node: Element): readonly Node[] => {
    const start = Number.parseInt(node.attribs["start"] ?? "1", 10);
    const items: Item[] = [];
    /** What is in the list but in none of its items, such as a list directly in a list, belongs to the item before it. */
    let beside: ChildNode[] = [];
    const end = (): void => {
      if (beside.length === 0) return;
      const children = flow(beside);
      const last = items.pop();
      items.push(last === undefined ? { children } : { ...last, children: [...last.children, ...children] });
      beside = [];
    };
    for (const child of node.children) {
      if (isTag(child) && child.name === "li") {
        end();
        items.push(item(child));
      } else if (isTag(child) || (isText(child) && child.data.trim() !== "")) beside.push(child);
    }
    end();
    const filled = items.filter(({ children }) => children.length > 0);
    const isOrdered = node.name === "ol";
    return filled.length === 0
      ? []
      : [
          {
            type: "list",
            ...(isOrdered && { start: Number.isSafeInteger(start) ? start : 1 }),
            items: filled,
            ...lined(node),
          },
        ];
  };
  const item = (node: Element): Item => {
    const box = boxOf(node);
    if (box !== undefined) removeAll([box]);
    const children = flow(node.children);
    const checked = box === undefined ? undefined : box.attribs["checked"] !== undefined;
    return { children, ...(checked !== undefined && { checked }) };
  };
  const terms = (node: Element): readonly Node[] => {
    const objects = apiObjects(node);
    if (objects.length > 0) return objects.map(member);
    const items: { terms: readonly (readonly Inline[])[]; children: readonly Node[] }[] = [];
    let names: (readonly Inline[])[] = [];
    for (const child of termsIn(node)) {
      if (child.name === "dt" && !contained.block(child)) names.push(readInline(child.children, reading));
      else {
        const children = child.name === "dd" || child.name === "dt" ? flow(child.children) : element(child);
        const [only] = children;
        if (child.name === "dt" && children.length === 1 && only?.type === "paragraph") {
          names.push(only.children);
          continue;
        }
        if (names.length + children.length > 0) items.push({ terms: names, children });
        names = [];
      }
    }
    if (names.length > 0) items.push({ terms: names, children: [] });
    return items.length === 0 ? [] : [{ type: "terms", items, ...lined(node) }];
  };
  const member = ({
    name,
    id,
    signature: text,
    language,
    description,
  }: ReturnType<typeof apiObjects>[number]): Node => {
    const { id: shown } = { id: fragmentOf(id), ...fragment(id) };
    const signed: readonly Node[] = text === "" ? [] : [{ type: "code", language, code: text }];
    const children = [...signed, ...description.flatMap((one) => flow(one.children))];
    return { type: "section", title: name, id: shown, children };
  };
  const signature = (node: Element): readonly Node[] => {
    const text = signatureText(node);
    if (text === "") return [];
    const signed: readonly Node[] = [{ type: "code", language: reading.language, code: text }];
    if (!/^h[1-6]$/.test(node.name)) return signed;
    const name = nameOfSignature(node);
    const id = node.attribs["id"] ?? anchorIn(node);
    const shown = name === "" ? text.replace(/\s+/g, " ") : name;
    const title: Node = { type: "heading", level: Number(node.name[1]), text: shown, ...fragment(id) };
    return [title, ...(name === "" ? [] : signed)];
  };
  const details = (node: Element): readonly Node[] => {
    const summary = elementsIn(node).find(({ name }) => name === "summary");
    const rest = node.children.filter((child) => child !== summary);
    const isContent = summary !== undefined && (contained.heading(summary) || contained.code(summary));
    const title = summary === undefined || isContent ? "" : plainText(summary);
    if (title === "" || offersToOpen(title))
      return [...(summary !== undefined && isContent ? flow(summary.children) : []), ...flow(rest)];
    const at = fragment(node.attribs["id"] ?? "");
    return [{ type: "section", title, ...at, children: flow(rest), ...lined(node) }];
  };
  const insideOf = (node: Element): Inside => ({
    address: (href) => reading.address(href),
    flow: (other = node) => flow(other.children),
    tabs(group, whole, labels) {
      const number = ++groups;
      if (whole)
        return [{ type: "tab", place: { group: number, whole, tab: 0, label: "" }, children: flow(group.children) }];
      openGroups.push({ number, labels, tabs: 0 });
      const children = flow(group.children);
      openGroups.pop();
      return children;
    },
    tab(panel, label) {
      const group = openGroups.at(-1) ?? { number: ++groups, labels: [], tabs: 0 };
      const shown = cleanLabel(label || (group.labels[group.tabs] ?? ""));
      group.tabs++;
      const children = flow(panel.children);
      if (group.tabs > maxTabs) return children;
      return [{ type: "tab", place: { group: group.number, whole: false, tab: group.tabs, label: shown }, children }];
    },
  });
  const quote = (node: Element): readonly Node[] => {
    const children = flow(node.children);
    return children.length === 0 ? [] : [{ type: "quote", children, ...lined(node) }];
  };
  const nothing = (): readonly Node[] => [];

  /** Elements by name. What is in none is read as its content. */
  const readers: ReadonlyMap<string, (node: Element) => readonly Node[]> = new Map(
    Object.entries({
      ...Object.fromEntries(["h1", "h2", "h3", "h4", "h5", "h6"].map((name) => [name, heading])),
      p: (node) => (contained.block(node) ? flow(node.children) : paragraph(node.children, linesOf(node))),
      ul: list,
      ol: list,
      menu: list,
      dir: list,
      dl: terms,
      blockquote: quote,
      details,
      table: (node) => readTable(node, { flow, element, isCode: (one) => frames.has(one) }),
      hr: nothing,
      "#callout": (node) => [
        { type: "callout", label: node.attribs["label"] ?? "", children: flow(node.children), ...lined(node) },
      ],
      "#tabs": (node) => insideOf(node).tabs(node, node.attribs["whole"] !== undefined, []),
      "#tab": (node) => insideOf(node).tab(node, node.attribs["label"] ?? ""),
      "#section": (node) => [
        { type: "section", title: node.attribs["title"] ?? "", id: "", children: flow(node.children), ...lined(node) },
      ],
      "#titled": (node) => titled(titleLabel(node.attribs, reading), flow(node.children), linesOf(node)),
      "#formula": (node) => paragraph([node]),
    } satisfies Record<string, (node: Element) => readonly Node[]>),
  );

  return main.flatMap((node) => element(node));
}

/** The checkbox that an item begins with. */
function boxOf(item: Element): Element | undefined {
  let first: ChildNode | undefined = item;
  for (let depth = 0; depth < 4 && first !== undefined && isTag(first); depth++) {
    if (first.name === "input") return first.attribs["type"] === "checkbox" ? first : undefined;
    first = first.children.find((child) => !isText(child) || child.data.trim() !== "");
  }
  return undefined;
}

/** The parts of a list of terms, which may be grouped in `<div>`. */
function termsIn(list: Element): Element[] {
  return elementsIn(list).flatMap((child) =>
    child.name === "div" && elementsIn(child).some(({ name }) => name === "dt" || name === "dd")
      ? elementsIn(child)
      : [child],
  );
}
