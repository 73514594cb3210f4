import type { CommentPart } from "./document.ts";
import { readTags, type JsDoc } from "./jsdoc.ts";

/** Reads the lines of a doc comment without their markers. `firstLine`: the number of the first one. */
export type ReadDoc = (lines: readonly string[], firstLine: number) => JsDoc;

/** A comment of Javadoc: tags and HTML. */
export const readJavadoc: ReadDoc = (lines, firstLine) => {
  const shown = withFences(lines, "java").map((line) =>
    line
      .replace(/\{@(?:code|literal|value|systemProperty)\s([^{}]{1,300})\}/g, "`$1`")
      .replace(/\{@(?:inheritDoc|docRoot|value)\}/g, "")
      .replace(/^(\s{0,20}@param) <(\w{1,60})>/, "$1 $2"),
  );
  return readTags(shown, firstLine);
};

const preStart = /^\s{0,40}<pre(?:\s[^<>]{0,100})?>\s{0,9}(?:(\{@code\b)|<code(?:\s[^<>]{0,100})?>)? ?(.{0,2000})$/;

/** Replaces `<pre>` by fences on the same lines, so that nothing in it is a tag of the comment. */
function withFences(lines: readonly string[], language: string): readonly string[] {
  const shown: string[] = [];
  let isVerbatim = false;
  let isInside = false;
  for (const line of lines) {
    const [start, braced, first = ""]: readonly (string | undefined)[] = (isInside ? null : preStart.exec(line)) ?? [];
    const isBegun = start !== undefined && !first.includes("</pre>") && (first === "" || shown.at(-1)?.trim() === "");
    if (isBegun) {
      [isInside, isVerbatim] = [true, braced !== undefined];
      if (first !== "") shown.pop();
      shown.push(`\`\`\`${language}`);
      if (first !== "") shown.push(isVerbatim ? first : unescaped(first));
      continue;
    }
    const end = isInside ? line.indexOf("</pre>") : -1;
    const text = end < 0 ? line : line.slice(0, end).replace(isVerbatim ? /\}\s{0,9}$/ : /<\/code>\s{0,9}$/, "");
    if (isInside && (end < 0 || text.trim() !== "")) shown.push(isVerbatim ? text : unescaped(text));
    else if (!isInside) shown.push(line);
    if (end >= 0) {
      shown.push("```");
      isInside = false;
    }
  }
  return isInside ? lines : shown;
}

function unescaped(code: string): string {
  return code
    .replace(/\{@literal\s([^{}]{1,100})\}/g, "$1")
    .replace(/<\/?(?:b|i|em|strong|code|span|a)(?:\s[^<>]{0,200})?>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#64;", "@")
    .replaceAll("&amp;", "&");
}

/** A comment of PHPDoc, whose tags have a type before the name. */
export const readPhpDoc: ReadDoc = (lines, firstLine) => {
  const typed = /^(\s{0,20}@(?:param|property)(?:-read|-write)?)\s{1,20}(\S{1,300})\s{1,20}[&.]{0,4}(\$\w{1,100})/;
  return readTags(
    lines.map((line) => line.replace(/^(\s{0,20}@)(?:phpstan|psalm)-/, "$1").replace(typed, "$1 {$2} $3")),
    firstLine,
  );
};

const docFence = /^(\s{0,20})[@\\](code|verbatim|endcode|endverbatim)\b(?:\{\.?(\w{1,20})\})?\s{0,9}$/;
const docCommand =
  /^(\s{0,20})\\(?=(?:param|tparam|returns?|throws?|exception|see|sa|since|deprecated|retval|internal|brief|short|details|note|warning)\b)/;

/** A comment of Doxygen, whose commands begin with `\` or `@`. */
export const readDoxygen: ReadDoc = (lines, firstLine) =>
  readTags(
    lines.map((line) =>
      line
        .replace(
          docFence,
          (_whole, indent: string, command: string, language = "") =>
            `${indent}\`\`\`${command === "verbatim" ? "text" : command === "code" ? language : ""}`,
        )
        .replace(docCommand, "$1@")
        .replace(/^(\s{0,20}@t?param)\s{0,9}\[[a-z, ]{2,9}\]/, "$1")
        .replace(/^(\s{0,20})@tparam\b/, "$1@template")
        .replace(/^(\s{0,20})@(?:brief|details|short)\b/, "$1@summary")
        .replace(/[@\\][cp] ([\w:]{1,100})/g, "`$1`"),
    ),
    firstLine,
  );

/** A comment of YARD or RDoc. */
export const readRubyDoc: ReadDoc = (lines, firstLine) => {
  let [inTag, inList, inFence, before] = [false, false, false, ""];
  const shown = lines.map((line) => {
    if (/^\s{0,9}```/.test(line)) inFence = !inFence;
    if (inFence || line.startsWith("```")) return line;
    if (line.startsWith("@")) inTag = true;
    else if (/^\S/.test(line)) {
      inTag = false;
      inList = /^(?:[*-]|\d{1,3}\.|[a-z]\.|\[[^\]]{1,80}\]|\S{1,80}::)(?:\s|$)/.test(line);
    }
    const isCode = /^ {2,3}\S/.test(line) && !inTag && !inList && (before.trim() === "" || /^ {4}/.test(before));
    before = isCode ? `    ${line.trimStart()}` : inTag ? line.replace(/^ {2}/, "") : line;
    if (isCode) return `  ${line}`;
    return before
      .replace(/^:(?:nodoc|stopdoc):.{0,100}$|^@api private$/, "@private")
      .replace(/^@option\s{1,9}\w{1,60}\s{1,9}(?:\[([^[\]]{1,200})\])?\s{0,9}:?(\w{1,60})/, "@param $2 ($1)")
      .replace(/^@(param|yieldparam)\s{1,9}\[([^[\]]{1,200})\]\s{1,9}(\w{1,60})/, "@param $3 ($2)")
      .replace(/^@(?:param|yieldparam)\s{1,9}(\w{1,60})\s{1,9}\[([^[\]]{1,200})\]/, "@param $1 ($2)")
      .replace(/^@(return|yieldreturn|raise)\s{1,9}\[([^[\]]{1,200})\]/, (_whole, tag: string, type: string) =>
        tag === "raise" ? `@throws \`${type}\`` : `@returns \`${type}\``,
      )
      .replace(/^(={1,4}) (?=\S)/, "### ")
      .replace(/(?<![\w+])\+([\w:.#?!]{1,80})\+(?![\w+])|<tt>([^<>\n]{1,100})<\/tt>/g, "`$1$2`");
  });
  return readTags(shown, firstLine);
};

/** Elements of a comment of .NET whose text is apart from the others'. */
const elements =
  /<(\/?)(summary|remarks|example|value|returns|param|typeparam|exception|code|para|item)\b(?:\s{1,9}(?:name|cref|lang\w{0,5})="([^"<>\n]{1,200})")?[^<>\n]{0,200}>/g;

/** A comment of .NET: XML. */
export const readXmlDoc: ReadDoc = (lines, firstLine) => {
  const text = lines.join("\n");
  const parts: CommentPart[] = [];
  let [at, line, label, isCode] = [0, firstLine, "", false];
  const addUntil = (end: number): void => {
    const piece = text.slice(at, end);
    const rows = piece.split("\n");
    const skipped = rows.findIndex((row) => row.trim() !== "");
    if (skipped >= 0 && isCode) {
      const last = rows.findLastIndex((row) => row.trim() !== "");
      const shown = rows.slice(skipped, last + 1).map(unescaped);
      const indent = Math.min(...shown.flatMap((row) => (row.trim() === "" ? [] : row.search(/\S/))));
      parts.push({
        type: "code",
        language: "",
        code: shown.map((row) => row.slice(indent)).join("\n"),
        line: line + skipped,
      });
    } else if (skipped >= 0) {
      const prose = rows.slice(skipped).map((row) => row.trimStart());
      parts.push({ type: "markdown", text: label + withoutReferences(prose.join("\n")), line: line + skipped });
      label = "";
    }
    line += rows.length - 1;
    at = end;
  };
  for (const found of text.matchAll(elements)) {
    const [whole, slash, tag = "", value = ""] = found;
    // In code everything is code until its end.
    if (isCode && !(tag === "code" && slash === "/")) continue;
    addUntil(found.index);
    at += whole.length;
    isCode = tag === "code" && slash === "";
    label = slash === "/" ? "" : labelOf(tag, value.replace(/^[A-Z]:/, ""));
  }
  addUntil(text.length);
  return { parts, isInternal: false };
};

function labelOf(tag: string, value: string): string {
  if (tag === "param" || tag === "typeparam") return `- \`${value}\`: `;
  if (tag === "exception") return `Throws \`${value}\`: `;
  return tag === "returns" ? "Returns: " : tag === "item" ? "- " : "";
}

function withoutReferences(text: string): string {
  return text
    .replace(
      /<(?:see|seealso|paramref|typeparamref)\s{1,9}(?:cref|name|langword|href)="(?:[A-Z]:)?([^"<>\n]{1,300})"[^<>\n]{0,99}>(?:[^<>\n]{0,200}<\/(?:see|seealso)>)?/g,
      "`$1`",
    )
    .replace(/<c>([^<>\n]{0,300})<\/c>/g, "`$1`")
    .replace(/<\/?(?:inheritdoc|list|listheader|term|description)\b[^<>\n]{0,200}>/g, "");
}
