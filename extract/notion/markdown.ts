import { codeSpan, linkAddress, tableOf } from "../html/markdown.ts";
import type { Span, NotionBlock } from "./page.ts";
import { calloutLabel } from "../markdown/callouts.ts";

/** A longer address is left out, and the link's text stays; in characters. */
const maxAddress = 300;

/** Where the addresses of pages begin: links within a workspace have no host. */
const home = "https://www.notion.so";

/** Signs of Markdown for what a text is, the outermost first. */
const signs = new Map([
  ["s", "~~"],
  ["b", "**"],
  ["i", "*"],
]);

/** A rich text as Markdown, without blanks at its ends. */
export function markdownOf(spans: readonly Span[]): string {
  return spans
    .map(written)
    .join("")
    .replace(/\r\n?/g, "\n")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
}

/** A rich text without any markup, on one line. */
export function plainOf(spans: readonly Span[]): string {
  return spans
    .map(({ text }) => text)
    .join("")
    .replace(/[\s\u200B\u2060\uFEFF]+/g, " ")
    .trim();
}

/** A rich text character by character. */
export function verbatimOf(spans: readonly Span[]): string {
  return spans.map(({ text }) => text).join("");
}

function written({ text, href = "", marks = "" }: Span): string {
  if (marks === "m") return `$${text}$`;
  const words = text.trim();
  if (words === "") return text;
  const start = text.length - text.trimStart().length;
  const inner = marks.includes("c") ? codeSpan(words) : words;
  const signed = [...signs].reduceRight(
    (all, [letter, sign]) => (marks.includes(letter) && !all.includes("\n\n") ? `${sign}${all}${sign}` : all),
    inner,
  );
  const address = addressOf(href);
  const isLink = address !== "" && !/[[\]]/.test(words.replace(/`[^`]*`/g, "")) && !words.includes("\n");
  const linked = isLink && words !== address ? `[${signed}](${address})` : signed;
  return `${text.slice(0, start)}${linked}${text.slice(start + words.length)}`;
}

/** The address of a link as it is served; "" for one that is not an address, or cannot be written. */
function addressOf(href: string): string {
  const url = href === "" ? null : URL.parse(href, home);
  if (url === null || !/^(?:https?|mailto):$/.test(url.protocol)) return "";
  const address = href.startsWith("/") || href.startsWith("#") ? url.href : href.trim();
  if (address.length > maxAddress) return "";
  return linkAddress(address);
}

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
