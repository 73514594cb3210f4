import type { StateBlock } from "markdown-it";
import { isMyst, lineStart, pushContainer, unfinishedIn, type BlockRule, type Container } from "./block-state.ts";
import { isLanguage } from "../language.ts";
import { calloutLabel, isCallout } from "./callouts.ts";
import { maxOptionLines, readOptions } from "./directive-options.ts";
import { closesFence } from "./fences.ts";

/**
 * Directives of MyST (myst-parser, "Roles and directives"), which look like fences. Those with prose are containers with a label. So are
 * the callouts of mdbook-admonish and Obsidian's Admonition, fences without braces.
 */

/** The opening line of a fence or of a directive. */
const opening = /^(`{3,}(?!`)|~{3,}(?!~)|:{3,}(?!:))(.*)$/;

const directive = /^\{([\w:+.-]{1,40})\}/;

/** The info string of a callout that is written as a fence (mdBook's admonish, Obsidian's Admonition). */
const fenced = /^(?:admonish(?:[ \t]{1,5}([a-z]{1,20})(?=[ \t]|$))?|ad-([a-z]{1,20})(?=[ \t]|$))([^`]*)$/;

/** Directives whose argument is a title. */
const titled = /^(?:dropdown|card|grid-item-card|details|topic|sidebar|rubric|step|table|centered)$/;

/** Directives with prose, whose argument is a title unless it is a path. */
const prose = /^(?:exercise|solution|prf:[a-z]+|proof|theorem|lemma|definition|button-link|button-ref|figure-md)$/;

const versions: ReadonlyMap<string, string> = new Map([
  ["versionadded", "New in"],
  ["versionchanged", "Changed in"],
  ["versionremoved", "Removed in"],
  ["deprecated", "Deprecated since"],
]);

const plain =
  /^(?:grid|grid-item|container|div|margin|epigraph|highlights|pull-quote|compound|panels|figure|only|hlist|line-block|card-carousel)$/;

/** Members of an API, `{py:function} name(arguments)`. */
const member =
  /^(?:(?:py|js|c|cpp|rst):(?!module|currentmodule|namespace)[a-z]+|function|class|method|attribute|data|exception|confval|option|envvar)$/;

/** Directives whose content is code, or reStructuredText. */
const codes =
  /^(?:code|code-block|code-cell|sourcecode|literalinclude|include|parsed-literal|mermaid|graphviz|plantuml|eval-rst|tikz|testcode|testoutput|doctest|jupyter-execute|csv-table|prompt|(?:py:)?(?:auto[a-z]+|(?:current)?module))$/;

/** Directives whose content is for generators only. */
const dropped =
  /^(?:toctree|contents|tableofcontents|index|image|raw|raw-cell|sectionauthor|codeauthor|js:module|bibliography|target-notes|tabularcolumns|sectnum|title|meta|role|default-role|highlight|iframe|video|youtube|postlist|todolist|list-figures|myst-config)$/;

/** Number of directives without an end on a page, which hold nothing, after which no others are read: that keeps the cost linear. */
const maxUnclosed = 50;

/** A block rule for directives, but for those with code between backticks or tildes, which are fences. */
export const directiveBlock: BlockRule = (state, startLine, endLine, silent) => {
  const indent = state.sCount[startLine] ?? 0;
  if (indent - state.blkIndent >= 4) return false;
  const { marker, info } = openingOf(state, startLine);
  const content = marker === "" ? undefined : contentOf(marker, info);
  const unfinished = unfinishedIn(state.env);
  const { directives = 0 } = unfinished;
  if (content === undefined || content === "fence" || directives > maxUnclosed) return false;
  if (silent) return true;
  const close = closingLine(state, startLine, endLine);
  const end = close < 0 ? startLine + 1 : close;
  if (close < 0) unfinished.directives = directives + 1;
  const linesTo = (from: number, to: number): string => state.getLines(from, to, indent, true);
  const options = readOptions(linesTo(startLine + 1, Math.min(end, startLine + 1 + maxOptionLines)).split("\n"), 0);
  const from = Math.min(end, startLine + 1 + options.end);
  const around: readonly [number, number, number] = [startLine, from, end];
  const parentIndent = Math.min(indent, state.blkIndent);
  if (content === "code" || content === "formula") {
    const token = state.push(content === "code" ? "fence" : content, "", 0);
    token.info = info;
    token.content = content === "code" ? linesTo(startLine + 1, end) : `$$\n${linesTo(from, end).trim()}\n$$`;
    token.map = [startLine, close < 0 ? end : close + 1];
    state.line = end;
  } else if (content === "nothing") state.line = end;
  else if (content === "terms") pushTerms(state, around);
  else
    pushContainer(
      state,
      { ...content(options.values), info: "", parentType: "blockquote", indent: parentIndent },
      around,
    );
  // A line with less indentation ends the content before.
  if (close >= 0 && state.line >= close) state.line = close + 1;
  return true;
};

/** A block rule for what stands on its own lines only for MyST: comments, targets, block breaks. */
export const mystLine: BlockRule = (state, startLine, _endLine, silent) => {
  const start = lineStart(state, startLine);
  if (!"%(+".includes(state.src[start] ?? " ") || !isMyst(state)) return false;
  if (!unshown.test(state.src.slice(start, state.eMarks[startLine]))) return false;
  if (!silent) state.line = startLine + 1;
  return true;
};

const unshown = /^(?:%(?!\S{0,3}%).*|\([^\s()]{1,100}\)=[ \t]*|\+\+\+(?:[ \t].*)?)$/;

/** The terms of a glossary, each with its indented description. */
function pushTerms(state: StateBlock, [startLine, from, end]: readonly [number, number, number]): void {
  const indent = state.sCount[startLine] ?? 0;
  const isDeeper = (at: number): boolean => state.isEmpty(at) || (state.sCount[at] ?? 0) > indent;
  for (let line = from; line < end;) {
    let last = line + 1;
    if (!isDeeper(line)) {
      while (last < end && !isDeeper(last)) last++;
      state.push("paragraph_open", "p", 1).map = [line, last];
      const token = state.push("inline", "", 0);
      token.map = [line, last];
      token.content = state.getLines(line, last, indent, false).trim();
      token.children = [];
      state.push("paragraph_close", "p", -1);
    } else if (!state.isEmpty(line)) {
      while (last < end && isDeeper(last)) last++;
      const container: Container = { type: "definition", info: "", parentType: "blockquote", indent: indent + 1 };
      pushContainer(state, container, [line, line, last]);
    }
    line = last;
  }
  state.line = end;
}

function openingOf(state: StateBlock, line: number): { readonly marker: string; readonly info: string } {
  const start = lineStart(state, line);
  if (!"`~:".includes(state.src[start] ?? " ")) return { marker: "", info: "" };
  const [, marker = "", info = ""] = opening.exec(state.src.slice(start, state.eMarks[line])) ?? [];
  return info.includes("`") && !marker.startsWith(":") ? { marker: "", info: "" } : { marker, info };
}

/** The line that closes a directive, after those in it; -1 without one. */
function closingLine(state: StateBlock, startLine: number, endLine: number): number {
  const open: { readonly marker: string; readonly isCode: boolean }[] = [];
  for (let line = startLine; line < endLine; line++) {
    const last = open.at(-1);
    if (
      last !== undefined &&
      closesFence(state.src.slice(lineStart(state, line), state.eMarks[line]).trim(), last.marker)
    ) {
      open.pop();
      if (open.length === 0) return line;
    } else if (last?.isCode !== true) {
      const { marker, info } = openingOf(state, line);
      const held = marker === "" ? undefined : contentOf(marker, info);
      if (held !== undefined)
        open.push({ marker, isCode: last !== undefined && (held === "fence" || held === "code") });
    }
  }
  return -1;
}

/** A container of blocks, by its token, with its title or label. */
type Held = Pick<Container, "type" | "label" | "header">;

/** A container by the options of its directive, or what else a directive holds. */
type Content = ((options: ReadonlyMap<string, string>) => Held) | "nothing" | "code" | "fence" | "formula" | "terms";

/** What a fence or directive holds; undefined for a line of colons that is none. */
function contentOf(marker: string, info: string): Content | undefined {
  const hasColons = marker.startsWith(":");
  const [written = "", name] = directive.exec(info) ?? [];
  if (name === undefined) return hasColons ? undefined : (fencedCallout(info.trim()) ?? "fence");
  const argument = info.slice(written.length).trim();
  if (name === "math") return "formula";
  if (name === "glossary") return "terms";
  if (dropped.test(name)) return "nothing";
  const code = hasColons ? "code" : "fence";
  if (codes.test(name)) return code;
  const version = versions.get(name);
  if (version !== undefined) return labelled(`**${version} ${argument}:**`);
  if (name === "admonition")
    return (options) => callout(options.get("class")?.split(/\s+/).find(isCallout) ?? "note", argument);
  if (isCallout(name)) return () => callout(name, argument);
  if (/^(?:group-)?tab(?:-item|-set|s)?$/.test(name))
    return () => ({ type: name.endsWith("s") || name.endsWith("set") ? "tabs" : "tab", label: argument });
  if (name === "list-table")
    return (options) => ({ type: "list_table", label: argument, header: options.get("header-rows") ?? "" });
  if (member.test(name)) return () => ({ type: "section", label: argument });
  if (titled.test(name)) return () => ({ type: "titled", label: argument });
  if (plain.test(name)) return labelled("");
  if (!prose.test(name) && (!hasColons || isLanguage(name))) return code;
  // The argument of an unknown directive of colons, which holds prose, is a title unless it is a path.
  const isTitle = /^[^/[\]<>{}]{1,100}$/.test(argument) && /\p{L}/u.test(argument) && !/\.\w{1,5}$/.test(argument);
  return () => ({ type: "titled", label: isTitle ? argument : "" });
}

function callout(kind: string, title: string): Held {
  return { type: "directive", label: calloutLabel(kind, title) };
}

function labelled(label: string): () => Held {
  return () => ({ type: "directive", label });
}

/** A callout that is written as a fence; undefined for any other fence. */
function fencedCallout(info: string): Content | undefined {
  const [whole, kind, other, rest = ""] = fenced.exec(info) ?? [];
  if (whole === undefined) return undefined;
  const type = kind ?? other ?? "note";
  const title = /"([^"\n]{0,200})"/.exec(rest.replace(/\b(?:id|class)="[^"]*"/g, ""))?.[1] ?? "";
  return () => callout(isCallout(type) ? type : "note", title);
}
