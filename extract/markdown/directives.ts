import type { StateBlock } from "markdown-it";
import { lineStart, pushContainer, type BlockRule } from "./block-state.ts";
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
const titled = /^(?:tab-item|tab|dropdown|card|grid-item-card|details|topic|sidebar)$/;

const versions: ReadonlyMap<string, string> = new Map([
  ["versionadded", "New in"],
  ["versionchanged", "Changed in"],
  ["deprecated", "Deprecated since"],
]);

const plain = /^(?:tab-set|tabs|grid|grid-item|container|div|margin|epigraph|panels|figure|only)$/;

const codes =
  /^(?:code|code-block|code-cell|sourcecode|literalinclude|include|parsed-literal|math|mermaid|graphviz|plantuml|eval-rst|tikz)$/;

/** Directives whose content is for generators only. */
const dropped = /^(?:toctree|contents|tableofcontents|index|image|raw|sectionauthor|currentmodule|bibliography)$/;

/** A block rule for directives, but for those with code between backticks or tildes, which are fences. */
export const directiveBlock: BlockRule = (state, startLine, endLine, silent) => {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const { marker, info } = openingOf(state, startLine);
  const [written = "", name] = directive.exec(info) ?? [];
  if (marker === "" || info.includes("`")) return false;
  const hasColons = marker.startsWith(":");
  const label =
    name === undefined
      ? hasColons
        ? undefined
        : fencedCallout(info.trim())
      : labelOf(name, info.slice(written.length).trim(), hasColons);
  if (label === undefined && (name === undefined || !hasColons)) return false;
  if (silent) return true;
  const close = closingLine(state, startLine, endLine);
  if (label === undefined) {
    state.line = Math.min(close + 1, endLine);
    const token = state.push("fence", "code", 0);
    token.info = info;
    token.content = state.getLines(startLine + 1, close, state.sCount[startLine] ?? 0, true);
    token.map = [startLine, state.line];
    return true;
  }
  let from = startLine + 1;
  while (from < close && option.test(state.src.slice(state.bMarks[from], state.eMarks[from]))) from++;
  if (dropped.test(name ?? "")) state.line = close;
  else {
    const indent = Math.min(state.sCount[startLine] ?? 0, state.blkIndent);
    pushContainer(state, { type: "directive", info: "", label, parentType: "blockquote", indent }, [
      startLine,
      from,
      close,
    ]);
  }
  // What the content is indented by may end it before.
  if (state.line >= close) state.line = Math.min(close + 1, endLine);
  return true;
};

function openingOf(state: StateBlock, line: number): { readonly marker: string; readonly info: string } {
  const start = lineStart(state, line);
  if (!"`~:".includes(state.src[start] ?? " ")) return { marker: "", info: "" };
  const [, marker = "", info = ""] = opening.exec(state.src.slice(start, state.eMarks[line])) ?? [];
  return { marker, info };
}

/** The line that closes a directive, after those in it. */
function closingLine(state: StateBlock, startLine: number, endLine: number): number {
  const open: string[] = [];
  for (let line = startLine; line < endLine; line++) {
    const text = state.src.slice(lineStart(state, line), state.eMarks[line]).trim();
    const last = open.at(-1);
    if (last !== undefined && closesFence(text, last)) {
      open.pop();
      if (open.length === 0) return line;
    } else {
      const { marker, info } = openingOf(state, line);
      const isOpening = marker.startsWith(":") ? directive.test(info) : marker !== "" && !info.includes("`");
      if (isOpening && (last === undefined || info.trim() !== "")) open.push(marker);
    }
  }
  return endLine;
}

/** The label of a callout that is written as a fence; undefined for any other fence. */
function fencedCallout(info: string): string | undefined {
  const [whole, kind, other, rest = ""] = callout.exec(info) ?? [];
  if (whole === undefined) return undefined;
  const type = kind ?? other ?? "note";
  const title = /"([^"\n]{0,200})"/.exec(rest.replace(/\b(?:id|class)="[^"]*"/g, ""))?.[1] ?? "";
  return calloutLabel(isCallout(type) ? type : "note", title);
}

/** The replacement of the marker line; undefined for directives with code. */
function labelOf(name: string, argument: string, hasColons: boolean): string | undefined {
  if (callouts.test(name)) return calloutLabel(name === "admonition" ? "note" : name, argument);
  if (titled.test(name)) return argument === "" ? "" : `**${argument.replaceAll("*", "")}**`;
  const version = versions.get(name);
  if (version !== undefined) return `**${version} ${argument}:**`;
  if (plain.test(name) || dropped.test(name)) return "";
  if (!hasColons || codes.test(name)) return undefined;
  // An unknown directive of colons holds prose, and its argument is a title unless it is a path.
  return /^[^/[\]<>{}]{1,100}$/.test(argument) && /\p{L}/u.test(argument) && !/\.\w{1,5}$/.test(argument)
    ? `**${argument.replaceAll("*", "")}**`
    : "";
}
