import type { StateBlock } from "markdown-it";
import { lineStart, pushContainer, unfinishedIn, type BlockRule, type Container } from "./block-state.ts";
import { calloutLabel, isCallout } from "./callouts.ts";
import { closesFence } from "./fences.ts";

/**
 * Directives of MyST (myst-parser, "Roles and directives"), which look like fences. Those with prose are containers with a label. So are
 * the callouts of mdbook-admonish and Obsidian's Admonition, fences without braces.
 */

/** The opening line of a fence or of a directive. */
const opening = /^(`{3,}(?!`)|~{3,}(?!~)|:{3,}(?!:))(.*)$/;

const directive = /^\{([\w:-]{1,40})\}/;

const callout = /^(?:admonish(?:[ \t]{1,5}([a-z]{1,20})(?=[ \t]|$))?|ad-([a-z]{1,20})(?=[ \t]|$))([^`]*)$/;

const option = /^[ \t]*:[\w-]{1,40}:(?:[ \t].*)?$/;

const callouts = /^(?:note|tip|hint|important|warning|caution|attention|danger|error|seealso|admonition)$/;

/** Directives whose argument is a title. */
const titled = /^(?:dropdown|card|grid-item-card|details|topic|sidebar)$/;

const versions: ReadonlyMap<string, string> = new Map([
  ["versionadded", "New in"],
  ["versionchanged", "Changed in"],
  ["deprecated", "Deprecated since"],
]);

const plain = /^(?:grid|grid-item|container|div|margin|epigraph|panels|figure|only)$/;

const codes =
  /^(?:code|code-block|code-cell|sourcecode|literalinclude|include|parsed-literal|math|mermaid|graphviz|plantuml|eval-rst|tikz)$/;

/** Directives whose content is for generators only. */
const dropped = /^(?:toctree|contents|tableofcontents|index|image|raw|sectionauthor|currentmodule|bibliography)$/;

/** Number of directives without an end on a page, which hold nothing, after which no others are read: that keeps the cost linear. */
const maxUnclosed = 50;

/** A block rule for directives, but for those with code between backticks or tildes, which are fences. */
export const directiveBlock: BlockRule = (state, startLine, endLine, silent) => {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const { marker, info } = openingOf(state, startLine);
  const held = marker === "" ? undefined : contentOf(marker, info);
  const unfinished = unfinishedIn(state.env);
  const { directives = 0 } = unfinished;
  if (held === undefined || held === "fence" || directives > maxUnclosed) return false;
  if (silent) return true;
  let from = startLine + 1;
  const close = closingLine(state, startLine, endLine);
  const end = close < 0 ? from : close;
  if (close < 0) unfinished.directives = directives + 1;
  if (held === "code") {
    const token = state.push("fence", "code", 0);
    token.info = info;
    token.content = state.getLines(from, end, state.sCount[startLine] ?? 0, true);
    token.map = [startLine, close < 0 ? from : close + 1];
  }
  while (from < end && option.test(state.src.slice(state.bMarks[from], state.eMarks[from]))) from++;
  if (typeof held === "string") state.line = end;
  else {
    const indent = Math.min(state.sCount[startLine] ?? 0, state.blkIndent);
    pushContainer(state, { ...held, info: "", parentType: "blockquote", indent }, [startLine, from, end]);
  }
  // A line with less indentation ends the content before.
  if (close >= 0 && state.line >= close) state.line = close + 1;
  return true;
};

function openingOf(state: StateBlock, line: number): { readonly marker: string; readonly info: string } {
  const start = lineStart(state, line);
  if (!"`~:".includes(state.src[start] ?? " ")) return { marker: "", info: "" };
  const [, marker = "", info = ""] = opening.exec(state.src.slice(start, state.eMarks[line])) ?? [];
  return info.includes("`") ? { marker: "", info: "" } : { marker, info };
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
type Held = Pick<Container, "type" | "label">;

/** What a fence or directive holds; undefined for a line of colons that is none. */
function contentOf(marker: string, info: string): Held | "nothing" | "code" | "fence" | undefined {
  const hasColons = marker.startsWith(":");
  const [written = "", name] = directive.exec(info) ?? [];
  if (name === undefined) return hasColons ? undefined : (fencedCallout(info.trim()) ?? "fence");
  const argument = info.slice(written.length).trim();
  if (dropped.test(name)) return "nothing";
  const code = hasColons ? "code" : "fence";
  if (codes.test(name)) return code;
  if (callouts.test(name)) return labelled(calloutLabel(name === "admonition" ? "note" : name, argument));
  const version = versions.get(name);
  if (version !== undefined) return labelled(`**${version} ${argument}:**`);
  if (/^tab(?:-item|-set|s)?$/.test(name))
    return { type: name.endsWith("s") || name.endsWith("set") ? "tabs" : "tab", label: argument };
  if (titled.test(name)) return { type: "titled", label: argument };
  if (plain.test(name)) return labelled("");
  if (!hasColons) return code;
  // An unknown directive of colons holds prose, and its argument is a title unless it is a path.
  const isTitle = /^[^/[\]<>{}]{1,100}$/.test(argument) && /\p{L}/u.test(argument) && !/\.\w{1,5}$/.test(argument);
  return { type: "titled", label: isTitle ? argument : "" };
}

function labelled(label: string): Held {
  return { type: "directive", label };
}

/** A callout that is written as a fence; undefined for any other fence. */
function fencedCallout(info: string): Held | undefined {
  const [whole, kind, other, rest = ""] = callout.exec(info) ?? [];
  if (whole === undefined) return undefined;
  const type = kind ?? other ?? "note";
  const title = /"([^"\n]{0,200})"/.exec(rest.replace(/\b(?:id|class)="[^"]*"/g, ""))?.[1] ?? "";
  return labelled(calloutLabel(isCallout(type) ? type : "note", title));
}
