import { codeSpan, linkAddress, tableOf } from "../html/markdown.ts";
import type { Span, NotionBlock } from "./page.ts";
import { calloutLabel } from "../markdown/callouts.ts";
import { keysByWord } from "../language.ts";

/** Maximum length of an address, in characters: of a longer one only the link's text is kept. */
const maxAddress = 300;

/** The base of page addresses: links within a workspace have no host. */
const home = "https://www.notion.so";

/** Markdown emphasis by mark, the outermost first. */
const emphasis = new Map([
  ["s", "~~"],
  ["b", "**"],
  ["i", "*"],
]);

/** A rich text as Markdown, trimmed. */
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

/** A rich text verbatim, without markup. */
export function verbatimOf(spans: readonly Span[]): string {
  return spans.map(({ text }) => text).join("");
}

function written({ text, href = "", marks = "" }: Span): string {
  if (marks === "m") return `$${text}$`;
  const words = text.trim();
  if (words === "") return text;
  const start = text.length - text.trimStart().length;
  const inner = marks.includes("c") ? codeSpan(words) : words;
  const signed = [...emphasis].reduceRight(
    (all, [letter, sign]) => (marks.includes(letter) && !all.includes("\n\n") ? `${sign}${all}${sign}` : all),
    inner,
  );
  const address = addressOf(href);
  const isLink = address !== "" && !/[[\]]/.test(words.replace(/`[^`]*`/g, "")) && !words.includes("\n");
  const linked = isLink && words !== address ? `[${signed}](${address})` : signed;
  return `${text.slice(0, start)}${linked}${text.slice(start + words.length)}`;
}

/** The absolute address of a link; "" if invalid or too long. */
function addressOf(href: string): string {
  const url = href === "" ? null : URL.parse(href, home);
  if (url === null || !/^(?:https?|mailto):$/.test(url.protocol)) return "";
  const address = href.startsWith("/") || href.startsWith("#") ? url.href : href.trim();
  if (address.length > maxAddress) return "";
  return linkAddress(address);
}

/** Kinds of callouts by emoji; any other is a note. */
const kinds: ReadonlyMap<string, string> = keysByWord({
  tip: "💡 ✅ 🎯 ✨ 🚀 👍 🌟",
  info: "ℹ 🛈",
  warning: "⚠ 🚧 🟠 🟡 ✋",
  danger: "🚨 🛑 ⛔ 🔥 ❌ 🚫 💥 🔴 ☠",
  important: "❗ ‼ ❕ 📢 📣",
  question: "❓ ❔ 🤔",
});

/** The label of a callout, such as `**Tip:**`. Notion has no kinds of callouts, so the emoji decides. */
export function calloutOf({ icon = "" }: NotionBlock): string {
  return calloutLabel(kinds.get(icon.replace(/\uFE0F/g, "")) ?? "note", "");
}

/** The Markdown of a block other than a heading, list, quotation, table or code; "" without text. */
export function wordsOf(block: NotionBlock): string {
  const { type, text = [], caption = [], url = "", name = "" } = block;
  const captionText = markdownOf(caption);
  switch (type) {
    case "equation":
      return text.length === 0 ? "" : `$$\n${text.map((span) => span.text).join("")}\n$$`;
    case "bookmark":
    case "embed":
    case "link_preview":
      return linked(captionText, addressOf(url));
    case "image":
      return captionText;
    case "file":
    case "pdf":
    case "video":
    case "audio":
      return name !== "" && captionText !== ""
        ? `${name}: ${captionText}`
        : linked(name === "" ? captionText : name, addressOf(url));
    default:
      return markdownOf(text);
  }
}

function linked(text: string, address: string): string {
  if (text === "" || address === "") return text === "" ? address : text;
  return /[[\]\n]/.test(text) ? `${text}: ${address}` : `[${text}](${address})`;
}

/** A table as Markdown, with each cell on one line. */
export function tableMarkdown({ children = [], headed = false }: NotionBlock): string {
  const rows = children.flatMap(({ cells }) =>
    cells === undefined ? [] : [cells.map((cell) => cellText(markdownOf(cell)))],
  );
  return tableOf(rows, headed);
}

function cellText(markdown: string): string {
  return markdown.replaceAll("\n", " ").replaceAll("|", "\\|");
}
