import { tableOf } from "../html/markdown.ts";
import { calloutLabel } from "../markdown/callouts.ts";
import { addressOf, markdownOf } from "./inline.ts";
import type { NotionBlock } from "./page.ts";

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

/** A table as Markdown; cells are a line each. */
export function tableMarkdown({ children = [], headed = false }: NotionBlock): string {
  const rows = children.flatMap(({ cells }) =>
    cells === undefined ? [] : [cells.map((cell) => cellText(markdownOf(cell)))],
  );
  return tableOf(rows, headed);
}

function cellText(markdown: string): string {
  return markdown.replaceAll("\n", " ").replaceAll("|", "\\|");
}
