import { keysByWord } from "../language.ts";
import { calloutLabel } from "../markdown/callouts.ts";
import type { Inline } from "../tree/nodes.ts";
import { plainText } from "../tree/write-inline.ts";
import { verbatimOf, type NotionBlock, type Span } from "./page.ts";

/** The base of page addresses: links within a workspace have no host. */
const home = "https://www.notion.so";

/** Marks by their letters, the outermost first. */
const marked = [
  ["s", "deleted"],
  ["b", "strong"],
  ["i", "emphasis"],
] as const;

/** A rich text as inline nodes; neighbours share the marks and links that they have in common. */
export function inlineOf(spans: readonly Span[]): readonly Inline[] {
  if (spans.every(({ href, marks }) => href === undefined && marks === undefined)) return spans.flatMap(textOf);
  return runsOf(spans, ({ href = "" }) => addressOf(href)).flatMap(([address, run]): readonly Inline[] =>
    address === "" ? withMarks(run) : [{ type: "link", address, children: withMarks(run) }],
  );
}

function withMarks(spans: readonly Span[], depth = 0): readonly Inline[] {
  const mark = marked[depth];
  if (mark === undefined) return spans.flatMap(textOf);
  const [letter, type] = mark;
  return runsOf(spans, ({ marks = "" }) => marks.includes(letter)).flatMap(([isMarked, run]): readonly Inline[] => {
    const children = withMarks(run, depth + 1);
    return isMarked ? [{ type, children }] : children;
  });
}

/** Consecutive spans with the same key. */
function runsOf<Key>(spans: readonly Span[], keyOf: (span: Span) => Key): readonly (readonly [Key, Span[]])[] {
  const runs: (readonly [Key, Span[]])[] = [];
  for (const span of spans) {
    const key = keyOf(span);
    const last = runs.at(-1);
    if (last !== undefined && last[0] === key) last[1].push(span);
    else runs.push([key, [span]]);
  }
  return runs;
}

function textOf({ text, marks = "" }: Span): readonly Inline[] {
  if (marks === "m") return [{ type: "math", written: `$${text}$` }];
  const read = marks.includes("c") ? codeOf : wordsFor;
  return text.split(/\r\n?|\n/).flatMap((line, at) => (at === 0 ? read(line) : [{ type: "break" }, ...read(line)]));
}

function wordsFor(text: string): readonly Inline[] {
  return [{ type: "words", text }];
}

/** Code within a line, without the blanks around it. */
function codeOf(line: string): readonly Inline[] {
  const text = line.trim();
  if (text === "") return wordsFor(line);
  const start = line.length - line.trimStart().length;
  return [...wordsFor(line.slice(0, start)), { type: "code", text }, ...wordsFor(line.slice(start + text.length))];
}

/** The absolute address of a link; "" if it leads nowhere, or would run something. */
function addressOf(href: string): string {
  const url = href === "" ? null : URL.parse(href, home);
  if (url === null || !/^(?:https?|mailto):$/.test(url.protocol)) return "";
  return /^[/#]/.test(href) ? url.href : href.trim();
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

/** The text of a block itself: its rich text, its formula, or its name and caption with the address that it leads to. */
export function wordsOf({ type, text = [], caption = [], url = "", name = "" }: NotionBlock): readonly Inline[] {
  if (type === "equation" && text.length > 0) return [{ type: "math", written: `$$\n${verbatimOf(text)}\n$$` }];
  const words = inlineOf(text);
  if (caption.length === 0 && url === "" && name === "" && type !== "meeting_notes") return words;
  // The address of a picture says nothing.
  const address = type === "image" ? "" : addressOf(url);
  const parts = [
    type === "meeting_notes" && words.length > 0 ? [{ type: "strong", children: words } as const] : words,
    ...linked(name === "" ? inlineOf(caption) : wordsFor(name), address),
    name === "" ? [] : inlineOf(caption),
  ];
  return parts
    .filter((part) => part.length > 0)
    .flatMap((part, at) => (at === 0 ? part : [...wordsFor(": "), ...part]));
}

/** A text as a link, or before the address if it cannot be one. */
function linked(text: readonly Inline[], address: string): readonly (readonly Inline[])[] {
  if (address === "") return [text];
  if (text.length > 0 && !text.some(({ type }) => type === "link") && !/[[\]]/.test(plainText(text)))
    return [[{ type: "link", address, children: text }]];
  return [text, [{ type: "link", address, children: wordsFor(address) }]];
}
