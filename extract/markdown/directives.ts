import { calloutLabel, isCallout } from "./callouts.ts";
import { readOptions } from "./directive-options.ts";
import { closesFence } from "./fences.ts";
import { isLanguage } from "../language.ts";

/**
 * Directives of MyST (myst-parser, "Roles and directives"), which look like fences. Those with prose become containers of `markers.ts`
 * with the same number of lines. So do the callouts of mdbook-admonish and Obsidian's Admonition, fences without braces. Comments, targets
 * and block breaks of MyST are removed.
 */

/** The opening line of a fence or of a directive. */
const opening = /^([ \t]*)(`{3,}(?!`)|~{3,}(?!~)|:{3,}(?!:))(.*)$/;

const directive = /^\{([\w:+.-]{1,40})\}/;

const callout = /^(?:admonish(?:[ \t]{1,5}([a-z]{1,20})(?=[ \t]|$))?|ad-([a-z]{1,20})(?=[ \t]|$))([^`]*)$/;

/** Directives whose content is a section with the argument as its title. */
const titled = /^(?:dropdown|card|grid-item-card|details|topic|sidebar|rubric|step)$/;

const tabs = /^(?:tab|tab-item|group-tab)$/;
const tabSets = /^(?:tab-set|tabs)$/;

/** Directives whose content is prose. */
const prose =
  /^(?:versionadded|versionchanged|deprecated|versionremoved|grid|grid-item|container|div|margin|aside|epigraph|highlights|pull-quote|compound|panels|figure|figure-md|only|hlist|centered|table|list-table|glossary|line-block|exercise|solution|example|prf:[a-z]+|proof|theorem|lemma|definition|card-carousel|button-link|button-ref)$/;

/** Members of an API, `{py:function} name(arguments)`. */
const member =
  /^(?:(?:py|js|c|cpp|rst):(?!module|currentmodule|namespace)[a-z]+|function|class|method|attribute|data|exception|confval|option|envvar)$/;

const codes =
  /^(?:code|code-block|code-cell|sourcecode|literalinclude|include|parsed-literal|mermaid|graphviz|plantuml|eval-rst|tikz|testcode|testoutput|doctest|jupyter-execute|csv-table|prompt)$/;

/** Directives whose content is for generators only. */
const dropped =
  /^(?:toctree|contents|tableofcontents|index|raw|raw-cell|sectionauthor|codeauthor|currentmodule|module|(?:py|js):(?:current)?module|bibliography|auto[a-z]+|target-notes|tabularcolumns|sectnum|title|meta|role|default-role|highlight|iframe|video|youtube|postlist|todolist|list-figures|myst-config)$/;

/** What stands on its own lines only for MyST: comments, targets, block breaks. */
const silent = /^(?:%(?!\S{0,3}%).*|\([^\s()]{1,100}\)=[ \t]*|\+\+\+(?:[ \t].*)?)$/;
const mayHave =
  /^[ \t]*(?:(?:`{3,}|~{3,}|:{3,})\{[\w:-]|(?:`{3,}|~{3,})[ \t]{0,5}a(?:d-|dmonish))|^\([^\s()]{1,100}\)=/m;
const isMyst = /^[ \t]*(?:`{3,}|~{3,}|:{3,})\{[a-z]|^\([^\s()]{1,100}\)=|(?<![\w:`])\{[a-z][\w:+-]{1,30}\}`[^`\n]/m;

interface Open {
  readonly marker: string;
  /** Code keeps its lines, and markers in it are ignored. */
  readonly holds: "code" | "prose" | "terms" | "nothing";
  /** The line in place of the one that closes it; by default that line. */
  readonly closing?: string;
}

/** The container for a directive, as the line of `markers.ts` that opens it without colons; what else it becomes. */
type Replacement = { readonly container: string; readonly holds?: "terms" } | "code" | "nothing" | "formula";

/** Replaces directives by Markdown with the same number of lines; returns a text without directives unchanged. */
export function readDirectives(source: string): string {
  if (!mayHave.test(source)) return source;
  const hasSilent = isMyst.test(source);
  // Lines keep their ends, and with them their numbers.
  const parts = source.split(/(\r\n?|\n)/);
  const lines = parts.filter((_, at) => at % 2 === 0);
  const stack: Open[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const open = stack.at(-1);
    if (open !== undefined && closesFence(line.trim(), open.marker)) {
      stack.pop();
      lines[at] = open.closing ?? line;
      continue;
    }
    if (open?.holds === "code") continue;
    if (open?.holds === "nothing" || (hasSilent && silent.test(line))) {
      lines[at] = "";
      continue;
    }
    if (open?.holds === "terms") lines[at] = asDescription(line, lines[at - 1] ?? "");
    const [, indent = "", marker = "", info = ""] = opening.exec(line) ?? [];
    const [written = "", name] = directive.exec(info) ?? [];
    const isColons = marker.startsWith(":");
    if (marker === "" || (!isColons && info.includes("`")) || (name === undefined && isColons)) continue;
    const options = readOptions(lines, at + 1);
    const argument = info.slice(written.length).trim();
    const replaced =
      name === undefined ? fencedCallout(info.trim()) : replacementOf(name, argument, options.values, isColons);
    if (typeof replaced === "string" && replaced !== "formula") {
      stack.push({ marker, holds: replaced, ...(replaced === "nothing" && { closing: "" }) });
      if (replaced === "nothing") lines[at] = "";
      continue;
    }
    for (let option = at; option < options.end; option++) lines[option] = "";
    if (replaced === "formula") {
      lines[options.end - 1] = `${indent}$$`;
      stack.push({ marker, holds: "code", closing: `${indent}$$` });
    } else {
      // Containers within are closed by fewer colons.
      const colons = ":".repeat(Math.max(4, 60 - stack.length));
      lines[at] = `${indent}${colons}${replaced.container}`;
      stack.push({ marker, holds: replaced.holds ?? "prose", closing: `${indent}${colons}` });
    }
    at = options.end - 1;
  }
  return parts.map((part, at) => (at % 2 === 0 ? (lines[at / 2] ?? "") : part)).join("");
}

/** The container of a callout that is written as a fence; code for any other fence. */
function fencedCallout(info: string): Replacement {
  const [whole, kind, other, rest = ""] = callout.exec(info) ?? [];
  if (whole === undefined) return "code";
  const type = kind ?? other ?? "note";
  const title = /"([^"\n]{0,200})"/.exec(rest.replace(/\b(?:id|class)="[^"]*"/g, ""))?.[1] ?? "";
  return { container: `${isCallout(type) ? type : "note"}[${title}]` };
}

/** What a directive becomes. */
function replacementOf(
  name: string,
  argument: string,
  options: ReadonlyMap<string, string>,
  isColons: boolean,
): Replacement {
  const kind = name === "admonition" ? (options.get("class")?.split(/\s+/).find(isCallout) ?? "note") : name;
  if (calloutLabel(kind, "") !== "" && isCallout(kind)) return { container: `${kind}[${argument}]` };
  if (titled.test(name)) return { container: `details[${argument}]` };
  if (member.test(name)) return { container: `member[${argument}]` };
  if (tabSets.test(name)) return { container: "tabs" };
  if (tabs.test(name)) return { container: `tab[${argument}]` };
  if (name === "math") return "formula";
  if (dropped.test(name) || name === "image") return "nothing";
  if (codes.test(name)) return "code";
  if (name === "list-table")
    return { container: `list-table[${argument}]{header="${options.get("header-rows") ?? ""}"}` };
  if (name === "glossary") return { container: "div", holds: "terms" };
  if (!prose.test(name) && (!isColons || isLanguage(name))) return "code";
  // The argument of a container is a title unless it is a path.
  const isTitle = /^[^/[\]<>{}]{1,100}$/.test(argument) && /\p{L}/u.test(argument) && !/\.\w{1,5}$/.test(argument);
  return {
    container: `${/^[a-z][\w-]*$/i.test(name) ? name : "div"}${isTitle || /^(?:version|deprecated)/.test(name) ? `[${argument}]` : ""}`,
  };
}

/** A line of a glossary: an indented one below a term begins its description. */
function asDescription(line: string, before: string): string {
  return /^[ \t]{2}/.test(line) && /^\S/.test(before) && !before.startsWith(":") ? `: ${line.trimStart()}` : line;
}
