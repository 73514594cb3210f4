import { isTag, isText } from "domhandler";
import type { ChildNode, Element } from "domhandler";
import type { Block, CodeBlockFound, ParagraphBlock, TabPlace } from "../blocks.ts";
import { inTab } from "../markdown/code-blocks.ts";
import { createSections } from "../markdown/headings.ts";
import { marksOf } from "../markdown/marked-lines.ts";
import type { Callout } from "./callouts.ts";
import { languageOfCode, textOfCode } from "./code.ts";
import { titleOfCode } from "./frames.ts";
import type { Frame } from "./frames.ts";
import { inlineMarkdown, isInline, plainText } from "./inline.ts";
import { partsOf, tableMarkdown } from "./nested.ts";
import type { Writing } from "./nested.ts";
import { apiObjects, nameOfSignature, signatureText } from "./signatures.ts";
import { elementsIn, removeAll, walk } from "./tree.ts";

/** What a page was found to have before it is read. */
export interface Reading extends Writing {
  readonly frames: ReadonlyMap<Element, Frame>;
  readonly panels: ReadonlyMap<Element, TabPlace>;
  callout(element: Element): Callout | undefined;
  isSignature(element: Element): boolean;
  /** Of code that names none; "" where nothing is known. */
  readonly language: string;
}

const maxHeading = 300;
const maxFragment = 300;
/** Longer lead-ins are cut before their markup is taken off; in characters. */
const maxLead = 3000;
/** What stands above a list of the page's own parts, and says nothing without it. */
const aboutList = /^\*{0,2}(?:(?:table of )?contents|on this page|in this (?:article|page))\*{0,2}:?(?:\*\*)?$/i;
/** Summaries that say no more than that something can be opened. */
const opening =
  /^(?:(?:expand|collapse|show|hide|view|see|toggle|open)(?: (?:description|details?|more|all|code|source|example|output|answer))?|details?|more)\W*$/i;

/**
 * Reads what holds a page's content into blocks, in its order. Lines are places in that order: those of HTML mean nothing to a reader,
 * but no two blocks have the same.
 */
export function toBlocks(main: readonly Element[], reading: Reading): Block[] {
  const { inline, contained, frames, panels } = reading;
  const blocks: Block[] = [];
  const sections = createSections();
  let line = 0;
  /** The label of a tab or callout that has begun; what stands in it first gets it. */
  let label = "";
  let tab: TabPlace | undefined;
  /** The place that leads to what comes next, where that has none of its own. */
  let anchor = "";
  /** It is that of a section, which its heading has before those that stand in the section. */
  let ofSection = false;

  const at = (): readonly [number, number] => {
    line++;
    anchor = "";
    ofSection = false;
    return [line, line];
  };
  /** What comes next may be found by the element that it stands in, the nearest one. */
  const place = (element: Element): void => {
    const found = anchorOf(element);
    if (found === "" || (ofSection && element.name !== "section")) return;
    anchor = found;
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
      lines: at(),
      ...(isPart && { isPart: true }),
    });
  };
  const say = (type: "paragraph" | "prose", markdown: string, nodes: readonly ChildNode[], lines = at): void => {
    if (!/[\p{L}\p{N}]/u.test(markdown) || aboutList.test(markdown)) return;
    // Some write the kind of a callout into its text as well.
    const isSaid = label !== "" && markdown.toLowerCase().startsWith(label.toLowerCase());
    const text = label === "" || isSaid ? markdown : `${label}${type === "paragraph" ? " " : "\n\n"}${markdown}`;
    label = "";
    if (type === "prose") blocks.push({ type, markdown: text, lines: lines() });
    else blocks.push(paragraphOf(text, nodes, lines()));
  };
  const code = (block: Omit<CodeBlockFound, "type" | "lines">): void => {
    if (block.code.trim() === "") return;
    // A callout of nothing but code; of a tab the code has the label.
    if (label !== "" && tab?.label !== label.slice(2, -3)) blocks.push(paragraphOf(label, [], at()));
    label = "";
    const found: CodeBlockFound = { type: "code", ...block, lines: at() };
    blocks.push(tab === undefined ? found : inTab(found, tab));
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
      if (run.length > 0) say("paragraph", inlineMarkdown(run, inline), run);
      run = [];
    };
    for (const node of nodes) {
      if (isText(node) || isInline(node, contained.block)) {
        if (isTag(node)) place(node);
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
      const said = blocks.length;
      const [outer, wasOfSection] = [anchor, ofSection];
      inside(node);
      // The place of something else, such as a search, of which nothing is left: an empty element leads to what comes next.
      const isEmpty = !elementsIn(node).some(({ children }) => children.length > 0);
      if (blocks.length === said && !isEmpty && anchor !== "" && anchor === anchorOf(node))
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
    if (framed !== undefined) {
      frame(framed);
      return;
    }
    if (reading.isSignature(node)) {
      signature(node);
      return;
    }
    if (/^h[1-6]$/.test(name)) {
      const text = plainText(node);
      if (text !== "") heading(sections.heading(Number(name[1])), text, node.attribs["id"] ?? anchorIn(node));
      return;
    }
    place(node);
    const callout = reading.callout(node);
    if (callout !== undefined) {
      label = callout.label;
      const { title } = callout;
      if (title !== undefined) removeAll([title]);
      flow(node.children);
      label = "";
    } else if (name === "p") {
      if (contained.block(node)) flow(node.children);
      else say("paragraph", inlineMarkdown(node.children, inline), node.children);
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
    const hear = ({ lead }: { readonly lead: readonly ChildNode[] }): void =>
      void blocks.push({ ...paragraphOf("", lead, at()), markdown: "" });
    for (const part of partsOf(node, reading)) {
      if ("markdown" in part) {
        // Paragraphs in prose lead to nothing behind it: its line comes before theirs.
        const lines = part.last?.length ? at() : undefined;
        part.last?.forEach(hear);
        say("prose", part.markdown, [], lines && (() => lines));
      } else if ("lead" in part) hear(part);
      else {
        const framed = frames.get(part.code);
        if (framed !== undefined) frame(framed);
      }
    }
  };
  const table = (node: Element): void => {
    if (!contained.code(node) && !contained.heading(node)) {
      say("prose", tableMarkdown(node, reading), []);
      return;
    }
    // A whole row may be one block of code.
    for (const cell of walk(node, (one) => !frames.has(one) && /^t(?:head|body|foot|r)$/.test(one.name)))
      if (frames.has(cell) || cell.name === "td" || cell.name === "th" || cell.name === "caption") element(cell);
  };
  const terms = (node: Element): void => {
    const objects = apiObjects(node);
    if (objects.length === 0) {
      if (contained.heading(node)) flow(node.children);
      else parts(node);
      return;
    }
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
    if (!/^h[1-6]$/.test(node.name)) {
      code({ language: reading.language, code: text });
      return;
    }
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
    if (title === "" || opening.test(title)) {
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

/** What a page ends with that only says which program made it: with its version, or a link to it. */
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
  let known: string | undefined;
  const text = (): string =>
    (known ??= (nodes.length === 0 ? markdown.replace(/[*:]+/g, "") : plainText(nodes)).slice(0, maxLead));
  return { type: "paragraph", markdown, text, lines };
}

/** An id as the fragment of an address; "" where it is too long to be one. */
function fragmentOf(id: string): string {
  return id.length > maxFragment ? "" : encodeURI(id.toWellFormed()).replaceAll("%25", "%");
}

/** The id of an element, or the name of an empty link. */
function anchorOf({ name, attribs }: Element): string {
  return attribs["id"] ?? (name === "a" ? (attribs["name"] ?? "") : "");
}

/** The first place to link to in a heading. */
function anchorIn(heading: Element): string {
  for (const element of walk(heading)) {
    const anchor = anchorOf(element);
    if (anchor !== "") return anchor;
  }
  return "";
}
