import { isFileName } from "../file-name.ts";
import { calloutLabel, isCallout } from "./callouts.ts";

/**
 * Hugo's shortcodes (gohugo.io, "Shortcodes") and the blocks of code of Jekyll, which stand outside of Markdown: they are
 * written as the Markdown that they come to, before it is parsed. Fences and code spans keep theirs. What a theme calls its
 * shortcodes is free; the names here are those of Docsy, kubernetes.io, Hugo's and Redis' documentation and of common themes.
 */

interface Tag {
  readonly at: number;
  readonly end: number;
  readonly name: string;
  readonly closing: boolean;
  readonly rest: string;
  /** Nothing else stands on its lines, and it closes or may be closed. */
  readonly alone: boolean;
}

/** Fences; code spans; shortcodes; Jekyll's blocks; what separates the tabs of Redis' documentation. */
const token =
  /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?<fence>`{3,}(?!`)|~{3,}(?!~))(?<info>[^\n]*)|`[^`\n]{1,500}`|\{\{[<%][ \t]*(?:(?<slash>\/)[ \t]*)?(?<inner>[^\s/*](?:(?!\{\{)[^]){0,800}?)[>%]\}\}|\{%-?[ \t]*(?<end>end)?(?<block>highlight|codeblock|raw)\b(?<options>[^%\n]{0,200})%\}|^[ \t]*(?<separator>-tab-sep-)[ \t]*$/gm;

/** Maximum number of tags looked at for the one that closes a block of code. */
const maxAhead = 40;

const codeNames =
  /^(?:highlight|codeblock|code(?:-?(?:toggle|block|snippet|tab))?|[\w-]+-example|example|redis-cli|prism|terminal|console|command)$/;
const calloutNames = /^(?:alert|admonition|callout|hint|notice|aside|panel)$/;
const titledNames = /^(?:details|steps?|accordion|accordion-item|collapse|collapsible|expand|card)$/;
const wordNames = /^(?:gloss|term|abbr|kbd|key|button|badge|link)/;

const jekyll = /\{%-? *(?:highlight|codeblock|raw)\b/;

/** The text with as many lines, and with Markdown in place of shortcodes; the same text where there are none. */
export function readShortcodes(source: string): string {
  if (!source.includes("{{<") && !source.includes("{{%") && !(source.includes("{%") && jekyll.test(source))) {
    return source;
  }
  const tags = findTags(source);
  const parts: string[] = [];
  let kept = 0;
  /** Labels of the tabs of a group that lists them, and whether what stands in tabs is code. */
  let labels: string[] = [];
  let isCode = false;
  const write = (tag: Tag, text: string): void => {
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
      const fence = fenceFor(source.slice(tag.end, close.at));
      if (fence !== "") {
        write(tag, fence + infoOf(tag));
        write(close, fence);
        continue;
      }
    }
    if (name === "multitabs" && !tag.closing) {
      labels = [...tag.rest.matchAll(/\btab\d+\s*=\s*"([^"]{1,60})"/g)].map(([, label = ""]) => label).toReversed();
      // Two lines, as a marker takes one.
      const isLong = source.slice(tag.at, tag.end).includes("\n");
      write(tag, isLong ? `{% tabs %}\n${tabMarker(labels.pop() ?? "")}` : "");
    } else if (name === "") write(tag, tabMarker(labels.pop() ?? ""));
    else write(tag, markdownOf(tag));
  }
  parts.push(source.slice(kept));
  return parts.join("");
}

function findTags(source: string): Tag[] {
  const tags: Tag[] = [];
  let open = "";
  // The line of the last tag: a line with many of them is looked through once.
  let lineStart = 0;
  let lineEnd = -1;
  for (const { index: at, 0: whole, groups = {} } of source.matchAll(token)) {
    const { fence, info = "", slash, inner, end, block, options = "", separator } = groups;
    const last = at + whole.length;
    if (fence !== undefined) {
      if (open === "") open = fence.startsWith("`") && info.includes("`") ? "" : fence;
      else if (fence[0] === open[0] && fence.length >= open.length && info.trim() === "") open = "";
      continue;
    }
    if (open !== "" || (inner === undefined && block === undefined && separator === undefined)) continue;
    if (at > lineEnd) lineStart = source.lastIndexOf("\n", at - 1) + 1;
    if (last > lineEnd) lineEnd = (source.indexOf("\n", last) + 1 || source.length + 1) - 1;
    const alone = /^[ \t>]*$/.test(source.slice(lineStart, at)) && source.slice(last, lineEnd).trim() === "";
    const [, name = "", rest = ""] = /^([\w./-]*)([^]*)/.exec((inner ?? `${block ?? ""}${options}`).trim()) ?? [];
    tags.push({ at, end: last, name, closing: slash === "/" || end !== undefined, rest, alone });
  }
  return tags;
}

/** The tag that closes the one at an index, if both have lines of their own. */
function closeOf(tags: readonly Tag[], index: number): Tag | undefined {
  const opening = tags[index];
  if (opening?.alone !== true || opening.rest.trimEnd().endsWith("/")) return undefined;
  const found = tags.slice(index + 1, index + maxAhead).find(({ name, closing }) => closing && name === opening.name);
  return found?.alone === true ? found : undefined;
}

/** A fence that is longer than any in the code; "" where that is in a fence already. */
function fenceFor(code: string): string {
  if (/^\s*(?:`{3,}|~{3,})/.test(code)) return "";
  return "`".repeat((code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2) + 1);
}

function infoOf({ name, rest }: Tag): string {
  const { lang, language, file = "", header = "" } = attributes(rest);
  const [first = "", second = ""] = words(rest);
  const label = header || first;
  const written =
    name === "tab" ? (lang ?? (second || label)) : (language ?? lang ?? (first || (defaults[name] ?? "")));
  const title = name === "tab" ? label : file;
  return written + (title !== "" && (name === "tab" || isFileName(title)) ? ` title="${title}"` : "");
}

/** Languages of the code in shortcodes that do not say it. */
const defaults: Readonly<Record<string, string>> = {
  "code-toggle": "toml",
  "redis-cli": "redis",
  "clients-example": "redis",
  command: "bash",
};

function markdownOf({ name, closing, rest, alone }: Tag): string {
  const said = attributes(rest);
  const [first = "", second = ""] = words(rest);
  if (/^tabs?$|^tabpane$|^tabs-?item$/.test(name)) {
    if (!alone) return "";
    if (name === "tabs" || name === "tabpane") return closing ? "{% endtabs %}" : "{% tabs %}";
    return closing
      ? "{% endtab %}"
      : tabMarker(said["name"] ?? said["header"] ?? said["title"] ?? said["label"] ?? first);
  }
  if (closing) return "";
  if (name === "ref" || name === "relref") return first;
  if (/^new-in$|^deprecated-in$/.test(name))
    return `**${name.startsWith("n") ? "New" : "Deprecated"} in ${first.replace(/\/$/, "")}:**`;
  const title = said["title"] ?? said["header"] ?? "";
  const behind = alone ? "" : " ";
  if (calloutNames.test(name)) {
    const given = [said["type"], said["color"], said["style"], first].find((word) => isCallout(word ?? ""));
    return calloutLabel(given ?? "note", title || second) + behind;
  }
  if (isCallout(name)) return calloutLabel(name, title || first) + behind;
  if (titledNames.test(name))
    return alone && (title || first) !== "" ? `**${(title || first).replaceAll("*", "")}**` : "";
  return said["text"] ?? (wordNames.test(name) ? first : "");
}

function tabMarker(label: string): string {
  return label === "" ? "" : `{% tab title="${label}" %}`;
}

const pair = /([\w-]{1,40})\s*=\s*(?:"([^"]{0,600})"|'([^']{0,600})'|([^\s"']{1,300}))/g;

function attributes(rest: string): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    [...rest.matchAll(pair)].map(([, key = "", double, single, bare]) => [key, double ?? single ?? bare]),
  );
}

/** What stands there without a name, at most two. */
function words(rest: string): string[] {
  const found = rest.replace(pair, " ").matchAll(/"([^"]{1,300})"|`([^`]{1,300})`|([^\s"`]{1,300})/g);
  return [...found]
    .slice(0, 3)
    .map(([, double, raw, bare]) => double ?? raw ?? bare ?? "")
    .filter((word) => word !== "/");
}
