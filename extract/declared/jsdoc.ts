import type { CommentPart } from "./declared.ts";

/** What a doc comment of JavaScript or TypeScript says. */
export interface JsDoc {
  readonly parts: readonly CommentPart[];
  /** What it describes is not for users of the package. */
  readonly isInternal: boolean;
}

/** Tags that mark something as internal, and tags that are not shown. */
const internal: ReadonlySet<string> = new Set(["internal", "private", "hidden", "ignore"]);
const silent =
  /^(?:public|export|exports|module|packageDocumentation|category|group|inheritDoc|override|readonly|sealed|virtual|function|class|constructor|interface|typedef|callback|memberof|name|namespace|kind|type|async|static|eventProperty|alpha|beta|experimental|author|license|copyright|version)$/;
const named: ReadonlySet<string> = new Set([
  "param",
  "arg",
  "argument",
  "template",
  "typeParam",
  "typeparam",
  "property",
  "prop",
]);
const words: Readonly<Record<string, string>> = {
  returns: "Returns:",
  return: "Returns:",
  throws: "Throws:",
  exception: "Throws:",
  deprecated: "**Deprecated:**",
  default: "Default:",
  defaultValue: "Default:",
  see: "See",
  since: "Since",
  remarks: "",
  summary: "",
  description: "",
};

/** A line of a comment without its marks, with its line number in the file. */
interface CommentLine {
  readonly text: string;
  readonly line: number;
}

/** Reads a comment, slashes and asterisks included, that begins at a line of its file. */
export function readJsDoc(comment: string, firstLine: number): JsDoc {
  const lines = comment
    .replace(/^\/\*\*?/, "")
    .replace(/\*\/$/, "")
    .split("\n")
    .map((text, at): CommentLine => ({
      text: text.replace(/\r$/, "").replace(/^[ \t]*\*(?: |$)?/, ""),
      line: firstLine + at,
    }));
  const parts: CommentPart[] = [];
  let open: CommentLine[] = [];
  let tag = "";
  let fence = "";
  let isInternal = false;
  const close = (): void => {
    if (!silent.test(tag)) parts.push(...toParts(tag, open));
    open = [];
  };
  for (const line of lines) {
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
    const behind = lines.slice(1).map((line) => line.text);
    if (name === "") return [];
    return [
      markdown(
        [`- \`${name}\`: ${text}`, ...behind.map((line) => (line === "" ? "" : `  ${line}`))].join("\n"),
        first.line,
      ),
    ];
  }
  const word = words[tag] ?? (tag === "" ? "" : `${tag}:`);
  const text = lines.map((line) => line.text).join("\n");
  return [markdown(word === "" ? text : `${word} ${text.replace(/^\{[^{}]{0,200}\}[ \t]{0,5}/, "")}`, first.line)];
}

/** An example is Markdown where it has a fence, else code from its second line on; its first may be a caption. */
function exampleOf(lines: readonly CommentLine[]): CommentPart[] {
  const [first, ...behind] = lines;
  if (first === undefined) return [];
  const caption = first.text.replace(/<\/?caption>/g, "").trim();
  const text = lines.map((line) => line.text).join("\n");
  if (/^[ \t]{0,20}(?:`{3}|~{3})/m.test(text)) return [markdown(text, first.line)];
  const isCode = caption !== "" && (behind.every((line) => line.text.trim() === "") || /[;(){}=]/.test(caption));
  const code = isCode ? lines : behind;
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

/** Inline tags replaced by what a reader sees of them. */
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
