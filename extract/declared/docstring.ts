import type { CommentPart } from "./document.ts";

/** Sections of docstrings in the styles of Google and NumPy that list items with a name and a text. */
const itemSections =
  /^(?:args|arguments|parameters|params|other parameters|keyword args|keyword arguments|attributes|raises|yields|returns|return|warns|methods)$/i;
const exampleSections = /^(?:examples?|usage|doctests?)$/i;
const field =
  /^:(param|parameter|arg|argument|key|keyword|raises?|except|exception|returns?|rtype|type|var|ivar|cvar|yields?)(?:[ \t]{1,5}([^:]{1,100}))?:[ \t]{0,5}(.*)$/;
const directive = /^\.\.[ \t]{1,5}([\w-]{1,40})::[ \t]{0,5}(.*)$/;
/** Directives whose content is code. */
const codeDirective = /^(?:code-block|code|sourcecode|doctest|testcode|ipython|prompt|highlight)$/;

/**
 * Reads a docstring, without its quotes, that begins at a line of its file: reStructuredText, and the styles of Google and NumPy. Prose
 * stays as it is where Markdown means the same.
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
  const say = (line: string, at: number): void => {
    if (open.length === 0) openAt = at;
    open.push(line);
  };
  const head = (markdown: string, at: number): void => {
    close();
    parts.push({ type: "markdown", text: markdown, line: firstLine + at });
  };
  const code = (from: number, until: number, language: string): void => {
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
      for (let inside = at; inside < end; inside += 1) say(lines[inside] ?? "", inside);
      at = end - 1;
      continue;
    }
    if (/^>>> ?/.test(bare)) {
      const end = untilBlank(lines, at);
      code(at, end, "python");
      at = end - 1;
      continue;
    }
    const [, name = "", argument = ""] = directive.exec(bare) ?? [];
    if (name !== "" || (bare.endsWith("::") && isIndented(lines, at))) {
      const end = untilDedent(lines, at);
      if (codeDirective.test(name) || name === "") {
        if (name === "" && bare !== "::") say(line.replace(/::$/, ":"), at);
        code(bodyOf(lines, at + 1, end), end, codeDirective.test(name) ? argument : "");
        at = end - 1;
      } else if (
        /^(?:versionadded|versionchanged|deprecated|note|warning|tip|important|seealso|attention|caution)$/.test(name)
      ) {
        say(`**${name.replace(/^version/, "version ")}${argument === "" ? ":" : ` ${argument}`}**`, at);
      } else at = end - 1;
      continue;
    }
    const underline = (lines[at + 1] ?? "").trim();
    if (/^-{3,}$|^={3,}$|^~{3,}$/.test(underline) && bare !== "" && underline.length >= Math.min(bare.length, 3)) {
      section = bare;
      head(`**${bare}**`, at);
      at += 1;
      continue;
    }
    const [, titled = ""] = /^([A-Z][A-Za-z ]{2,30}):$/.exec(line) ?? [];
    if (
      titled !== "" &&
      (itemSections.test(titled) ||
        exampleSections.test(titled) ||
        /^(?:note|notes|warning|todo|see also|references)$/i.test(titled))
    ) {
      section = titled;
      head(`**${titled}:**`, at);
      continue;
    }
    const [, kind = "", target = "", said = ""] = field.exec(bare) ?? [];
    if (kind !== "") {
      const named = target === "" ? "" : `\`${target.split(/\s+/).at(-1)}\``;
      const isPlain = /^(?:param|parameter|arg|argument|key|keyword|type|var|ivar|cvar)$/.test(kind);
      say(`- ${isPlain ? named : [kind, named].filter((word) => word !== "").join(" ")}: ${said}`, at);
      continue;
    }
    if (itemSections.test(section)) say(itemOf(line), at);
    // Indented text is not code here.
    else say(line.replace(/^ {4,}(?=\S)/, exampleSections.test(section) ? "" : "   "), at);
  }
  close();
  return parts.map((part) => (part.type === "code" ? part : { ...part, text: withoutRoles(part.text) }));
}

/** An item of a section: `name (type): text` of Google, `name : type` of NumPy, and what stands below it. */
function itemOf(line: string): string {
  const [, indent = "", name, rest = ""] =
    /^( {0,8})(\*{0,2}[\w.]{1,60}(?:, ?\*{0,2}[\w.]{1,60}){0,5})[ \t]{0,3}((?:\([^()]{0,200}\))?[ \t]{0,3}:.{0,500})$/.exec(
      line,
    ) ?? [];
  if (name !== undefined && indent.length <= 4) return `- \`${name.replaceAll("*", "")}\` ${rest.trim()}`;
  return line.trim() === "" ? line : `  ${line.trim()}`;
}

/** Roles of reStructuredText replaced by what they show, and double backticks by single ones. */
function withoutRoles(text: string): string {
  return text
    .replace(/:[a-z:]{2,30}:`[~!]?([^`<>\n]{0,199}[^`<>\s])(?:\s{0,5}<[^`<>\n]{1,200}>)?`/g, "`$1`")
    .replace(/``([^`\n]{1,200})``/g, "`$1`");
}

/** Lines without the indentation that all but the first have in common. */
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
export function indentOf(line: string): number {
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
export function untilDedent(lines: readonly string[], at: number): number {
  const width = indentOf(lines[at] ?? "");
  let end = at + 1;
  while (end < lines.length && ((lines[end] ?? "").trim() === "" || indentOf(lines[end] ?? "") > width)) end += 1;
  return end;
}

/** Index of the line where the content of a directive begins, after its options. */
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
