import { spaced, type Node } from "./document.ts";
import { address, blocksHtml, type HtmlForm } from "./html.ts";

type Form = HtmlForm & { readonly isMdx: boolean };

const indented = (text: string, by: string): string => text.replace(/^(?=.)/gm, by).trimStart();
const quoted = (text: string): string => text.replace(/^/gm, "> ").replace(/^> $/gm, ">");
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function inlineMarkdown(nodes: readonly Node[] | undefined, form: Form, isCell = false): string {
  const write = (node: Node): string => {
    const { type, text = "", title = "", inside } = node;
    const words = inside === undefined ? text : inlineMarkdown(inside, form, isCell);
    if (type === "text") return text;
    if (type === "em") return form.variant === 1 ? `_${words}_` : `*${words}*`;
    if (type === "strong") return `**${words}**`;
    if (type === "del" && form.variant !== 2) return `~~${words}~~`;
    if (type === "link") return `[${words}](${address})`;
    if (type === "codespan") return `\`${text}\``;
    if (type === "autolink") return form.isMdx || form.variant === 1 ? text : `<${text}>`;
    if (type === "image") return `![${text}](${address}.png)`;
    if (type === "math") return `$${text}$`;
    if (type === "note") return `[^${title}]`;
    if (type === "break") return isCell ? "<br/>" : "\\\n";
    return `<${type}>${words}</${type}>`;
  };
  return spaced(nodes).map(write).join("");
}

function colonsOf(node: Node): number {
  const deepest = Math.max(0, ...(node.inside ?? []).map(colonsOf));
  return /^(?:callout|tabs)$/.test(node.type) ? Math.max(2, deepest) + 1 : deepest;
}

function table(node: Node, form: Form): string {
  const cells = (node.inside ?? []).map(({ inside = [] }) => inside);
  const isPlain = cells.flat().every(({ rows, columns, inside }) => !rows && !columns && inside?.length === 1);
  if (!isPlain || node.inside?.[0]?.type === "caption") return blocksHtml([node], form);
  const rows = cells.map((row) => row.map(({ inside }) => inlineMarkdown(inside?.[0]?.inside, form, true)));
  const rule = (rows[0] ?? []).map(() => "---");
  const lines = rows.toSpliced(1, 0, rule);
  return lines.map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function callout({ title, kind = "note" }: Node, colons: string, body: string, { isMdx, variant }: Form): string {
  if (title === undefined && variant === 0) return quoted(`[!${kind.toUpperCase()}]\n${body}`);
  if (title === undefined && variant === 1 && isMdx) return `<${capital(kind)}>\n\n${body}\n\n</${capital(kind)}>`;
  const label = title === undefined ? kind : variant === 2 ? `${kind}[${title}]` : ` ${kind} ${title}`;
  return `${colons}${label}\n\n${body}\n\n${colons}`;
}

function block(node: Node, form: Form): string {
  const { type, inside = [], text = "", title, level = 2, start } = node;
  const { isMdx, variant } = form;
  const colons = ":".repeat(colonsOf(node));
  const body = (one: Node = node): string => blocksMarkdown(one.inside, form);
  if (type === "paragraph") return inlineMarkdown(inside, form);
  if (type === "heading") return `${"#".repeat(level)} ${inlineMarkdown(inside, form)}`;
  if (type === "quote") return quoted(body());
  if (type === "callout") return callout(node, colons, body(), form);
  if (type === "table") return table(node, form);
  if (type === "formula") return `$$\n${text}\n$$`;
  if (type === "code") {
    const fence = variant === 1 ? "~~~~" : "````";
    return `${fence}js${title === undefined ? "" : ` title="${title}"`}\n${text}\n${fence}`;
  }
  if (type === "expand") {
    if (isMdx && variant === 1) return `<Accordion title="${title}">\n\n${body()}\n\n</Accordion>`;
    if (isMdx && variant === 2) return `<Steps>\n\n<Step title="${title}">\n\n${body()}\n\n</Step>\n\n</Steps>`;
    return `<details>\n<summary>${title}</summary>\n\n${body()}\n\n</details>`;
  }
  if (type === "tabs") {
    const isTags = isMdx || variant === 1;
    const tabs = inside.map((tab) => {
      const tag = `<TabItem value="a" label="${tab.title}">`;
      return isTags ? `${tag}\n\n${body(tab)}\n\n</TabItem>` : `== ${tab.title}\n\n${body(tab)}`;
    });
    return isTags ? `<Tabs>\n${tabs.join("\n")}\n</Tabs>` : `${colons}tabs\n\n${tabs.join("\n\n")}\n\n${colons}`;
  }
  if (type !== "list" && type !== "tasks") return blocksHtml([node], form);
  const items = inside.map((item, at) => {
    const sign = start === undefined ? "- " : `${start + at}. `;
    const box = item.done === undefined ? "" : item.done ? "[x] " : "[ ] ";
    return sign + box + indented(body(item), " ".repeat(sign.length));
  });
  return items.join(variant === 1 ? "\n\n" : "\n");
}

const blocksMarkdown = (nodes: readonly Node[] = [], form: Form): string =>
  nodes.map((node) => block(node, form)).join("\n\n");

/** A page, with its footnotes at the end. */
export function pageMarkdown(nodes: readonly Node[], notes: readonly Node[], form: Form): string {
  return `${[blocksMarkdown(nodes, form), ...notes.map(({ title, text }) => `[^${title}]: ${text}`)].join("\n\n")}\n`;
}
