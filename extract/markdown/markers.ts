import type { Element } from "domhandler";
import type { StateBlock } from "markdown-it";
import { element } from "../tree/elements.ts";
import { lineStart } from "./block-state.ts";
import { calloutLabel, isCallout, kindOf } from "./callouts.ts";
import type { createBuilder } from "./element-builder.ts";
import { attributesOf, type Attributes } from "./attributes.ts";

/**
 * Lines that open and close containers: `:::tip[Title]{#id}` of Docusaurus and remark-directive, `::: tip Title` of VitePress and VuePress,
 * `::note{title="Title"}` of Nuxt Content, `/// note | Title` of PyMdown Extensions, `{% hint style="info" %}` of GitBook, and tabs:
 * `@tab npm` of VuePress, `== npm` of vitepress-plugin-tabs.
 */
const colons = /^(:{2,})(?!:)(.*)$/;
const containerName = /^[A-Za-z][\w.-]{0,60}(?![\w.:-])/;
const slashes = /^(\/{3,})(?:[ \t]+([A-Za-z][\w-]*)[ \t]*(?:\|(.*))?)?$/;
const block =
  /^\{%-?[ \t]*(end)?(hint|tabs?|code|content-ref|stepper|step|aside|callout)\b((?:[^%]|%(?!\})){0,300})%\}/;
const tabLine = /^(?:@tab(?::\w+)?|==)[ \t]+(\S.*)$/;

/** A block rule for such a line; its token has the type `marker`. */
export function markerLine(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  const start = lineStart(state, startLine);
  if (!":/{@=".includes(state.src[start] ?? " ")) return false;
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const line = state.src.slice(start, Math.min(state.eMarks[startLine] ?? 0, start + 1000)).trimEnd();
  if (!isMarker(line)) return false;
  if (silent) return true;
  state.line = startLine + 1;
  const token = state.push("marker", "", 0);
  token.map = [startLine, state.line];
  token.content = line;
  return true;
}

function isMarker(line: string): boolean {
  const [marks, name, rest] = partsOf(line);
  if (marks !== "") return marks.length > 2 || (name === undefined ? rest === "" : /^\s*(?:[[{]|$)/.test(rest));
  return slashes.test(line) || tabLine.test(line) || block.exec(line)?.[0].length === line.length;
}

/** The colons of a line, "" without, the name after them, and the rest. */
function partsOf(line: string): readonly [marks: string, name: string | undefined, rest: string] {
  const [, marks = "", after = ""] = colons.exec(line) ?? [];
  const words = after.trimStart();
  // Pandoc and Quarto name a container by its class: `::: {.callout-note #id}`.
  if (marks !== "" && words.startsWith("{"))
    return [marks, /\.(?:callout-)?([A-Za-z][\w-]{0,60})/.exec(words)?.[1] ?? "div", words];
  const name = containerName.exec(words)?.[0];
  return [marks, name, words.slice(name?.length ?? 0)];
}

/** A container within a line, such as `{% tab title="npm" %}`; undefined for any other text. */
export function inlineMarker(text: string): string | undefined {
  return block.exec(text)?.[0];
}

type Builder = ReturnType<typeof createBuilder>;

/** Opens or closes the container of a marker; `setFile` gets the name of the file that the next fence shows. */
export function readMarker(line: string, builder: Builder, setFile: (name: string) => void): void {
  const tab = tabLine.exec(line)?.[1];
  if (tab !== undefined) {
    builder.closeMarker((end) => end === "tab line");
    if (builder.hasMarker("#tabs")) builder.openMarker(element("#tab", { label: tab.trim() }, []), "tab line");
    return;
  }
  const [whole, isEnd, tag = "", attributes = ""] = block.exec(line) ?? [];
  if (whole !== undefined) return readBlock(tag, isEnd !== undefined, attributesOf(attributes), builder, setFile);
  const [, slash = "", ...others] = slashes.exec(line) ?? [];
  const [marks, name, rest = ""] = slash === "" ? partsOf(line) : [slash, ...others];
  if (name === undefined) {
    // A fence of more colons or slashes ends those inside it.
    builder.closeMarker((end) => end.length <= marks.length && end.startsWith(marks[0] ?? "") && end.length > 1);
    return;
  }
  builder.openMarker(line.startsWith("/") ? ofSlashes(name, rest) : ofColons(name, rest), marks);
}

function readBlock(
  tag: string,
  isEnd: boolean,
  named: Attributes,
  builder: Builder,
  setFile: (name: string) => void,
): void {
  const own = `%${tag}`;
  if (tag === "code") return setFile(isEnd ? "" : (named["title"] ?? named["label"] ?? ""));
  if (isEnd) {
    builder.closeMarker((end) => end === own);
    return;
  }
  // A tab directly after another one ends it.
  if (tag === "tab") builder.closeMarker((end) => end === own);
  const { style, type = style ?? "note", title, label = title ?? "" } = named;
  const opened =
    tag === "tabs" || tag === "tab"
      ? element(`#${tag}`, { label }, [])
      : /^(?:hint|aside|callout)$/.test(tag)
        ? element("#callout", { label: calloutLabel(kindOf(type), "") }, [])
        : element("div", {}, []);
  builder.openMarker(opened, own);
}

/** Containers that hold tabs, or nothing but code that belongs together. */
const groups: ReadonlyMap<string, string> = new Map([
  ["code-group", "whole"],
  ["code-tabs", ""],
  ["tabs", ""],
]);
const tabs = /^(?:tab|tabs-item|tab-item)$/;
const sections = /^(?:details|steps?|accordion|accordion-item|collapse|collapsible)$/;

function ofColons(kind: string, rest: string): Element {
  const attributes: Attributes = rest.includes("{") ? attributesOf(rest.slice(rest.indexOf("{") + 1)) : {};
  if (kind === "field") return element("Field", attributes, []);
  const bare = withoutAttributes(rest.trim());
  const { title: own, label, summary, name } = attributes;
  const title =
    own ?? label ?? summary ?? (kind === "collapsible" ? name : undefined) ?? /^\[(.*)\]$/.exec(bare)?.[1] ?? bare;
  if (kind === "panel-tabset") return element("#tabset", {}, []);
  const whole = groups.get(kind);
  if (whole !== undefined) return element("#tabs", whole === "" ? {} : { whole }, []);
  if (tabs.test(kind)) return element("#tab", { label: title }, []);
  if (isCallout(kind)) return element("#callout", { label: calloutLabel(kind, title) }, []);
  if (sections.test(kind)) return element("Collapsible", { title: title.replaceAll("*", "") }, []);
  // The words after an unknown name are a title if they begin like one.
  return element("#titled", { ...attributes, title: /^\p{Lu}/u.test(title) ? title : undefined }, []);
}

/** A line without the braces at its end. */
function withoutAttributes(line: string): string {
  const start = line.endsWith("}") ? line.indexOf("{", line.lastIndexOf("}", line.length - 2) + 1) : -1;
  return start < 0 ? line : line.slice(0, start).trim();
}

function ofSlashes(kind: string, written: string): Element {
  const title = written.trim();
  if (isCallout(kind)) return element("#callout", { label: calloutLabel(kind, title) }, []);
  if (kind === "tab") return element("#tab", { label: title }, []);
  if (sections.test(kind)) return element("Collapsible", { title }, []);
  if (title === "" || /^(?:html|define|caption|figure-caption|table-caption|latex)$/i.test(kind))
    return element("div", {}, []);
  const words = kind.replaceAll("-", " ");
  const label = `**${words.charAt(0).toUpperCase()}${words.slice(1)}: ${title.replaceAll("*", "")}**`;
  return element("#callout", { label }, []);
}
