import { keysByWord } from "../language.ts";
import type { CommentPart } from "./document.ts";

/** A parsed doc comment. */
export interface JsDoc {
  readonly parts: readonly CommentPart[];
  /** The declaration is not for users of the package. */
  readonly isInternal: boolean;
}

/** Tags that mark a declaration as internal, and tags that are not shown. */
const internal = new Set(["internal", "private", "hidden", "ignore"]);
const silent =
  /^(?:public|export|exports|module|packageDocumentation|category|group|inheritDoc|override|readonly|sealed|virtual|function|class|constructor|interface|typedef|callback|memberof|name|namespace|kind|type|async|static|eventProperty|alpha|beta|experimental|author|license|copyright|version)$/;
const named = new Set(["param", "arg", "argument", "template", "typeParam", "typeparam", "property", "prop"]);
const labels: ReadonlyMap<string, string> = keysByWord({
  "Returns:": "returns return",
  "Throws:": "throws exception",
  "**Deprecated:**": "deprecated",
  "Default:": "default defaultValue",
  See: "see",
  Since: "since",
  "": "remarks summary description",
});

/** A line without comment markers, and its line number in the file. */
interface CommentLine {
  readonly text: string;
  readonly line: number;
}

/** Reads a comment with its markers. `firstLine`: the number of its first line. */
export function readJsDoc(comment: string, firstLine: number): JsDoc {
  return readTags(withoutMarkers(comment), firstLine);
}

/** The lines of a comment between its markers, without the stars before them. */
export function withoutMarkers(comment: string): readonly string[] {
  return comment
    .replace(/^\/\*[*!]?/, "")
    .replace(/\*\/$/, "")
    .split("\n")
    .map((text) => text.replace(/\r$/, "").replace(/^[ \t]*\*(?: |$)?/, ""));
}

/** Reads the lines of a comment with tags such as `@param`. `firstLine`: the number of the first one. */
export function readTags(comment: readonly string[], firstLine: number): JsDoc {
  const parts: CommentPart[] = [];
  let open: CommentLine[] = [];
  let tag = "";
  let fence = "";
  let isInternal = false;
  const close = (): void => {
    if (!silent.test(tag)) parts.push(...toParts(tag, open));
    open = [];
  };
  for (const [at, text] of comment.entries()) {
    const line = { text, line: firstLine + at };
    const [, mark = ""] = /^[ \t]{0,20}(`{3,10}|~{3,10})/.exec(line.text) ?? [];
    if (mark !== "" && (fence === "" || mark.startsWith(fence))) fence = fence === "" ? mark : "";
    const [, name, rest = ""] =
      (fence === "" ? /^[ \t]{0,20}@([A-Za-z]{1,30})(?:[ \t](.*))?$/ : never).exec(line.text) ?? [];
    if (name === undefined) {
      open.push(line);
      continue;
    }
    close();
    tag = name;
    if (internal.has(name)) isInternal = true;
    open.push({ text: rest, line: line.line });
  }
  close();
  return { parts, isInternal };
}

const never = /(?!)/;

function toParts(tag: string, lines: readonly CommentLine[]): CommentPart[] {
  const [first] = lines;
  if (first === undefined || lines.every(({ text }) => text.trim() === ""))
    return tag === "deprecated" && first ? [markdown("**Deprecated.**", first.line)] : [];
  if (tag === "example") return exampleOf(lines);
  if (named.has(tag)) {
    const [, name = "", text = ""] =
      /^(?:\{[^{}]{0,200}\}[ \t]{0,5})?\[?([\w$.]{1,100})[^\s\]]{0,200}\]?[ \t]{0,5}(?:-[ \t]{0,5})?(.*)$/.exec(
        first.text,
      ) ?? [];
    const rest = lines.slice(1).map((line) => line.text);
    if (name === "") return [];
    return [
      markdown(
        [`- \`${name}\`: ${text}`, ...rest.map((line) => (line === "" ? "" : `  ${line}`))].join("\n"),
        first.line,
      ),
    ];
  }
  const label = labels.get(tag) ?? (tag === "" ? "" : `${tag}:`);
  const text = lines.map((line) => line.text).join("\n");
  return [markdown(label === "" ? text : `${label} ${text.replace(/^\{[^{}]{0,200}\}[ \t]{0,5}/, "")}`, first.line)];
}

/** An example is Markdown if it has a fence, otherwise code, possibly after a caption on the first line. */
function exampleOf(lines: readonly CommentLine[]): CommentPart[] {
  const [first, ...rest] = lines;
  if (first === undefined) return [];
  const caption = first.text.replace(/<\/?caption>/g, "").trim();
  const text = lines.map((line) => line.text).join("\n");
  if (/^[ \t]{0,20}(?:`{3}|~{3})/m.test(text)) return [markdown(text, first.line)];
  const isCode = caption !== "" && (rest.every((line) => line.text.trim() === "") || /[;(){}=]/.test(caption));
  const code = isCode ? lines : rest;
  const start = code.findIndex((line) => line.text.trim() !== "");
  const end = code.findLastIndex((line) => line.text.trim() !== "");
  const shown = start < 0 ? [] : code.slice(start, end + 1);
  return [
    ...(caption === "" || isCode ? [] : [markdown(caption, first.line)]),
    ...(shown[0]
      ? [{ type: "code" as const, language: "", code: shown.map((line) => line.text).join("\n"), line: shown[0].line }]
      : []),
  ];
}

function markdown(text: string, line: number): CommentPart {
  return { type: "markdown", text: withoutLinks(text), line };
}

/** Replaces inline tags by their visible text. */
function withoutLinks(text: string): string {
  return text.replace(
    /\{@(?:link|linkcode|linkplain|see)[ \t]{1,5}([^\s{}|]{1,300})(?:[ \t]{0,5}\|[ \t]{0,5}|[ \t]{1,5})?([^{}]{0,300})\}/g,
    (_whole, target: string, label: string) => {
      const shown = label.trim();
      if (/^https?:/.test(target)) return `[${shown || target}](${target})`;
      return shown || `\`${target}\``;
    },
  );
}
