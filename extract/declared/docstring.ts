import type { CommentPart } from "./document.ts";

/** Sections of Google and NumPy docstrings that list items with a name and a text. */
const itemSections =
  /^(?:args|arguments|parameters|params|other parameters|keyword args|keyword arguments|attributes|raises|yields|returns|return|warns|methods)$/i;
const exampleSections = /^(?:examples?|usage|doctests?)$/i;
const field =
  /^:(param|parameter|arg|argument|key|keyword|raises?|except|exception|returns?|rtype|type|var|ivar|cvar|yields?)(?:[ \t]{1,5}([^:]{1,100}))?:[ \t]{0,5}(.*)$/;
const directive = /^\.\.[ \t]{1,5}([\w-]{1,40})::[ \t]{0,5}(.*)$/;
/** Directives whose content is code. */
const codeDirective = /^(?:code-block|code|sourcecode|doctest|testcode|ipython|prompt|highlight)$/;

/**
 * Reads a docstring without its quotes: reStructuredText, or the styles of Google and NumPy. Prose that is also Markdown is kept as is.
 */
export function readDocstring(text: string, firstLine: number): readonly CommentPart[] {
  const lines = dedented(text.split("\n"));
  const parts: CommentPart[] = [];
  let open: string[] = [];
  let openAt = 0;
  let section = "";
  const close = (): void => {
    if (open.some((line) => line.trim() !== ""))
      parts.push({ type: "markdown", text: open.join("\n"), line: firstLine + openAt });
    open = [];
  };
  const addLine = (line: string, at: number): void => {
    if (open.length === 0) openAt = at;
    open.push(line);
  };
  const addHeading = (markdown: string, at: number): void => {
    close();
    parts.push({ type: "markdown", text: markdown, line: firstLine + at });
  };
  const addCode = (from: number, until: number, language: string): void => {
    close();
    const block = trimmed(lines, from, until);
    if (block !== undefined)
      parts.push({
        type: "code",
        language,
        code: dedented(lines.slice(...block), 0).join("\n"),
        line: firstLine + block[0],
      });
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const bare = line.trim();
    const fence = /^(?:`{3,10}|~{3,10})/.exec(bare)?.[0];
    if (fence !== undefined) {
      const end = untilFence(lines, at, fence);
      for (let inside = at; inside < end; inside += 1) addLine(lines[inside] ?? "", inside);
      at = end - 1;
      continue;
    }
    if (/^>>> ?/.test(bare)) {
      const end = untilBlank(lines, at);
      addCode(at, end, "python");
      at = end - 1;
      continue;
    }
    const [, name = "", argument = ""] = directive.exec(bare) ?? [];
    if (name !== "" || (bare.endsWith("::") && isIndented(lines, at))) {
      const end = untilDedent(lines, at);
      if (codeDirective.test(name) || name === "") {
        if (name === "" && bare !== "::") addLine(line.replace(/::$/, ":"), at);
        addCode(bodyOf(lines, at + 1, end), end, codeDirective.test(name) ? argument : "");
        at = end - 1;
      } else if (
        /^(?:versionadded|versionchanged|deprecated|note|warning|tip|important|seealso|attention|caution)$/.test(name)
      ) {
        addLine(`**${name.replace(/^version/, "version ")}${argument === "" ? ":" : ` ${argument}`}**`, at);
      } else at = end - 1;
      continue;
    }
    const underline = (lines[at + 1] ?? "").trim();
    if (/^-{3,}$|^={3,}$|^~{3,}$/.test(underline) && bare !== "" && underline.length >= Math.min(bare.length, 3)) {
      section = bare;
      addHeading(`**${bare}**`, at);
      at += 1;
      continue;
    }
    const [, sectionName = ""] = /^([A-Z][A-Za-z ]{2,30}):$/.exec(line) ?? [];
    if (
      sectionName !== "" &&
      (itemSections.test(sectionName) ||
        exampleSections.test(sectionName) ||
        /^(?:note|notes|warning|todo|see also|references)$/i.test(sectionName))
    ) {
      section = sectionName;
      addHeading(`**${sectionName}:**`, at);
      continue;
    }
    const [, kind = "", target = "", description = ""] = field.exec(bare) ?? [];
    if (kind !== "") {
      const named = target === "" ? "" : `\`${target.split(/\s+/).at(-1)}\``;
      const isPlain = /^(?:param|parameter|arg|argument|key|keyword|type|var|ivar|cvar)$/.test(kind);
      addLine(`- ${isPlain ? named : [kind, named].filter((word) => word !== "").join(" ")}: ${description}`, at);
      continue;
    }
    if (itemSections.test(section)) addLine(itemOf(line), at);
    // In a docstring indented text is no code.
    else addLine(line.replace(/^ {4,}(?=\S)/, exampleSections.test(section) ? "" : "   "), at);
  }
  close();
  return parts.map((part) => (part.type === "code" ? part : { ...part, text: withoutRoles(part.text) }));
}

/** An item of a section as Markdown: `name (type): text` (Google), `name : type` (NumPy), or a continuation line. */
function itemOf(line: string): string {
  const [, indent = "", name, rest = ""] =
    /^( {0,8})(\*{0,2}[\w.]{1,60}(?:, ?\*{0,2}[\w.]{1,60}){0,5})[ \t]{0,3}((?:\([^()]{0,200}\))?[ \t]{0,3}:.{0,500})$/.exec(
      line,
    ) ?? [];
  if (name !== undefined && indent.length <= 4) return `- \`${name.replaceAll("*", "")}\` ${rest.trim()}`;
  return line.trim() === "" ? line : `  ${line.trim()}`;
}

/** Replaces reStructuredText roles by their text, and double backticks by single ones. */
function withoutRoles(text: string): string {
  return text
    .replace(/:[a-z:]{2,30}:`[~!]?([^`<>\n]{0,199}[^`<>\s])(?:\s{0,5}<[^`<>\n]{1,200}>)?`/g, "`$1`")
    .replace(/``([^`\n]{1,200})``/g, "`$1`");
}

/** Removes the common indentation of the lines from index `from` on. */
function dedented(lines: readonly string[], from = 1): readonly string[] {
  const widths = lines
    .slice(from)
    .flatMap((line) => (line.trim() === "" ? [] : [/^[ \t]*/.exec(line)?.[0].length ?? 0]));
  const width = widths.reduce((least, one) => Math.min(least, one), widths[0] ?? 0);
  return lines.map((line, at) => (at < from ? line.trimStart() : line.slice(width)).trimEnd());
}

function isIndented(lines: readonly string[], at: number): boolean {
  const next = lines.slice(at + 1, at + 4).find((line) => line.trim() !== "");
  return next !== undefined && indentOf(next) > indentOf(lines[at] ?? "");
}

/** The number of spaces at the start of a line. */
function indentOf(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

function untilBlank(lines: readonly string[], at: number): number {
  let end = at;
  while (end < lines.length && (lines[end] ?? "").trim() !== "") end += 1;
  // A session continues after a blank line.
  const next = lines[end + 1];
  return next !== undefined && next.trim().startsWith(">>>") ? untilBlank(lines, end + 1) : end;
}

/** Index of the line after a fenced block of Markdown. */
function untilFence(lines: readonly string[], at: number, fence: string): number {
  const end = lines.findIndex((line, index) => index > at && line.trim() === fence);
  return end < 0 ? lines.length : end + 1;
}

/** Index of the line after those that are indented below a line. */
function untilDedent(lines: readonly string[], at: number): number {
  const width = indentOf(lines[at] ?? "");
  let end = at + 1;
  while (end < lines.length && ((lines[end] ?? "").trim() === "" || indentOf(lines[end] ?? "") > width)) end += 1;
  return end;
}

/** Index of the first line of a directive's content, after its options. */
function bodyOf(lines: readonly string[], from: number, until: number): number {
  let at = from;
  while (at < until && /^\s*:[\w-]+:/.test(lines[at] ?? "")) at += 1;
  return at;
}

function trimmed(lines: readonly string[], from: number, until: number): [number, number] | undefined {
  let [first, last] = [from, until];
  while (first < last && (lines[first] ?? "").trim() === "") first += 1;
  while (last > first && (lines[last - 1] ?? "").trim() === "") last -= 1;
  return first < last ? [first, last] : undefined;
}
