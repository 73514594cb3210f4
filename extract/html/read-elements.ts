import type { Element } from "domhandler";
import type { Block, Document, LeftOut } from "../blocks.ts";
import type { Node } from "../tree/nodes.ts";
import { toBlocks } from "../tree/write.ts";
import { writeInline } from "../tree/write-inline.ts";
import { calloutOf, isCalloutElement } from "./callouts.ts";
import { nameCode } from "./code-elements.ts";
import { findContained } from "./contained.ts";
import { findNotes } from "./footnotes.ts";
import { findFrames } from "./frames.ts";
import { readNodes, type Reading } from "./read-blocks.ts";
import { elementsIn } from "./tree.ts";

/** Findings about a page from before its content is read. */
export interface PageFacts extends Partial<Pick<Reading, "panels" | "language" | "isMarkdown">> {
  /** Signatures of functions and types, which are code without `<pre>`. */
  readonly signatures?: ReadonlySet<Element>;
  /** The address to serve for a link, "" for none; by default that in the source, unless it leads nowhere. */
  address?(href: string): string;
}

/** Maximum length of a footnote, in characters; a longer one is cut. */
const maxNote = 1000;

/** Reads elements into blocks, through the tree of the document. `root` has the footnotes that `main` refers to. */
export function readElements(
  root: Parameters<typeof findNotes>[0],
  main: readonly Element[] = elementsIn(root),
  {
    panels = new Map(),
    signatures = new Set(),
    language = "",
    isMarkdown = false,
    address = toAddress(undefined),
  }: PageFacts = {},
): Pick<Document, "blocks" | "footnotes" | "leftOut"> {
  const notes = findNotes(root);
  const isSignature = (element: Element): boolean => signatures.has(element);
  nameCode(main, isSignature);
  const contained = findContained(main, isSignature);
  const callouts = new Map<Element, ReturnType<typeof calloutOf>>();
  const callout = (element: Element): ReturnType<typeof calloutOf> => {
    if (!isCalloutElement(element)) return undefined;
    if (!callouts.has(element)) callouts.set(element, calloutOf(element));
    return callouts.get(element);
  };
  const bounds = {
    isOther: (element: Element): boolean => callout(element) !== undefined,
    isPanel: (element: Element): boolean => panels.has(element),
  };
  const frames = new Map(contained.isPreformatted ? main.flatMap((element) => [...findFrames(element, bounds)]) : []);
  const footnotes = new Map<string, string>();
  /** The footnotes that Markdown defines. */
  const written: Element[] = [];
  const leftOut: LeftOut[] = [];
  const reading: Reading = {
    panels,
    language,
    address,
    isMarkdown,
    contained,
    frames,
    callout,
    isSignature,
    note: (link) => notes.labels.get(link),
    isLeftOut(element) {
      if (element.name === "#footnote") written.push(element);
      return element.name === "#footnote";
    },
  };
  const nodes = readNodes(main, reading);
  for (const note of written) {
    const inside = readNodes(elementsIn(note), reading);
    footnotes.set(note.attribs["label"] ?? "", textOf(inside).slice(0, maxNote));
    for (const { type, lines } of inside) if (type === "code" && lines) leftOut.push({ lines, reason: "footnote" });
  }
  for (const [label, text] of notes.texts) footnotes.set(label, text);
  const blocks = toBlocks(nodes, footnotes);
  if (!isMarkdown) while (isColophon(blocks.at(-1))) blocks.pop();
  return { blocks, footnotes, leftOut };
}

/** Resolves links if the page's address is known; "" for scripts and other links that lead nowhere. */
export function toAddress(base: string | undefined): (href: string) => string {
  return (href) => {
    if (/^(?:javascript|data|vbscript|blob|file|about):/i.test(href.replace(/[\s\p{Cc}]+/gu, ""))) return "";
    if (base === undefined) return href;
    return URL.parse(href, base)?.href ?? "";
  };
}

/** The paragraphs of a footnote on one line. */
function textOf(nodes: readonly Node[]): string {
  return nodes
    .flatMap((node) => (node.type === "paragraph" ? [writeInline(node.children).replaceAll("\n", " ")] : []))
    .join(" ");
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
