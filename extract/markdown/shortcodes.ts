import { isFileName } from "../file-name.ts";
import { closesFence, fenceAround } from "./fences.ts";
import type { Shortcode } from "./shortcode-text.ts";
import type { ValueOf } from "./variables.ts";
import { addressOf, attributes, tabMarker, textOf, words } from "./shortcode-text.ts";

/**
 * Hugo's shortcodes (gohugo.io, "Shortcodes") and the blocks of code of Jekyll, which stand outside of Markdown: they are
 * replaced by Markdown before it is parsed. Those in fences and code spans stay. What a theme calls its
 * shortcodes is free; the names here are those of Docsy, kubernetes.io, Hugo's and Redis' documentation and of common themes.
 */

/** Fences; code spans; shortcodes; Jekyll's blocks; what separates the tabs of Redis' documentation. */
const token =
  /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?<fence>`{3,}(?!`)|~{3,}(?!~))(?<info>[^\n]*)|`[^`\n]{1,500}`|\{\{[<%]\s{0,20}(?:(?<slash>\/)\s{0,20})?(?<inner>[^\s/*](?:(?!\{\{)[^]){0,800}?)[>%]\}\}|\{%-?[ \t]*(?<end>end)?(?<block>highlight|codeblock|raw)\b(?<options>[^%\n]{0,200})%\}|^[ \t]*(?<separator>-tab-sep-)[ \t]*$/gm;

/** Maximum number of tags looked at for the one that closes a block of code. */
const maxAhead = 40;

const codeNames =
  /^(?:highlight|codeblock|code(?:-?(?:toggle|block|snippet|tab))?|[\w-]+-example|example|redis-cli|prism|terminal|console|command)$/;

const jekyll = /\{%-? *(?:highlight|codeblock|raw)\b/;

/** The text with as many lines, and with Markdown in place of shortcodes; the same text where there are none. */
export function readShortcodes(source: string, valueOf: ValueOf): string {
  if (!source.includes("{{<") && !source.includes("{{%") && !(source.includes("{%") && jekyll.test(source))) {
    return source;
  }
  const tags = findTags(source);
  const parts: string[] = [];
  let kept = 0;
  /** Labels of the tabs of a group that lists them, and whether what stands in tabs is code. */
  let labels: string[] = [];
  let isCode = false;
  const write = (tag: Shortcode, text: string): void => {
    const lines = source.slice(tag.at, tag.end).split("\n").length - text.split("\n").length;
    parts.push(source.slice(kept, tag.at), text, "\n".repeat(Math.max(0, lines)));
    kept = tag.end;
  };
  for (const [index, tag] of tags.entries()) {
    if (tag.at < kept) continue;
    const { name } = tag;
    if (name === "tabpane") isCode = !tag.closing && !/\btext\s*=\s*"?true/.test(tag.rest);
    const close =
      !tag.closing && (codeNames.test(name) || (isCode && name === "tab")) ? closeOf(tags, index) : undefined;
    if (close !== undefined) {
      const code = source.slice(tag.end, close.at);
      // In a fence already it stays there.
      if (!/^\s*(?:`{3,}|~{3,})/.test(code)) {
        const fence = fenceAround(code);
        write(tag, fence + infoOf(tag));
        write(close, fence);
        continue;
      }
    }
    const address = tag.closing ? "" : addressOf(tag);
    const next = tags[index + 1];
    if (next?.closing === true && next.name === name && /^[^\s()]{1,300}$/.test(address)) {
      const label = source.slice(tag.end, next.at).trim();
      if (label !== "" && label.length <= 200 && !/[[\]\n]/.test(label)) {
        write(tag, "[");
        write(next, `](${address})`);
        continue;
      }
    }
    if (name === "multitabs" && !tag.closing) {
      labels = [...tag.rest.matchAll(/\btab\d+\s*=\s*"([^"]{1,60})"/g)].map(([, label = ""]) => label).toReversed();
      // Two lines, as a marker takes one.
      const isLong = source.slice(tag.at, tag.end).includes("\n");
      write(tag, isLong ? `{% tabs %}\n${tabMarker(labels.pop() ?? "")}` : "");
    } else if (name === "") write(tag, tabMarker(labels.pop() ?? ""));
    else write(tag, textOf(tag, valueOf));
  }
  parts.push(source.slice(kept));
  return parts.join("");
}

function findTags(source: string): Shortcode[] {
  const tags: Shortcode[] = [];
  const closed = new Set<string>();
  let open = "";
  // The line of the last tag: a line with many of them is looked through once.
  let lineStart = 0;
  let lineEnd = -1;
  for (const { index: at, 0: whole, groups = {} } of source.matchAll(token)) {
    const { fence, info = "", slash, inner, end, block, options = "", separator } = groups;
    const last = at + whole.length;
    if (fence !== undefined) {
      if (open === "") open = fence.startsWith("`") && info.includes("`") ? "" : fence;
      else if (closesFence((fence + info).trim(), open)) open = "";
      continue;
    }
    if (open !== "" || (inner === undefined && block === undefined && separator === undefined)) continue;
    if (at > lineEnd) lineStart = source.lastIndexOf("\n", at - 1) + 1;
    if (last > lineEnd) lineEnd = (source.indexOf("\n", last) + 1 || source.length + 1) - 1;
    const leads = /^[ \t>]*$/.test(source.slice(lineStart, at));
    const alone = leads && source.slice(last, lineEnd).trim() === "";
    const [, name = "", rest = ""] = /^([\w./-]*)([^]*)/.exec((inner ?? `${block ?? ""}${options}`).trim()) ?? [];
    const closing = slash === "/" || end !== undefined;
    if (closing) closed.add(name);
    tags.push({ at, end: last, name, closing, rest, alone, leads, isPaired: false });
  }
  return tags.map((tag) => (closed.has(tag.name) ? { ...tag, isPaired: true } : tag));
}

/** The tag that closes the one at an index, if both have lines of their own. */
function closeOf(tags: readonly Shortcode[], index: number): Shortcode | undefined {
  const opening = tags[index];
  if (opening?.alone !== true || opening.rest.trimEnd().endsWith("/")) return undefined;
  const found = tags.slice(index + 1, index + maxAhead).find(({ name, closing }) => closing && name === opening.name);
  return found?.alone === true ? found : undefined;
}

function infoOf({ name, rest }: Shortcode): string {
  const { lang, language, file = "", header = "" } = attributes(rest);
  const [first = "", second = ""] = words(rest);
  const label = header || first;
  const written =
    name === "tab" ? (lang ?? (second || label)) : (language ?? lang ?? (first || (defaults[name] ?? "")));
  const title = name === "tab" ? label : file;
  return written + (title !== "" && (name === "tab" || isFileName(title)) ? ` title="${title}"` : "") + linesIn(rest);
}

/** `hl_lines=8 15-17,linenostart=199` of Hugo, which may stand in one pair of quotes; `mark_lines="1 2"` of Jekyll. */
function linesIn(rest: string): string {
  if (!rest.includes("line")) return "";
  const marked = /\b(?:hl_lines|mark_lines)\s?=\s?(?:["']?\[([^\]]{1,200})\]|["']?([\d \t-]{1,200}))/.exec(rest);
  const start = /\blinenostart\s?=\s?["']?(\d{1,6})/.exec(rest)?.[1];
  const lines = (marked?.[1] ?? marked?.[2] ?? "").replace(/[^\d\s,-]/g, "").trim();
  return (lines === "" ? "" : ` hl_lines="${lines}"`) + (start === undefined ? "" : ` linenostart="${start}"`);
}

/** Languages of the code in shortcodes that do not say it. */
const defaults: Readonly<Record<string, string>> = {
  "code-toggle": "toml",
  "redis-cli": "redis",
  "clients-example": "redis",
  command: "bash",
};
