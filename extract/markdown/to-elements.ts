import { Text } from "domhandler";
import type { Token } from "markdown-it";
import { isInlineComponent } from "../html/components.ts";
import { CodeElement, element, WrittenText } from "../tree/elements.ts";
import { calloutLabel, kindOf } from "./callouts.ts";
import { toCode, toHeldCode } from "./code-blocks.ts";
import { endsParagraph, isComponent } from "./component-lines.ts";
import { createBuilder, tagNameOf } from "./element-builder.ts";
import { toLines, type Range, type SourceLines } from "./lines.ts";
import { shapeContainers } from "./containers.ts";
import { readMarker } from "./markers.ts";
import { toRst, type PartReader } from "./rst-parts.ts";
import type { InlinePart } from "./parser.ts";

/** The place of a parsed text in its file. */
export interface ParsedText {
  /** Lines of the file. */
  readonly lines: SourceLines;
  /** Number of lines before the text. */
  readonly offset: number;
  /** The language of cells of code; "" if the page names none. */
  readonly kernel: string;
  /** Reads the parts in reStructuredText; absent: they are shown as code. */
  readonly rst?: PartReader | undefined;
  /** The parts of a line of text. */
  inline(source: string, isHeading: boolean): readonly InlinePart[];
}

/** Elements of HTML by the tokens of Markdown that open and close them. */
const containers: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bullet_list: "ul",
    ordered_list: "ol",
    list_item: "li",
    blockquote: "blockquote",
    table: "table",
    thead: "thead",
    tbody: "tbody",
    tr: "tr",
    th: "th",
    td: "td",
    definition: "dd",
    footnote: "#footnote",
    directive: "#callout",
    titled: "#titled",
    tabs: "#tabs",
    tab: "#tab",
    section: "#section",
    list_table: "#list-table",
  }).flatMap(([type, name]) => [
    [`${type}_open`, name],
    [`${type}_close`, name],
  ]),
);
const titled = new Set(["#titled", "#section", "#list-table"]);
const marks: ReadonlyMap<string, string> = new Map([
  ["strong", "strong"],
  ["em", "em"],
  ["s", "del"],
  ["link", "a"],
]);

/** The elements of a document, and the numbers of those that are not served. */
type Elements = ReturnType<ReturnType<typeof createBuilder>["end"]>;

/** Builds the elements of a document from the parser's tokens. */
export function toElements(tokens: readonly Token[], { lines, offset, kernel, rst, inline }: ParsedText): Elements {
  const builder = createBuilder();
  let file = "";
  /** Number of characters left for addresses, as references may repeat long ones. */
  let budget = 2 * lines.source.length + 10_000;
  const addressOf = ({ attrs }: InlinePart): string | undefined => {
    const href = String(attrs?.find(([key]) => key === "href")?.[1] ?? "");
    budget -= href.length;
    return href === "" || budget < 0 ? undefined : href;
  };
  const setFile = (name: string): void => void (file = name);

  const placed = (token: Token): Range => {
    if (token.map === null) return [offset, offset];
    const range: Range = [token.map[0] + offset, token.map[1] + offset];
    builder.setLines(toLines(range));
    return range;
  };
  const open = (token: Token, name: string): void => {
    placed(token);
    const start = token.attrs?.find(([key]) => key === "start")?.[1];
    const { label, header } = (token.meta ?? {}) as { readonly label?: string; readonly header?: string };
    const key = titled.has(name) ? "title" : "label";
    builder.open(element(name, { start: start === undefined ? undefined : String(start), [key]: label, header }, []));
  };
  const paragraph = (token: Token, source: string): void => {
    const range = placed(token);
    const parts = inline(source, false);
    if (!parts.some(({ type }) => type === "tag" || type === "marker")) {
      if (parts.length === 0) return;
      builder.open(element("p", {}, []));
      addParts(parts);
      builder.close();
      return;
    }
    const blocks = blockTags(parts);
    let line = range[0] + 1;
    let isOpen = false;
    const end = (): void => {
      if (isOpen) builder.close();
      isOpen = false;
    };
    for (const [at, part] of parts.entries()) {
      const isBreak = part.type === "softbreak" || part.type === "hardbreak";
      const next = line + (isBreak ? 1 : (part.content.match(/\n/g)?.length ?? 0));
      builder.setLines([line, part.type === "tag" ? next : line]);
      if (blocks.has(at)) {
        end();
        if (part.type === "tag") builder.tag(part.content, false);
        else readMarker(part.content, builder, setFile);
      } else if (isOpen || part.content.trim() !== "" || part.nesting !== 0) {
        if (!isOpen) builder.open(element("p", {}, []));
        isOpen = true;
        addPart(part, parts[at + 1]);
      }
      line = next;
    }
    end();
  };
  const shownOf = (source: string): string => visible(inline(source, false));
  const addParts = (parts: readonly InlinePart[]): void => {
    for (const [at, part] of parts.entries()) addPart(part, parts[at + 1]);
  };
  const addPart = (part: InlinePart, next: InlinePart | undefined): void => {
    const { type, content } = part;
    if (type === "text") builder.addText(content);
    else if (type === "text_special")
      builder.add(new WrittenText(content === "\u00A0" ? " " : content, writtenAs(part, next)));
    else if (type === "softbreak") builder.addText("\n");
    else if (type === "hardbreak") builder.add(element("br", {}, []));
    else if (type === "code_inline")
      builder.add(element("code", { "#ticks": String(part.markup.length) }, [new WrittenText(content, content)]));
    else if (type === "math") builder.add(element("#math", {}, [new Text(content)]));
    else if (type === "footnote_ref") builder.add(element("#note", { label: content }, []));
    else if (type === "image") builder.add(element("img", { alt: visible(part.children ?? []) }, []));
    // A tag such as `<title>` in a sentence is a word of it.
    else if (type === "tag" && rawText.test(tagNameOf(content))) builder.add(new WrittenText(content, `\\${content}`));
    else if (type === "tag") builder.tag(content, true);
    else if (type === "marker") readMarker(content, builder, setFile);
    else if (part.nesting === 1) {
      builder.open(element(marks.get(type.slice(0, -5)) ?? "span", { href: addressOf(part) }, []));
    } else if (part.nesting === -1) builder.close();
  };

  for (const [index, token] of tokens.entries()) {
    const { type } = token;
    const name = containers.get(type);
    if (type === "paragraph_open") {
      const source = tokens[index + 1]?.content ?? "";
      const box = tokens[index - 1]?.type === "list_item_open" ? /^\[([ x])\]\s+(?=\S)/.exec(source) : null;
      if (box !== null)
        builder.add(element("input", { type: "checkbox", checked: box[1] === " " ? undefined : "" }, []));
      paragraph(token, source.slice(box?.[0].length));
    } else if (type === "heading_open") {
      placed(token);
      builder.open(element(token.tag, {}, []));
      addParts(inline(tokens[index + 1]?.content ?? "", true));
      builder.close();
    } else if (type === "fence" || type === "code_block" || type === "held_code") {
      const range = placed(token);
      const part = rst && type === "fence" ? toRst(token.info, token.content, range[0] + 1) : undefined;
      for (const child of (part && rst?.read(part)) ?? []) builder.add(child);
      const code =
        type === "held_code"
          ? toHeldCode(token, range, lines, offset)
          : toCode(token, range, { lines, kernel }, file || undefined);
      file = "";
      const isParsed = type === "fence" && /^\s*\{parsed-literal\}/.test(token.info);
      if (code !== null && part === undefined)
        builder.add(new CodeElement(isParsed ? { ...code, code: code.code.replace(/\S.*/g, shownOf) } : code));
    } else if (type === "html_block") {
      const [first, end] = placed(token);
      // The parser's copy has other line ends.
      const source = token.level > 0 ? token.content : lines.source.slice(lines.starts[first], lines.starts[end]);
      builder.html(source, first + 1);
    } else if (type === "formula") {
      placed(token);
      builder.add(element("#formula", {}, [new Text(token.content)]));
    } else if (type === "marker") {
      placed(token);
      readMarker(token.content, builder, setFile);
    } else if (type === "admonition_open") openAdmonition(token);
    else if (type === "admonition_close") closeAdmonition(token);
    else if (type === "blockquote_open") openQuote(token, tokens[index + 2]);
    else if (type === "definition_open") openDefinition(token);
    else if (type === "definition_close") {
      builder.close();
      builder.close();
    } else if (name !== undefined && token.nesting === 1) open(token, name);
    else if (name !== undefined && token.nesting === -1) builder.close();
    if ((type === "th_open" || type === "td_open") && tokens[index + 1]?.type === "inline")
      addParts(inline(tokens[index + 1]?.content ?? "", false));
  }
  const read = builder.end(lines.source);
  shapeContainers(read.root);
  return read;

  function openAdmonition(token: Token): void {
    placed(token);
    if (token.info === "") {
      builder.open(element("#callout", { label: (token.meta?.["label"] as string | undefined) ?? "" }, []));
      return;
    }
    const before = builder.top().children.at(-1);
    // A tab after another one belongs to its group.
    const group =
      before?.type === "tag" && before.name === "#tabs" && before.attribs["#mkdocs"] !== undefined ? before : undefined;
    if (group === undefined) builder.open(element("#tabs", { "#mkdocs": "" }, []));
    else builder.reopen(group);
    builder.open(element("#tab", { label: token.info }, []));
  }

  function closeAdmonition(token: Token): void {
    builder.close();
    if (token.info !== "") builder.close();
  }

  /** `> [!NOTE]` of GitHub, with the title that Obsidian allows, is a callout. */
  function openQuote(token: Token, first: Token | undefined): void {
    const [mark, kind, title = ""] = /^\[!(\w[\w-]{2,20})\][-+]?[ \t]*([^\n]*)\n?/.exec(first?.content ?? "") ?? [];
    placed(token);
    // A line that is more than a title is text.
    const isTitle = title.length <= maxTitle && !/[[`{]|[.:]$/.test(title);
    if (first === undefined || mark === undefined || kind === undefined || first.type !== "inline") {
      builder.open(element("blockquote", {}, []));
      return;
    }
    first.content = isTitle ? first.content.slice(mark.length) : first.content.replace(/^\[![^\]]*\][-+]?[ \t]*/, "");
    builder.open(element("#callout", { label: calloutLabel(kindOf(kind), isTitle ? title : "") }, []));
  }

  /** The paragraph before a description is its term. */
  function openDefinition(token: Token): void {
    placed(token);
    const around = builder.top();
    const last = around.children.at(-1);
    const isTerm = last?.type === "tag" && last.name === "p";
    if (isTerm) {
      around.children.pop();
      last.name = "dt";
      last.prev = null;
    }
    const list = around.children.at(-1);
    if (list?.type === "tag" && list.name === "dl") builder.reopen(list);
    else builder.open(element("dl", {}, []));
    if (isTerm) builder.add(last);
    builder.open(element("dd", {}, []));
  }
}

/** Maximum length of the title of a callout, in characters. */
const maxTitle = 80;

/** The Markdown of a character that is escaped or named. */
function writtenAs({ content, markup, info }: InlinePart, next: InlinePart | undefined): string {
  if (info === "escape" && markup !== "\\|") return markup;
  if (content === "<") return /^[A-Za-z/!?]/.test(next?.content ?? "") ? "\\<" : content;
  return content === "\u00A0" ? " " : content;
}

function visible(tokens: readonly InlinePart[]): string {
  return tokens
    .map(({ type, content, children }) => (type === "softbreak" ? " " : children ? visible(children) : content))
    .join("");
}

/** Elements whose text is not parsed, and which GitHub shows as written (GFM, "Disallowed Raw HTML"). */
const rawText = /^(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext)$/;

/** Maximum number of open tags that are paired in one paragraph. */
const maxOpenTags = 100;

/** The indices of the tags and markers in a paragraph that stand on lines of their own, so that they hold blocks. */
function blockTags(parts: readonly InlinePart[]): ReadonlySet<number> {
  const blocks = new Set<number>();
  const open: { readonly name: string; readonly at: number }[] = [];
  const isBlank = ({ type, content }: InlinePart): boolean =>
    type === "tag" || type === "marker" || (type === "text" && content.trim() === "");
  /** The parts with nothing but blanks and tags before them, or after them, on their line. */
  const edges = (all: readonly number[]): ReadonlySet<number> => {
    const found = new Set<number>();
    let isFree = true;
    for (const at of all) {
      const part = parts[at];
      if (isFree) found.add(at);
      if (part?.type === "softbreak" || part?.type === "hardbreak") isFree = true;
      else if (part !== undefined && !isBlank(part)) isFree = false;
    }
    return found;
  };
  const indices = parts.map((_, at) => at);
  const [first, last] = [edges(indices), edges(indices.toReversed())];
  const pairs = new Map<number, number>();
  for (const [at, { type, content }] of parts.entries()) {
    if (type !== "tag" || content.endsWith("/>")) continue;
    const name = tagNameOf(content);
    if (!content.startsWith("</")) {
      if (open.length < maxOpenTags) open.push({ name, at });
    } else {
      const opened = open.findLastIndex((one) => one.name === name);
      if (opened < 0) continue;
      pairs.set(open[opened]?.at ?? at, at);
      open.length = opened;
    }
  }
  const closings = new Set(pairs.values());
  for (const [at, { type, content }] of parts.entries()) {
    if (type === "marker") blocks.add(at);
    if (type !== "tag" || closings.has(at)) continue;
    const name = tagNameOf(content);
    const isUnknown = isComponent(name) && !isInlineComponent(name);
    const isRaw = rawText.test(name);
    const isBlock = endsParagraph(name) || name === "pre" || name === "template";
    if (!isBlock && !isUnknown && !isRaw) continue;
    const pair = pairs.get(at);
    const standsAlone =
      first.has(at) &&
      (pair === undefined
        ? content.endsWith("/>") || content.startsWith("</")
          ? last.has(at)
          : true
        : last.has(pair));
    const isLater = content.startsWith("</") && last.has(at);
    if (!isBlock && !standsAlone && !isLater) continue;
    blocks.add(at);
    if (pair !== undefined) blocks.add(pair);
  }
  return blocks;
}
