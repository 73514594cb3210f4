import { isFileName } from "../file-name.ts";
import { closesFence, fenceAround } from "./fences.ts";
import type { ValueOf } from "./variables.ts";
import { calloutLabel, isCallout } from "./callouts.ts";
import type { Attributes } from "./attributes.ts";

/** A shortcode's tag. */
interface Shortcode {
  readonly at: number;
  readonly end: number;
  readonly name: string;
  readonly closing: boolean;
  readonly rest: string;
  /** It is alone on its lines. */
  readonly alone: boolean;
  /** It is the first on its line. */
  readonly leads: boolean;
  /** Its page has a closing tag of the same name. */
  readonly isPaired: boolean;
}

const calloutNames = /^(?:alert|admonition|callout|hint|notice|aside|panel)$/;
const titledNames =
  /^(?:details|steps?|accordion|accordion-item|collapse|collapsible|collapsed|expand|expandable|card|cards\/card|spoiler|toggle|dropdown)$/;
const wordNames = /^(?:gloss|term|abbr|kbd|key|button|btn|badge|link|tooltip|hover|req|label|tag|pill)/;
const variableNames =
  /^(?:param|params|var|vars|variable|site-?param|page-?param|get-?param|conref|const|constant|skew|version|config)$/;
const linkNames = /^(?:button|btn|link|a|card|cards\/card|linkcard|link-card|feature|tile)$/;
/** Shortcodes for pictures, or without visible text. */
const silentNames =
  /^(?:br|hr|clear|toc|icon|icons|fa\w?|anchor|a?id|image|img|picture|svg|video|youtube|vimeo|gist|tweet|x|instagram|asciinema|comment|qr|mermaid|include|readfile|highlight|raw|end\w*|.*[-_./](?:image|img|icon|video|include|start|end|open|close|begin))$/i;
/** Headings of kubernetes.io. */
const headings: ReadonlyMap<string, string> = new Map([
  ["prerequisites", "Before you begin"],
  ["whatsnext", "What's next"],
  ["cleanup", "Clean up"],
  ["seealso", "See also"],
]);

/** The Markdown that replaces a shortcode without code. `valueOf` finds the values of names in the front matter. */
function textOf(tag: Shortcode, valueOf: ValueOf): string {
  const { name, closing, rest, alone, leads } = tag;
  const named = attributes(rest);
  const [first = "", second = ""] = words(rest);
  if (/^tabs?$|^tabpane$|^tabs-?item$/.test(name)) {
    if (name === "tabs" || name === "tabpane") return !alone ? "" : closing ? "{% endtabs %}" : "{% tabs %}";
    if (closing) return "{% endtab %}";
    const label = named["name"] ?? named["header"] ?? named["title"] ?? named["label"] ?? first;
    return leads && named["disabled"] !== "true" ? tabMarker(label) : "";
  }
  const address = addressOf(tag);
  if (closing) return "";
  if (name === "ref" || name === "relref") return named["path"] ?? first;
  if (/^new-in$|^deprecated-in$/.test(name))
    return `**${name.startsWith("n") ? "New" : "Deprecated"} in ${first.replace(/\/$/, "")}:**`;
  if (name === "feature-state") return featureState(named);
  if (name === "heading") return headings.get(first) ?? first.charAt(0).toUpperCase() + first.slice(1);
  if (variableNames.test(name)) {
    const variable = named["name"] ?? named["key"] ?? (first || name);
    return valueOf(variable) ?? variable;
  }
  if (/^filetree\/(?:folder|file)$/.test(name)) return `- ${named["name"] ?? first}${name.endsWith("r") ? "/" : ""}`;
  const title = named["title"] ?? named["header"] ?? named["summary"] ?? "";
  const gap = alone ? "" : " ";
  if (calloutNames.test(name)) {
    const kind = [named["type"], named["color"], named["style"], first].find((word) => isCallout(word ?? ""));
    return calloutLabel(kind ?? "note", title || second) + gap;
  }
  if (isCallout(name)) return calloutLabel(name, title || first) + gap;
  if (name === "figure") return named["caption"] ?? title;
  if (address !== "") return linkTo(address, title || (named["text"] ?? ""), named["subtitle"]);
  if (titledNames.test(name)) {
    const label = title || (named["name"] ?? named["label"] ?? first);
    return leads && label !== "" ? `**${label.replaceAll("*", "")}**${gap}` : "";
  }
  return wordsOf(tag, named, first, second, valueOf);
}

/** The address of a shortcode that is a link; "" for any other. */
function addressOf({ name, rest }: Shortcode): string {
  if (!linkNames.test(name)) return "";
  const { href, relref, ref, link, url } = attributes(rest);
  return href ?? relref ?? ref ?? link ?? url ?? "";
}

function linkTo(address: string, label: string, subtitle = ""): string {
  const shown = label.replace(/[*[\]]/g, "");
  if (shown === "" || !/^[^\s()]{1,300}$/.test(address)) return shown;
  return `[${shown}](${address})${subtitle === "" ? "" : `: ${subtitle}`}`;
}

/** The words for a shortcode within a sentence, which would have a gap without them. */
function wordsOf(
  { name, alone, isPaired }: Shortcode,
  named: Attributes,
  first: string,
  second: string,
  valueOf: ValueOf,
): string {
  const text = named["text"] ?? named["label"];
  if (text !== undefined) return text;
  if (wordNames.test(name))
    return (
      (/^(?:button|btn|link)$/.test(name) && second !== "" ? second : first) ||
      ((alone ? undefined : named["term_id"]) ?? named["term"] ?? "")
    );
  if (alone || isPaired || silentNames.test(name)) return "";
  const shown = named["title"] ?? named["name"] ?? named["term"] ?? named["page"];
  return shown ?? (first || (valueOf(name) ?? name));
}

/** A feature state in the words of kubernetes.io. */
function featureState(named: Attributes): string {
  const version = named["for_k8s_version"];
  const state = named["state"] === undefined ? "" : ` [${named["state"]}]`;
  const gate = named["feature_gate_name"];
  const shown =
    version === undefined ? (gate === undefined ? "" : `feature gate \`${gate}\``) : `Kubernetes ${version}`;
  return shown + state === "" ? "" : `**Feature state:** ${shown}${state}`;
}

/** The marker of a tab, as `createTabs` reads it. */
function tabMarker(label: string): string {
  return label === "" ? "" : `{% tab title="${label}" %}`;
}

const pair = /([\w-]{1,40})\s*=\s*(?:"([^"]{0,600})"|'([^']{0,600})'|([^\s"']{1,300}))/g;

/** The named parameters. */
function attributes(rest: string): Attributes {
  return Object.fromEntries(
    [...rest.matchAll(pair)].map(([, key = "", double, single, bare]) => [key, double ?? single ?? bare]),
  );
}

/** The positional parameters, at most three. */
function words(rest: string): string[] {
  return [...rest.replace(pair, " ").matchAll(/"([^"]{1,300})"|`([^`]{1,300})`|([^\s"`]{1,300})/g)]
    .slice(0, 3)
    .map(([, double, raw, bare]) => double ?? raw ?? bare ?? "")
    .filter((word) => word !== "/");
}

/** Fences; code spans; shortcodes; Jekyll's blocks; the separator of tabs in Redis' documentation. */
const token =
  /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?<fence>`{3,}(?!`)|~{3,}(?!~))(?<info>[^\n]*)|`[^`\n]{1,500}`|\{\{[<%]\s{0,20}(?:(?<slash>\/)\s{0,20})?(?<inner>[^\s/*](?:(?!\{\{)[^]){0,800}?)[>%]\}\}|\{%-?[ \t]*(?<end>end)?(?<block>highlight|codeblock|raw)\b(?<options>[^%\n]{0,200})%\}|^[ \t]*(?<separator>-tab-sep-)[ \t]*$/gm;

/** Maximum number of tags searched for the one that closes a block of code. */
const maxAhead = 40;

const codeNames =
  /^(?:highlight|codeblock|code(?:-?(?:toggle|block|snippet|tab))?|[\w-]+-example|example|redis-cli|prism|terminal|console|command)$/;

const jekyll = /\{%-? *(?:highlight|codeblock|raw)\b/;

/**
 * Replaces Hugo's shortcodes (gohugo.io, "Shortcodes") and Jekyll's blocks of code by Markdown with the same number of lines,
 * except in fences and code spans. Themes choose the names of shortcodes; those known here are of Docsy, kubernetes.io, the
 * documentation of Hugo and Redis, and common themes.
 */
export function readShortcodes(source: string, valueOf: ValueOf): string {
  if (!source.includes("{{<") && !source.includes("{{%") && !(source.includes("{%") && jekyll.test(source))) {
    return source;
  }
  const tags = findTags(source);
  const parts: string[] = [];
  let kept = 0;
  /** Labels of the tabs in a group that lists them, and whether tabs hold code. */
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
      // Code in a fence stays as it is.
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
      // The two markers need a line each.
      const isLong = source.slice(tag.at, tag.end).includes("\n");
      write(tag, isLong ? `{% tabs %}\n${tabMarker(labels.pop() ?? "")}` : "");
    } else if (name === "multitabs") write(tag, "{% endtabs %}");
    else if (name === "") write(tag, tabMarker(labels.pop() ?? ""));
    else write(tag, textOf(tag, valueOf));
  }
  parts.push(source.slice(kept));
  return parts.join("");
}

function findTags(source: string): Shortcode[] {
  const tags: Shortcode[] = [];
  const closed = new Set<string>();
  let open = "";
  // The line of the last tag, to search a line with many tags only once.
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
  const next = tags.slice(index + 1, index + maxAhead).find(({ name, closing }) => closing && name === opening.name);
  return next?.alone === true ? next : undefined;
}

function infoOf({ name, rest }: Shortcode): string {
  const { lang, language, file = "", header = "" } = attributes(rest);
  const [first = "", second = ""] = words(rest);
  const label = header || first;
  const shownLanguage =
    name === "tab" ? (lang ?? (second || label)) : (language ?? lang ?? (first || (defaults.get(name) ?? "")));
  const title = name === "tab" ? label : file;
  return (
    shownLanguage + (title !== "" && (name === "tab" || isFileName(title)) ? ` title="${title}"` : "") + linesIn(rest)
  );
}

/** `hl_lines=8 15-17,linenostart=199` of Hugo, with or without quotes; `mark_lines="1 2"` of Jekyll. */
function linesIn(rest: string): string {
  if (!rest.includes("line")) return "";
  const marked = /\b(?:hl_lines|mark_lines)\s?=\s?(?:["']?\[([^\]]{1,200})\]|["']?([\d \t-]{1,200}))/.exec(rest);
  const start = /\blinenostart\s?=\s?["']?(\d{1,6})/.exec(rest)?.[1];
  const lines = (marked?.[1] ?? marked?.[2] ?? "").replace(/[^\d\s,-]/g, "").trim();
  return (lines === "" ? "" : ` hl_lines="${lines}"`) + (start === undefined ? "" : ` linenostart="${start}"`);
}

/** Default languages of shortcodes with code. */
const defaults: ReadonlyMap<string, string> = new Map([
  ["code-toggle", "toml"],
  ["redis-cli", "redis"],
  ["clients-example", "redis"],
  ["command", "bash"],
]);
