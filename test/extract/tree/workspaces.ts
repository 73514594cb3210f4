import { codeBlock, rich, textBlock, type Json, type NewBlock } from "../../support/notion-server.ts";
import { spaced, table, type Node } from "./document.ts";
import { address, blocksHtml, type HtmlForm } from "./html.ts";

const parameter = (name: string, value: string | undefined): string =>
  value === undefined ? "" : `<ac:parameter ac:name="${name}">${value}</ac:parameter>`;
const macro = (name: string, title: string | undefined, body: string): string =>
  `<ac:structured-macro ac:name="${name}" ac:schema-version="1">${parameter("title", title)}${body}</ac:structured-macro>`;
const richBody = (body: string): string => `<ac:rich-text-body>${body}</ac:rich-text-body>`;
const codeBody = (text = ""): string =>
  `${parameter("language", "js")}<ac:plain-text-body><![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]></ac:plain-text-body>`;
const picture = '<ri:attachment ri:filename="a.png"/>';

const own: HtmlForm["own"] = {
  heading: ({ level = 2 }, body) => `<h${level - 1}>${body}</h${level - 1}>`,
  image: (_, words) => `<ac:image ac:alt="${words}">${picture}</ac:image>`,
  figure: (_, body) => `<ac:image>${picture}<ac:caption><p>${body}</p></ac:caption></ac:image>`,
  callout: ({ kind = "note", title }, body) => macro(kind, title, richBody(body)),
  expand: ({ title }, body) => macro("expand", title, richBody(body)),
  code: ({ text, title }) => macro("code", title, codeBody(text)),
  tasks: (_, body) => `<ac:task-list>${body}</ac:task-list>`,
  item: ({ done }, body) =>
    done === undefined
      ? `<li>${body}</li>`
      : `<ac:task><ac:task-id>1</ac:task-id><ac:task-status>${done ? "complete" : "incomplete"}</ac:task-status><ac:task-body>${body}</ac:task-body></ac:task>`,
};

/** Blocks in Confluence's storage format. */
export const storage = (nodes: readonly Node[]): string => blocksHtml(nodes, { variant: 0, own });

type Run = Node & { readonly marks: readonly string[]; readonly href?: string };

function runsOf(nodes: readonly Node[] | undefined, marks: readonly string[] = [], href?: string): Run[] {
  return spaced(nodes).flatMap(({ type, text = "", inside }) => {
    const target = type === "link" ? address : type === "autolink" ? text : href;
    if (inside !== undefined) return runsOf(inside, [...marks, type], target);
    return [{ type, text, marks: [...marks, type], ...(target !== undefined && { href: target }) }];
  });
}

const adfMarks = table("em=em strong=strong codespan=code del=strike ins=underline sup=subsup sub=subsup");

function adfText(nodes: readonly Node[] | undefined): Json[] {
  return runsOf(nodes).map(({ type, text = "", marks, href }) => {
    if (type === "break") return { type: "hardBreak" };
    if (type === "image") return { type: "mediaInline", attrs: { id: "1", collection: "", type: "file", alt: text } };
    const own = marks
      .filter((mark) => mark in adfMarks)
      .map((mark) => ({ type: adfMarks[mark], attrs: { type: mark } }));
    const all = [...own, ...(href === undefined ? [] : [{ type: "link", attrs: { href } }])];
    return { type: "text", text, ...(all.length > 0 && { marks: all }) };
  });
}

const media = { type: "media", attrs: { type: "external", url: `${address}.png` } };
const panels = { note: "note", tip: "success", warning: "warning" };
const adfNames = table("quote=blockquote row=tableRow item=listItem list=bulletList tasks=taskList");

/** Blocks in the Atlas document format. */
export function adf(nodes: readonly Node[] = []): Json[] {
  return nodes.map(({ type, inside = [], text, title, level = 2, start, kind = "note", done, ...cell }) => {
    if (type === "paragraph") return { type, content: adfText(inside) };
    if (type === "heading") return { type, attrs: { level: level - 1 }, content: adfText(inside) };
    if (done !== undefined)
      return { type: "taskItem", attrs: { state: done ? "DONE" : "TODO" }, content: adfText(inside[0]?.inside) };
    if (type === "code") return { type: "codeBlock", attrs: { language: "js" }, content: [{ type: "text", text }] };
    if (type === "figure")
      return { type: "mediaSingle", content: [media, { type: "caption", content: adfText(inside) }] };
    const content = adf(inside);
    if (start !== undefined) return { type: "orderedList", attrs: { order: start }, content };
    if (type === "callout") return { type: "panel", attrs: { panelType: panels[kind] }, content };
    if (type === "expand") return { type, attrs: { title }, content };
    const attrs = { colspan: cell.columns, rowspan: cell.rows };
    if (type === "cell") return { type: cell.head ? "tableHeader" : "tableCell", attrs, content };
    return { type: adfNames[type] ?? type, content };
  });
}

const annotations = table("em=italic strong=bold codespan=code del=strikethrough");

function notionText(nodes: readonly Node[] | undefined): Json[] {
  return runsOf(nodes).flatMap(({ type, text = "", marks, href = null }) => {
    if (type === "math") return [{ type: "equation", equation: { expression: text } }];
    const all = marks.flatMap((mark) => annotations[mark] ?? []).map((name) => [name, true]);
    return rich(type === "break" ? "\n" : text, Object.fromEntries(all) as Json, href);
  });
}

const emoji = { note: "📝", tip: "💡", warning: "⚠️" };
const notionNames = table("tasks=to_do list=bulleted_list_item");

/** Blocks of Notion's API. */
export function notion(nodes: readonly Node[] = []): NewBlock[] {
  return nodes.flatMap((node): NewBlock[] => {
    const { type, inside = [], text = "", title = "", level = 2, start, kind = "note" } = node;
    const begun = (name: string, { inside: [first, ...others] = [] }: Node, more: Json = {}): NewBlock =>
      textBlock(name, notionText(first?.inside), more, notion(others));
    if (type === "paragraph") return [textBlock(type, notionText(inside))];
    if (type === "heading") return [textBlock(`heading_${level - 1}`, notionText(inside))];
    if (start !== undefined)
      return inside.map((item, at) => begun("numbered_list_item", item, at === 0 ? { list_start_index: start } : {}));
    if (type === "list" || type === "tasks")
      return inside.map((item) => begun(notionNames[type] ?? "", item, { checked: item.done }));
    if (type === "quote") return [begun(type, node)];
    if (type === "callout") return [begun(type, node, { icon: { type: "emoji", emoji: emoji[kind] } })];
    if (type === "expand") return [textBlock("toggle", title, {}, notion(inside))];
    if (type === "tab") return [textBlock("paragraph", title, {}, notion(inside))];
    if (type === "code") return [codeBlock(text, "javascript", title)];
    if (type === "tabs") return [{ type: "tab", tab: {}, children: notion(inside) }];
    if (type === "formula") return [{ type: "equation", equation: { expression: text } }];
    if (type === "table") return [{ type, table: { has_column_header: true }, children: notion(inside) }];
    const external = { url: `${address}.png` };
    if (type === "figure")
      return [{ type: "image", image: { type: "external", external, caption: notionText(inside) } }];
    return [{ type: "table_row", table_row: { cells: inside.map((cell) => notionText(cell.inside?.[0]?.inside)) } }];
  });
}
