import { calloutLabel } from "../markdown/callouts.ts";
import { addressOf, markdownOf } from "./inline.ts";
import type { NotionBlock } from "./page.ts";

/** What stands in later columns is put into the last of these. */
const maxColumns = 50;

/** What emojis say a callout is; of any other it is a note. */
const kinds: ReadonlyMap<string, string> = new Map(
  Object.entries({
    tip: "💡 ✅ 🎯 ✨ 🚀 👍 🌟",
    info: "ℹ 🛈",
    warning: "⚠ 🚧 🟠 🟡 ✋",
    danger: "🚨 🛑 ⛔ 🔥 ❌ 🚫 💥 🔴 ☠",
    important: "❗ ‼ ❕ 📢 📣",
    question: "❓ ❔ 🤔",
  }).flatMap(([kind, emojis]) => emojis.split(" ").map((emoji) => [emoji, kind] as const)),
);

/** How a callout begins, such as `**Tip:**`: Notion has no kinds of them, and people choose an emoji. */
export function calloutOf({ icon = "" }: NotionBlock): string {
  return calloutLabel(kinds.get(icon.replace(/\uFE0F/g, "")) ?? "note", "");
}

/** The Markdown of a block other than heading, list, quotation, table or code; "" if it has no text. */
export function wordsOf(block: NotionBlock): string {
  const { type, text = [], caption = [], url = "", name = "" } = block;
  const said = markdownOf(caption);
  switch (type) {
    case "equation":
      return text.length === 0 ? "" : `$$\n${text.map((span) => span.text).join("")}\n$$`;
    case "bookmark":
    case "embed":
    case "link_preview":
      return linked(said, addressOf(url));
    case "image":
      return said;
    case "file":
    case "pdf":
    case "video":
    case "audio":
      return name !== "" && said !== "" ? `${name}: ${said}` : linked(name === "" ? said : name, addressOf(url));
    default:
      return markdownOf(text);
  }
}

function linked(text: string, address: string): string {
  if (text === "" || address === "") return text === "" ? address : text;
  return /[[\]\n]/.test(text) ? `${text}: ${address}` : `[${text}](${address})`;
}

/** Text in bold, unless it is code or has such signs already. */
export function bold(text: string): string {
  return text === "" || /[*`\n]/.test(text) ? text : `**${text}**`;
}

/** A table in GitHub's Markdown; cells are a line each. */
export function tableOf({ children = [], headed = false }: NotionBlock): string {
  const rows = children
    .flatMap(({ cells }) => (cells === undefined ? [] : [cells.map((cell) => cellText(markdownOf(cell)))]))
    .filter((row) => row.some((cell) => cell !== ""))
    .map((row) =>
      row.length <= maxColumns ? row : [...row.slice(0, maxColumns - 1), row.slice(maxColumns - 1).join(" ")],
    );
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const [first, ...others] = rows;
  if (first === undefined) return "";
  const line = (row: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, at) => row[at] ?? "").join(" | ")} |`;
  const [head, body] = headed ? [first, others] : [[], rows];
  return [line(head), `|${" --- |".repeat(width)}`, ...body.map(line)].join("\n");
}

function cellText(markdown: string): string {
  return markdown.replaceAll("\n", " ").replaceAll("|", "\\|");
}
