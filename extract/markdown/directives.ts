import { calloutLabel, isCallout } from "./callouts.ts";
import { closesFence } from "./fences.ts";

/**
 * Directives of MyST (myst-parser, "Roles and directives"), which look like fences. Those with prose are replaced by their
 * content, with a label in place of the marker line. So are the callouts of mdbook-admonish and Obsidian's Admonition, fences
 * without braces.
 */

/** The opening line of a fence or of a directive. */
const opening = /^([ \t]*)(`{3,}(?!`)|~{3,}(?!~)|:{3,}(?!:))(.*)$/;

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

interface Open {
  readonly marker: string;
  /** Code keeps its lines, and markers in it are ignored. */
  readonly holds: "code" | "prose" | "nothing";
}

/** Replaces directives by Markdown with the same number of lines; returns a text without directives unchanged. */
export function readDirectives(source: string): string {
  if (!/^[ \t]*(?:(?:`{3,}|~{3,}|:{3,})\{[\w:-]|(?:`{3,}|~{3,})[ \t]{0,5}a(?:d-|dmonish))/m.test(source)) return source;
  const stack: Open[] = [];
  let inOptions = false;
  const read = (line: string): string => {
    const open = stack.at(-1);
    if (open !== undefined && closesFence(line.trim(), open.marker)) {
      stack.pop();
      inOptions = false;
      return open.holds === "code" ? line : "";
    }
    if (open?.holds === "code") return line;
    if (open?.holds === "nothing") return "";
    if (inOptions && option.test(line)) return "";
    inOptions = false;
    const [, indent = "", marker = "", info = ""] = opening.exec(line) ?? [];
    const [written = "", name] = directive.exec(info) ?? [];
    if (marker === "" || info.includes("`") || (name === undefined && marker.startsWith(":"))) return line;
    const label =
      name === undefined
        ? fencedCallout(info.trim())
        : labelOf(name, info.slice(written.length).trim(), marker.startsWith(":"));
    stack.push({ marker, holds: label === undefined ? "code" : dropped.test(name ?? "") ? "nothing" : "prose" });
    if (label === undefined) return line;
    inOptions = true;
    return label === "" ? "" : indent + label;
  };
  // Lines keep their ends, and with them their numbers.
  return source.replace(/[^\r\n]+/g, read);
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
