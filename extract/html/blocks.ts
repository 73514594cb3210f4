import { isTag, isText, type ChildNode, type Element } from "domhandler";
import type { Block, CodeContent, ParagraphBlock, TabPlace } from "../blocks.ts";
import { inTab } from "../markdown/code-blocks.ts";
import { createSections } from "../markdown/headings.ts";
import { marksOf } from "../markdown/marked-lines.ts";
import type { calloutOf } from "./callouts.ts";
import { languageOfCode, textOfCode } from "./code.ts";
import { titleOfCode, type Frame } from "./frames.ts";
import { inlineMarkdown, isInline, plainText } from "./inline.ts";
import { partsOf, tableMarkdown, type WritingContext } from "./nested.ts";
import { apiObjects, nameOfSignature, signatureText } from "./signatures.ts";
import { elementsIn, removeAll, walk } from "./tree.ts";

/** A page's structure, which is determined before its content is read. */
export interface Reading extends WritingContext {
  readonly frames: ReadonlyMap<Element, Frame>;
  readonly panels: ReadonlyMap<Element, TabPlace>;
  callout(element: Element): ReturnType<typeof calloutOf>;
  isSignature(element: Element): boolean;
  /** Language of code that names none; "" if unknown. */
  readonly language: string;
}

const maxHeading = 300;
const maxFragment = 300;
/** Maximum length of a lead-in, in characters. */
const maxLead = 3000;
/** Title of a table of contents, which is meaningless without it. */
const contentsTitle = /^\*{0,2}(?:(?:table of )?contents|on this page|in this (?:article|page))\*{0,2}:?(?:\*\*)?$/i;
/** Summaries that only offer to open something. */
const genericSummary =
  /^(?:(?:expand|collapse|show|hide|view|see|toggle|open)(?: (?:description|details?|more|all|code|source|example|output|answer))?|details?|more)\W*$/i;

/** Reads a page's content into blocks, in document order. The "lines" of blocks are ordinal numbers: lines of HTML are meaningless to readers. */
export function toBlocks(main: readonly Element[], reading: Reading): Block[] {
  const { inline, contained, frames, panels } = reading;
  const blocks: Block[] = [];
  const sections = createSections();
  let line = 0;
  /** The label of an open tab or callout, for the first block in it. */
  let label = "";
  let tab: TabPlace | undefined;
  /** The fragment for the next heading without an id of its own. */
  let anchor = "";
  /** `anchor` is a section's: anchors inside the section do not replace it before the heading. */
  let ofSection = false;

  const nextLines = (): readonly [number, number] => {
    line++;
    anchor = "";
    ofSection = false;
    return [line, line];
  };
  /** Makes an element's id the fragment of the next heading. */
  const setAnchor = (element: Element): void => {
    const id = anchorOf(element);
    if (id === "" || (ofSection && element.name !== "section")) return;
    anchor = id;
    ofSection = element.name === "section";
  };
  const heading = (level: number, text: string, id: string, isPart = false): void => {
    label = "";
    const fragment = fragmentOf(id === "" ? anchor : id);
    blocks.push({
      type: "heading",
      level,
      text: text.slice(0, maxHeading),
      id: fragment,
      lines: nextLines(),
      ...(isPart && { isPart: true }),
    });
  };
  const prose = (
    type: "paragraph" | "prose",
    markdown: string,
    nodes: readonly ChildNode[],
    lines = nextLines,
  ): void => {
    if (!/[\p{L}\p{N}]/u.test(markdown) || contentsTitle.test(markdown)) return;
    // Some pages repeat the callout's label in its text.
    const isRepeated = label !== "" && markdown.toLowerCase().startsWith(label.toLowerCase());
    const text = label === "" || isRepeated ? markdown : `${label}${type === "paragraph" ? " " : "\n\n"}${markdown}`;
    label = "";
    if (type === "prose") blocks.push({ type, markdown: text, lines: lines() });
    else blocks.push(paragraphOf(text, nodes, lines()));
  };
  const code = (block: Omit<CodeContent, "type" | "lines">): void => {
    if (block.code.trim() === "") return;
    // The label of a callout that holds only code is a paragraph; that of a tab is the code's.
    if (label !== "" && tab?.label !== label.slice(2, -3)) blocks.push(paragraphOf(label, [], nextLines()));
    label = "";
    const placed: CodeContent = { type: "code", ...block, lines: nextLines() };
    blocks.push(tab === undefined ? placed : inTab(placed, tab));
  };
  const frame = ({ pre, title }: Frame): void => {
    const { code: text, marked } = textOfCode(pre);
    const marks = marksOf(marked, text);
    const language = languageOfCode(pre) || reading.language;
    code({ language, code: text, ...titleOfCode(title), ...(marks.length > 0 && { marks }) });
  };
  const flow = (nodes: readonly ChildNode[]): void => {
    let run: ChildNode[] = [];
    const end = (): void => {
      if (run.length > 0) prose("paragraph", inlineMarkdown(run, inline), run);
      run = [];
    };
    for (const node of nodes) {
      if (isText(node) || isInline(node, contained.block)) {
        if (isTag(node)) setAnchor(node);
        run.push(node);
      } else if (isTag(node)) {
        end();
        element(node);
      }
    }
    end();
  };
  const element = (node: Element): void => {
    if (reading.isLeftOut(node)) return;
    const panel = panels.get(node);
    if (panel === undefined) {
      const countBefore = blocks.length;
      const [outer, wasOfSection] = [anchor, ofSection];
      inside(node);
      // The id of removed content, such as a search box, is dropped; that of an empty element is an anchor for the next block.
      const isEmpty = !elementsIn(node).some(({ children }) => children.length > 0);
      if (blocks.length === countBefore && !isEmpty && anchor !== "" && anchor === anchorOf(node))
        [anchor, ofSection] = [outer, wasOfSection];
    } else {
      const before = tab;
      tab = panel;
      label = panel.label === "" ? "" : `**${panel.label.replaceAll("*", "")}:**`;
      inside(node);
      [tab, label] = [before, ""];
    }
  };
  const inside = (node: Element): void => {
    const { name } = node;
    const framed = frames.get(node);
    if (framed !== undefined) return frame(framed);
    if (reading.isSignature(node)) return signature(node);
    if (/^h[1-6]$/.test(name)) {
      const text = plainText(node);
      if (text !== "") heading(sections.heading(Number(name[1])), text, node.attribs["id"] ?? anchorIn(node));
      return;
    }
    setAnchor(node);
    const callout = reading.callout(node);
    if (callout !== undefined) {
      label = callout.label;
      const { title } = callout;
      if (title !== undefined) removeAll([title]);
      flow(node.children);
      label = "";
    } else if (name === "p") {
      if (contained.block(node)) flow(node.children);
      else prose("paragraph", inlineMarkdown(node.children, inline), node.children);
    } else if (name === "ul" || name === "ol" || name === "menu" || name === "blockquote") {
      if (contained.heading(node))
        flow(node.children.flatMap((child) => (isTag(child) && child.name === "li" ? child.children : [child])));
      else parts(node);
    } else if (name === "dl") terms(node);
    else if (name === "table") table(node);
    else if (name === "details") details(node);
    else flow(node.children);
  };
  const parts = (node: Element): void => {
    const addLead = ({ lead }: { readonly lead: readonly ChildNode[] }): void =>
      void blocks.push({ ...paragraphOf("", lead, nextLines()), markdown: "" });
    for (const part of partsOf(node, reading)) {
      if ("markdown" in part) {
        // The prose comes before its paragraphs, as these do not introduce code after it.
        const lines = part.last?.length ? nextLines() : undefined;
        part.last?.forEach(addLead);
        prose("prose", part.markdown, [], lines && (() => lines));
      } else if ("lead" in part) addLead(part);
      else {
        const framed = frames.get(part.code);
        if (framed !== undefined) frame(framed);
      }
    }
  };
  const table = (node: Element): void => {
    if (!contained.code(node) && !contained.heading(node)) return prose("prose", tableMarkdown(node, reading), []);
    // A whole row may be one block of code.
    for (const cell of walk(node, (one) => !frames.has(one) && /^t(?:head|body|foot|r)$/.test(one.name)))
      if (frames.has(cell) || cell.name === "td" || cell.name === "th" || cell.name === "caption") element(cell);
  };
  const terms = (node: Element): void => {
    const objects = apiObjects(node);
    if (objects.length === 0) return contained.heading(node) ? flow(node.children) : parts(node);
    for (const { name, id, signature: text, language, description } of objects) {
      heading(sections.open(), name, id, true);
      if (text !== "") code({ language, code: text });
      for (const one of description) flow(one.children);
      heading(sections.close(), "", "", true);
    }
  };
  const signature = (node: Element): void => {
    const text = signatureText(node);
    if (text === "") return;
    if (!/^h[1-6]$/.test(node.name)) return code({ language: reading.language, code: text });
    const name = nameOfSignature(node);
    const id = node.attribs["id"] ?? anchorIn(node);
    heading(sections.heading(Number(node.name[1])), name === "" ? text.replace(/\s+/g, " ") : name, id);
    if (name !== "") code({ language: reading.language, code: text });
  };
  const details = (node: Element): void => {
    const summary = elementsIn(node).find(({ name }) => name === "summary");
    const rest = node.children.filter((child) => child !== summary);
    const isContent = summary !== undefined && (contained.heading(summary) || contained.code(summary));
    const title = summary === undefined || isContent ? "" : plainText(summary);
    if (title === "" || genericSummary.test(title)) {
      if (summary !== undefined && isContent) flow(summary.children);
      flow(rest);
      return;
    }
    heading(sections.open(), title, node.attribs["id"] ?? "", true);
    flow(rest);
    heading(sections.close(), "", "", true);
  };

  for (const node of main) element(node);
  while (isColophon(blocks.at(-1))) blocks.pop();
  return blocks;
}

/** A page's last line that only names the program which made it, with its version or a link. */
const colophon =
  /^\W{0,3}(?:(?:this|the|last|page|pages|site|website|documentation|docs|manual|file|was|is|has|been|automatically|proudly|code) ){0,5}(?:generated|built|made|created|powered|rendered|produced|published|converted|translated|compiled)\b.{0,80}\b(?:by|with|using|from|on|in)\b/i;
const maxColophon = 300;

function isColophon(block: Block | undefined): boolean {
  if (block === undefined || (block.type !== "paragraph" && block.type !== "prose")) return false;
  const { markdown } = block;
  return (
    markdown.length <= maxColophon &&
    /\]\(|\d/.test(markdown) &&
    colophon.test(markdown) &&
    !/[.!?]\s+\S{2,} \S+ \S+/.test(markdown)
  );
}

function paragraphOf(markdown: string, nodes: readonly ChildNode[], lines: readonly [number, number]): ParagraphBlock {
  let cached: string | undefined;
  const text = (): string =>
    (cached ??= (nodes.length === 0 ? markdown.replace(/[*:]+/g, "") : plainText(nodes)).slice(0, maxLead));
  return { type: "paragraph", markdown, text, lines };
}

/** An id as a URL fragment; "" if it is too long. */
function fragmentOf(id: string): string {
  return id.length > maxFragment ? "" : encodeURI(id.toWellFormed()).replaceAll("%25", "%");
}

/** The id of an element, or the name of an empty link. */
function anchorOf({ name, attribs }: Element): string {
  return attribs["id"] ?? (name === "a" ? (attribs["name"] ?? "") : "");
}

/** The first anchor in a heading. */
function anchorIn(heading: Element): string {
  for (const element of walk(heading)) {
    const anchor = anchorOf(element);
    if (anchor !== "") return anchor;
  }
  return "";
}
