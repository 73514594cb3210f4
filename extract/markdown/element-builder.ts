import { isTag, Text, type ChildNode, type Element } from "domhandler";
import { decodeHTML } from "entities";
import { isHidden } from "../html/hidden.ts";
import { unifyFormulas } from "../html/math.ts";
import type { Dropped } from "../html/remove-navigation.ts";
import { isConcealed, removeConcealed } from "./hidden.ts";
import { append, element, WrittenText } from "../tree/elements.ts";
import { attributesOf } from "./attributes.ts";
import { endsParagraph, isComponent } from "./component-lines.ts";
import { markupEnd } from "./tags.ts";

/** Who opened an element: Markdown, which closes it itself, a tag of HTML or of a component, or the marker line of a container. */
type Opener = "markdown" | "tag" | "marker";

interface Open {
  readonly element: Element;
  readonly by: Opener;
  /** Of a marker: what closes it. */
  readonly end: string;
}

/** Maximum number of open elements; what opens within more holds nothing, which keeps the cost linear. */
const maxOpen = 60;

const empty = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
/** Elements that end another one that is open, and the elements that contain both (HTML, 13.1.2.4, "Optional tags"). */
const impliedEnds: Readonly<Record<string, readonly [ended: RegExp, within: RegExp]>> = {
  li: [/^li$/, /^(?:ul|ol|menu)$/],
  dt: [/^d[td]$/, /^dl$/],
  dd: [/^d[td]$/, /^dl$/],
  td: [/^t[dh]$/, /^t(?:r|able)$/],
  th: [/^t[dh]$/, /^t(?:r|able)$/],
  tr: [/^t[rdh]$/, /^table$/],
  thead: [/^t(?:[rdh]|body|head|foot)$/, /^table$/],
  tbody: [/^t(?:[rdh]|body|head|foot)$/, /^table$/],
  tfoot: [/^t(?:[rdh]|body|head|foot)$/, /^table$/],
};

/** Builds the elements of a document from the parts of Markdown and from the tags in it. */
export function createBuilder() {
  const root = element("#root", {}, []);
  const stack: Open[] = [{ element: root, by: "markdown", end: "" }];
  let lines: readonly [number, number] = [1, 1];
  const unfinished = {};
  /** Elements without words for readers, unless code or a reference in the page says otherwise. */
  const concealed: Element[] = [];

  const top = (): Element => stack.at(-1)?.element ?? root;
  const add = (node: ChildNode): void => {
    if (node.startIndex === null) [node.startIndex, node.endIndex] = lines;
    append(top(), node);
  };
  const push = (opened: Element, by: Opener, end = ""): void => {
    add(opened);
    stack.push({ element: opened, by, end });
  };
  /** Ends the last open element; one whose own end is missing has no content. */
  const pop = (hasEnd: boolean): void => {
    const last = stack.pop();
    if (last === undefined) return;
    const { element: ended, by } = last;
    ended.endIndex = Math.max(ended.endIndex ?? 0, lines[1]);
    if (hasEnd || by === "markdown") return;
    if (by === "marker" || isComponent(ended.name)) dissolve(ended);
    // What is hidden without an end is hidden to the end of its paragraph.
    else if (isHidden(ended)) dissolve(ended, ended.children.findIndex(isTag));
  };
  const closeTo = (depth: number): void => {
    // The end of a container ends what other marker lines began in it.
    while (stack.length > depth + 1) pop(stack.at(-1)?.by === "marker" && stack[depth]?.by === "marker");
    pop(true);
  };
  /** The innermost element that matches, not beyond the Markdown around. */
  const find = (isMatch: (open: Open) => boolean): number => {
    for (let depth = stack.length - 1; depth > 0; depth--) {
      const open = stack[depth];
      if (open === undefined || open.by === "markdown") return -1;
      if (isMatch(open)) return depth;
    }
    return -1;
  };
  const isIn = (name: string): boolean => stack.some((open) => open.element.name === name);

  const endImplied = (name: string): void => {
    const [ended, within] = impliedEnds[name] ?? (endsParagraph(name) ? [/^p$/, /^[^p]/] : []);
    if (ended === undefined || within === undefined) return;
    for (;;) {
      const at = find((open) => open.by === "tag" && (ended.test(open.element.name) || within.test(open.element.name)));
      if (at < 0 || !ended.test(stack[at]?.element.name ?? "")) return;
      closeTo(at);
    }
  };

  return {
    root,
    top,
    add,
    /** The place of what is added next, in lines of the file from 1. */
    setLines(next: readonly [number, number]): void {
      lines = next;
    },
    open: (opened: Element): void => push(opened, "markdown"),
    /** Goes on in the element that was closed last. */
    reopen: (closed: Element): void => void stack.push({ element: closed, by: "markdown", end: "" }),
    /** Closes what Markdown opened last, and what is open in it. */
    close(): void {
      const at = stack.findLastIndex(({ by }) => by === "markdown");
      if (at > 0) closeTo(at);
    },
    /** Opens the container of a marker line; `end` names the lines that close it. */
    openMarker: (opened: Element, end: string): void =>
      stack.length > maxOpen ? add(opened) : push(opened, "marker", end),
    /** Closes the innermost container that a line ends; false if none is open. */
    closeMarker(isEnd: (end: string, element: Element) => boolean): boolean {
      const at = find(({ by, end, element: opened }) => by === "marker" && isEnd(end, opened));
      if (at > 0) closeTo(at);
      return at > 0;
    },
    /** Whether the container of a marker line is open. */
    hasMarker: (name: string): boolean => find(({ element: opened }) => opened.name === name) > 0,
    addText(text: string): void {
      if (text !== "") add(new Text(text));
    },
    /** Opens or closes the element of a tag. `isInline`: the tag is in a sentence. */
    tag(source: string, isInline: boolean): void {
      const name = tagNameOf(source);
      if (source.startsWith("</")) {
        const at = find((open) => open.by === "tag" && open.element.name === name);
        if (at > 0) closeTo(at);
        return;
      }
      const opened = elementOf(source, name);
      if (isInline && isComponent(name)) opened.attribs["#inline"] = "";
      endImplied(name);
      if (isConcealed(opened)) concealed.push(opened);
      if (empty.has(name) || source.endsWith("/>") || stack.length > maxOpen) add(opened);
      else push(opened, "tag");
    },
    /** Adds HTML that is on lines of its own. */
    html(source: string, first: number): void {
      let line = first;
      let kept = 0;
      const last = first + (source.trimEnd().match(/\n/g)?.length ?? 0);
      const text = (end: number): void => {
        const words = source.slice(kept, end);
        lines = [line, line + (words.trimEnd().match(/\n/g)?.length ?? 0)];
        if (words !== "") add(textOfHtml(words, isIn("pre")));
        line = Math.min(line + (words.match(/\n/g)?.length ?? 0), last);
        lines = [line, line];
      };
      for (let at = source.indexOf("<"); at >= 0; at = source.indexOf("<", at)) {
        // A comment that nothing closes extends to the end.
        const end = markupEnd(source, at, unfinished) || (source.startsWith("<!--", at) ? source.length : 0);
        if (end === 0) {
          at++;
          continue;
        }
        text(at);
        const markup = source.slice(at, end);
        kept = at = end;
        const opening = line;
        line += markup.match(/\n/g)?.length ?? 0;
        lines = [opening, line];
        if (!/^<[!?]/.test(markup)) this.tag(markup, false);
        const raw = /^<(script|style|textarea|title)(?=[\s>])/i.exec(markup)?.[1]?.toLowerCase();
        if (raw === undefined || markup.endsWith("/>")) continue;
        const close = source.slice(at).search(new RegExp(`</${raw}\\b`, "i"));
        const words = source.slice(at, close < 0 ? source.length : at + close);
        this.addText(words);
        line += words.match(/\n/g)?.length ?? 0;
        kept = at = at + words.length;
        if (close < 0) this.tag(`</${raw}>`, false);
      }
      text(source.length);
    },
    /** Closes all that is open, makes formulas single elements, and removes and counts what is hidden. `source` is that of the page. */
    end(source: string): { readonly root: Element; readonly dropped: Dropped } {
      while (stack.length > 1) pop(false);
      if (source.includes("<")) unifyFormulas(root);
      return { root, dropped: removeConcealed(concealed, source) };
    },
  };
}

/** Puts what is in an element, from a child on, after it. */
function dissolve(ended: Element, from = 0): void {
  const { parent } = ended;
  if (parent === null || !isTag(parent as ChildNode)) return;
  const around = parent as Element;
  const children = from < 0 ? [] : ended.children.splice(from);
  // A name in angle brackets that nothing closes is text, such as `<your-name>` or the type in `List<String>`.
  if (from === 0 && ended.attribs["#inline"] !== undefined && Object.keys(ended.attribs).length === 1) {
    around.children.pop();
    const words = new WrittenText(`<${ended.name}>`, `\\<${ended.name}>`);
    [words.startIndex, words.endIndex] = [ended.startIndex, ended.endIndex];
    append(around, words);
  }
  for (const child of children) append(around, child);
}

/** The text between tags. Lines stay, as lists in the syntax of Markdown need them; `isCode`: all characters do. */
function textOfHtml(source: string, isCode: boolean): Text {
  const text = source.includes("&") ? decodeHTML(source) : source;
  if (isCode) return new Text(text);
  const shown = text.replace(/[^\S\n]+/g, " ").replace(/ ?\n\s*/g, "\n");
  return shown.includes("<") ? new WrittenText(shown, shown.replace(/<(?=[A-Za-z/!?])/g, "\\<")) : new Text(shown);
}

/** The name in a tag: of elements of HTML in lower case, of components as written. */
export function tagNameOf(tag: string): string {
  const name = /^<\/?([A-Za-z][\w.:-]*)?/.exec(tag)?.[1] ?? "";
  return isComponent(name) ? name : name.toLowerCase();
}

/** The element of an opening tag of HTML or JSX. */
function elementOf(tag: string, name: string): Element {
  if (!/\s/.test(tag)) return element(name, {}, []);
  const isHtml = !isComponent(name);
  const attributes: Record<string, string> = {};
  for (const [written, value] of Object.entries(attributesOf(tag, !isHtml))) {
    const key = isHtml ? written.toLowerCase() : written;
    const [, slot] = /^(?:#|v-slot:)(.*)$/.exec(key) ?? [];
    const shown = value.includes("\n") ? value.replace(/\s+/g, " ").trim() : value;
    if (slot !== undefined) attributes["slot"] = slot;
    else attributes[key.toLowerCase() === "classname" ? "class" : key] = shown;
  }
  return element(name, attributes, []);
}
