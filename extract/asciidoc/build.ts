import { isTag, Text, type ChildNode, type Element } from "domhandler";
import { calloutLabel } from "../markdown/callouts.ts";
import { titleOfCode } from "../html/frames.ts";
import { textOf } from "../html/tree.ts";
import { toLanguage } from "../language.ts";
import { CodeElement, element, linesOver, task } from "../tree/elements.ts";
import { calloutMark, nodesOf, wordsOf } from "./inline.ts";

/** What is used of a block of Asciidoctor. */
export interface BlockNode {
  readonly nodeName: string;
  readonly style: string | null;
  readonly id: string | null;
  readonly level: number;
  readonly role: string | null;
  readonly title: string | null;
  readonly caption: string | null;
  readonly text: string;
  readonly lines?: readonly string[];
  readonly sourceLocation?: { readonly lineno: number } | null;
  readonly rows?: { readonly head: Rows; readonly body: Rows; readonly foot: Rows };
  content(): Promise<unknown>;
  getAttribute(name: string): unknown;
  hasAttribute(name: string): boolean;
  hasOption(name: string): boolean;
  hasTitle(): boolean;
  hasText(): boolean;
  hasBlocks(): boolean;
  getItems(): readonly (BlockNode | readonly [readonly BlockNode[], BlockNode | null])[];
}

type Rows = readonly (readonly CellNode[])[];

interface CellNode extends BlockNode {
  readonly colspan: number | null;
  readonly rowspan: number | null;
}

/** A block macro of an extension, as those of Asciidoctor are no paragraphs. */
const blockMacro = /^([a-z][\w-]{0,40})::[^\s[\]]{0,500}\[[^\]]{0,1000}\]$/;

/** Delimiters of blocks; the fence of Markdown has a language. */
export const delimiter = /^(?:([-.+=*_/])\1{3,}|--|[|,:!]={3,}|`{3,}\S{0,40})$/;

/**
 * Creates the function that builds the elements of a block whose own blocks are built: `content` gives them. `text` has the lines that
 * the blocks' numbers count; `unread` collects the names of macros that are not read.
 */
export function createBlockBuilder(
  text: readonly string[],
  content: (node: BlockNode) => Promise<readonly ChildNode[]>,
  unread: Set<string>,
) {
  const lineOf = (node: BlockNode): number => node.sourceLocation?.lineno ?? 0;
  /** The line after which a block ends: its closing delimiter, or its last one. */
  const endOf = (first: number, count: number): number => {
    const marker = (text[first - 1] ?? "").trimEnd();
    if (!delimiter.test(marker)) return Math.max(first, first + count - 1);
    const closing = marker.replace(/^(`{3,}).*/, "$1");
    let end = first + 1;
    while (end <= text.length && (text[end - 1] ?? "").trimEnd() !== closing) end++;
    return Math.min(end, text.length);
  };
  /** Gives an element its lines; those of what is in it may end later. */
  const place = (built: Element, first: number, last = first): Element => {
    if (first <= 0) return built;
    const inside = linesOver(built.children);
    built.startIndex = first;
    built.endIndex = Math.max(first, last, inside?.[1] ?? 0);
    return built;
  };
  const paragraph = (html: string, first: number): readonly ChildNode[] =>
    html.trim() === "" ? [] : [place(element("p", {}, nodesOf(html)), first, first + (html.match(/\n/g)?.length ?? 0))];
  const titleOf = (node: BlockNode): string => (node.hasTitle() ? (node.title ?? "") : "");
  const titled = (node: BlockNode, children: readonly ChildNode[]): readonly ChildNode[] => {
    const title = wordsOf(titleOf(node));
    return title === "" ? children : [place(element("#titled", { "#caption": title }, children), lineOf(node))];
  };
  const attribute = (node: BlockNode, name: string): string => {
    const value = node.getAttribute(name);
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };

  const listing = async (node: BlockNode): Promise<readonly ChildNode[]> => {
    const first = lineOf(node);
    const language = languageOf(node, attribute(node, "language"));
    const title = titleOfCode(wordsOf(titleOf(node)));
    const built = new CodeElement({
      type: "code",
      language: language === "" ? "" : toLanguage(language),
      code: codeOf(stringOf(await node.content())),
      ...title,
      ...(first > 0 && { lines: [first, endOf(first, node.lines?.length ?? 1)] as const }),
    });
    Object.assign(built.attribs, { role: node.role ?? "", "#caption": title.label ?? "" });
    return [built];
  };
  const item = async (node: BlockNode): Promise<readonly ChildNode[]> => {
    const words = node.hasText() ? paragraph(node.text, lineOf(node)) : [];
    return [...words, ...(node.hasBlocks() ? await content(node) : [])];
  };
  const list = async (node: BlockNode): Promise<readonly ChildNode[]> => {
    const items: Element[] = [];
    for (const one of node.getItems()) {
      if (!("nodeName" in one)) continue;
      const children = await item(one);
      const built = one.hasAttribute("checkbox")
        ? task(one.hasAttribute("checked"), children)
        : element("li", {}, children);
      items.push(place(built, lineOf(one)));
    }
    const isOrdered = node.nodeName !== "ulist";
    const start = attribute(node, "start");
    const built = element(isOrdered ? "ol" : "ul", { start: start === "" ? undefined : start }, items);
    return titled(node, [place(built, lineOf(node))]);
  };
  const terms = async (node: BlockNode): Promise<readonly ChildNode[]> => {
    const parts: Element[] = [];
    for (const one of node.getItems()) {
      if ("nodeName" in one) continue;
      const [names, description] = one;
      for (const name of names) parts.push(place(element("dt", {}, nodesOf(name.text)), lineOf(name)));
      if (description !== null) parts.push(place(element("dd", {}, await item(description)), lineOf(description)));
    }
    return titled(node, [place(element("dl", {}, parts), lineOf(node))]);
  };
  const tabs = async (node: BlockNode): Promise<readonly ChildNode[] | undefined> => {
    const inside = (await content(node)).filter(isTag);
    const [terms] = inside;
    if (inside.length !== 1 || terms?.name !== "dl") return undefined;
    const panels: Element[] = [];
    let label = "";
    for (const part of terms.children.filter(isTag)) {
      if (part.name === "dt") label = textOf(part).trim();
      else panels.push(place(element("#tab", { label }, part.children), part.startIndex ?? 0));
    }
    return [place(element("#tabs", {}, panels), lineOf(node))];
  };
  const table = async (node: BlockNode): Promise<readonly ChildNode[]> => {
    const rows: Element[] = [];
    const { head = [], body = [], foot = [] } = node.rows ?? {};
    for (const [group, isHead] of [
      [head, true],
      [body, false],
      [foot, false],
    ] as const)
      for (const row of group) {
        const cells: Element[] = [];
        for (const cell of row) {
          const spans = { colspan: cell.colspan?.toString(), rowspan: cell.rowspan?.toString() };
          cells.push(place(element(isHead ? "th" : "td", spans, await inCell(cell, isHead)), lineOf(cell)));
        }
        rows.push(element("tr", {}, cells));
      }
    const first = lineOf(node);
    return titled(node, [place(element("table", {}, rows), first, endOf(first, 1))]);
  };
  const inCell = async (cell: CellNode, isHead: boolean): Promise<readonly ChildNode[]> => {
    if (isHead) return nodesOf(cell.text);
    if (cell.style === "asciidoc") return content(cell);
    if (cell.style === "literal") return [element("code", {}, linesOf(codeOf(cell.text)))];
    const parts = (await cell.content()) as readonly string[];
    const inside = parts.map((part) => (cell.style === "header" ? `<strong>${part}</strong>` : part));
    return inside.length === 1 ? nodesOf(inside[0] ?? "") : inside.map((part) => element("p", {}, nodesOf(part)));
  };
  const quote = async (node: BlockNode): Promise<readonly ChildNode[]> => {
    const isVerse = node.nodeName === "verse";
    const children = isVerse
      ? paragraph(stringOf(await node.content()).replaceAll("\n", "<br>"), lineOf(node))
      : await inside(node);
    const by = ["attribution", "citetitle"].map((name) => attribute(node, name)).filter(Boolean);
    const source = by.length === 0 ? [] : [element("p", {}, nodesOf(`-- ${by.join(", ")}`))];
    return [place(element("blockquote", {}, [...titled(node, children), ...source]), lineOf(node))];
  };
  /** What is in a block that holds either blocks or text. */
  const inside = async (node: BlockNode): Promise<readonly ChildNode[]> =>
    node.hasBlocks() ? content(node) : paragraph(stringOf(await node.content()), lineOf(node));
  const stem = async (node: BlockNode): Promise<readonly ChildNode[]> => {
    const formula = codeOf(stringOf(await node.content())).trim();
    const first = lineOf(node);
    const built =
      node.style === "latexmath"
        ? element("#formula", {}, [new Text(`$$\n${formula}\n$$`)])
        : element("p", {}, [element("code", {}, [new Text(formula)])]);
    return titled(node, formula === "" ? [] : [place(built, first, endOf(first, node.lines?.length ?? 1))]);
  };
  const image = (node: BlockNode): readonly ChildNode[] => {
    const alt = attribute(node, "alt");
    const shown = alt === attribute(node, "default-alt") ? "" : alt;
    const picture = shown === "" ? [] : [place(element("p", {}, [element("img", { alt: shown }, [])]), lineOf(node))];
    return [...picture, ...paragraph(titleOf(node), lineOf(node))];
  };

  return async (node: BlockNode): Promise<readonly ChildNode[]> => {
    const first = lineOf(node);
    switch (node.nodeName) {
      case "section":
      case "floating_title": {
        const level = Math.min(Math.max(node.level + 1, 1), 6);
        const heading = place(element(`h${level}`, { id: node.id ?? "" }, nodesOf(node.title ?? "")), first);
        return node.nodeName === "section" ? [heading, ...(await content(node))] : [heading];
      }
      case "listing":
      case "literal":
        return listing(node);
      case "paragraph": {
        const [, macro] = (node.lines?.length === 1 && blockMacro.exec(node.lines[0] ?? "")) || [];
        if (macro !== undefined) {
          unread.add(macro);
          return [];
        }
        return titled(node, paragraph(stringOf(await node.content()), first));
      }
      case "admonition": {
        const label = calloutLabel(attribute(node, "name") || "note", wordsOf(titleOf(node)));
        return [place(element("#callout", { label }, await inside(node)), first)];
      }
      case "example": {
        if (node.style === "tabs") {
          const group = await tabs(node);
          if (group !== undefined) return titled(node, group);
        }
        if (!node.hasOption("collapsible")) return titled(node, await inside(node));
        const title = element("summary", {}, nodesOf(titleOf(node)));
        return [place(element("details", {}, [title, ...(await inside(node))]), first)];
      }
      case "ulist":
      case "olist":
      case "colist":
        return list(node);
      case "dlist":
        return terms(node);
      case "table":
        return table(node);
      case "quote":
      case "verse":
        return quote(node);
      case "stem":
        return stem(node);
      case "image":
      case "video":
      case "audio":
        return image(node);
      case "pass": {
        const nodes = nodesOf(stringOf(await node.content()));
        return nodes.length === 0
          ? []
          : [place(element("div", {}, nodes), first, endOf(first, node.lines?.length ?? 1))];
      }
      case "toc":
      case "page_break":
      case "thematic_break":
        return [];
      default:
        return titled(node, await inside(node));
    }
  };
}

/** What the library converted to text, "" if it has none. */
export function stringOf(converted: unknown): string {
  return typeof converted === "string" ? converted : "";
}

/** The characters of converted code, without its callouts. */
function codeOf(html: string): string {
  const text = nodesOf(html)
    .map((node) => textOf(node))
    .join("");
  if (!text.includes(calloutMark)) return text;
  return text.replace(callouts, "").replaceAll(calloutMark, "");
}

const callouts = new RegExp(`(?<![ \\t${calloutMark}])[ \\t${calloutMark}]*${calloutMark}[ \\t]*$`, "gm");

/** The lines of a text in a sentence. */
function linesOf(text: string): ChildNode[] {
  return text.split("\n").flatMap((line, at) => [...(at > 0 ? [element("br", {}, [])] : []), new Text(line)]);
}

/** Gives all nodes without lines the first line of what they are in, from `line` on. */
export function inheritLines(nodes: readonly ChildNode[], line: number): void {
  const open: { readonly nodes: readonly ChildNode[]; readonly line: number }[] = [{ nodes, line }];
  for (let last = open.pop(); last !== undefined; last = open.pop()) {
    for (const node of last.nodes) {
      node.startIndex ??= last.line;
      node.endIndex ??= node.startIndex;
      if (isTag(node)) open.push({ nodes: node.children, line: node.startIndex });
    }
  }
}

/** Code of which one block at a time is shown, by the roles of spring-asciidoctor-backends, as tabs, whose labels are the titles. */
export function withSwitches(nodes: readonly ChildNode[]): readonly ChildNode[] {
  const shown: ChildNode[] = [];
  let group: CodeElement[] = [];
  const end = (): void => {
    if (group.length < 2) shown.push(...group);
    else shown.push(element("#tabs", {}, group.map(toTab)));
    group = [];
  };
  for (const node of nodes) {
    const role = node instanceof CodeElement ? (node.attribs["role"] ?? "").split(" ") : [];
    const isNext = role.includes("secondary") && group.length > 0;
    if (!isNext) end();
    if (node instanceof CodeElement && (isNext || role.includes("primary"))) group.push(node);
    else shown.push(node);
  }
  end();
  return shown;
}

function toTab({ code }: CodeElement): Element {
  const { label = "", ...rest } = code;
  return element("#tab", { label: label === "" ? (code.file ?? code.language) : label }, [new CodeElement(rest)]);
}

/** The language of code: a named one, or the style of a block for diagrams. */
function languageOf({ style }: BlockNode, named: string): string {
  if (named !== "") return named;
  return style === null || /^(?:source|listing|literal|verse)$/.test(style) ? "" : style;
}
