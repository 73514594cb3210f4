import type { StateBlock } from "markdown-it";
import { closingOf, lineStart, unfinishedIn } from "./block-state.ts";
import { attributesOf } from "./fields.ts";
import type { Range } from "./lines.ts";
import { tagEnd } from "./tags.ts";

/**
 * Components whose text is code without a fence: `<TerminalBlock>` and `<ConsoleLogLine>` of React's documentation, `<CodeBlock>` of
 * Docusaurus, `<Code code="…" />` of Astro, `<Terminal cmd={["…"]} />` of Expo and their like.
 */
const holder =
  /^<((?:Terminal|Console|Shell|Bash|Powershell|Command|Cmd|Cli|CLI)(?:Block|Line|LogLine|Box|Window|Command|Code|Snippet|Output|Log|Input)?|Code(?:Block|Snippet|Sample|Example)?|(?:Output|Log)(?:Block|Line))(?=[\s/>])/;
/**
 * Components that show a command for each package manager, without the manager's name: `<PackageManagerTabs command="add a -D" />`
 * of Rspress and `<PackageManagers pkg="a" type="exec" />` of Starlight, whose default type is `add`.
 */
const managing = /^<(Package-?Managers?(?:Tabs|Code|Command)?|PkgManagers?(?:Tabs)?)(?=[\s/>])/;
const managers = "It is run with a package manager: npm, yarn, pnpm or bun.";
/** A component with code in attributes that are template literals of several lines. */
const withLiterals = /^<[A-Z][\w.]{0,60}\s[^<>]{0,400}?\w\s{0,5}=\s{0,5}\{\s{0,5}`[ \t]*\n/;
const literals = /\s([a-z]\w{0,40})\s{0,5}=\s{0,5}\{\s{0,5}(?=`[ \t]*\n)/gi;
/** Names of components that show a program's output. */
const printed = /Console|Log|Output/;
/** Maximum length of such a component, in lines. */
const maxLines = 400;
/** Maximum length of its text, in characters. */
const maxLength = 20_000;

/**
 * A block rule for these components. Its token has the type `held_code`, the code as content and an info string; `meta.whole` is the
 * range of the code if it takes whole lines, `meta.note` a sentence about it.
 */
export function codeComponent(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = lineStart(state, startLine);
  if (state.src.charCodeAt(start) !== 60) return false;
  const begin = state.src.slice(start, start + 40);
  const name = (holder.exec(begin) ?? managing.exec(begin))?.[1];
  const hasLiterals = name === undefined && withLiterals.test(state.src.slice(start, start + 500));
  if (name === undefined && !hasLiterals) return false;
  const end = tagEnd(state.src, start, unfinishedIn(state.env));
  if (end === 0) return false;
  const tag = state.src.slice(start, end);
  if (name === undefined) return tag.endsWith("/>") && literalCode(state, tag, end, [startLine, endLine], silent);
  const held = tag.endsWith("/>")
    ? (fromAttributes(state, tag, end, startLine) ??
      (managing.test(tag) ? fromPackage(state, tag, end, startLine) : undefined))
    : fromText(state, name, end, startLine);
  if (held === undefined || held.last >= endLine || held.code.trim() === "") return false;
  if (silent) return true;
  state.line = held.last + 1;
  const token = state.push("held_code", "code", 0);
  token.map = [startLine, state.line];
  token.info = infoOf(name, tag);
  token.content = held.code;
  token.meta = { whole: held.whole, ...(managing.test(tag) && { note: managers }) };
  return true;
}

/** A token for each template literal, with a sentence that has the attribute's name. */
function literalCode(
  state: StateBlock,
  tag: string,
  end: number,
  [startLine, endLine]: readonly [number, number],
  silent: boolean,
): boolean {
  const last = lineWhere(state, startLine, end);
  const codes = [...tag.matchAll(literals)].flatMap(({ 0: whole, 1: title = "", index }) => {
    const literal = stringAt(tag.slice(index + whole.length));
    const code = literal === undefined ? "" : dedented(literal.text.replace(/^[ \t]*\n|\n[ \t]*$/g, ""));
    return code.trim() === "" ? [] : [{ title, code }];
  });
  if (last < 0 || last >= endLine || codes.length === 0) return false;
  if (silent) return true;
  state.line = last + 1;
  for (const { title, code } of codes) {
    const token = state.push("held_code", "code", 0);
    token.map = [startLine, state.line];
    token.content = code;
    token.meta = { note: `It is given as “${title}”.` };
  }
  return true;
}

interface HeldCode {
  readonly code: string;
  /** The lines of the code; absent if it takes parts of lines. */
  readonly whole?: Range;
  /** The last line of the component. */
  readonly last: number;
}

/** The line that an offset is on, at most `maxLines` after `line`, if only blanks follow the offset; else -1. */
function lineWhere(state: StateBlock, line: number, end: number): number {
  let last = line;
  while ((state.eMarks[last] ?? Infinity) < end && last - line < maxLines) last++;
  return state.src.slice(end, state.eMarks[last]).trim() === "" ? last : -1;
}

function fromAttributes(state: StateBlock, tag: string, end: number, line: number): HeldCode | undefined {
  const [, attribute] = /\s(?:code|cmd|cmds|command|commands)\s{0,5}=\s{0,5}([^]*)\/>$/.exec(tag) ?? [];
  const last = lineWhere(state, line, end);
  if (attribute === undefined || last < 0) return undefined;
  const value = attribute.startsWith("{") ? attribute.slice(1).trimStart() : attribute;
  if (!value.startsWith("[")) {
    const code = stringAt(value);
    return code && { code: code.text, last };
  }
  const codes: string[] = [];
  for (let at = 1; at < value.length;) {
    const gap = /^[\s,]*/.exec(value.slice(at))?.[0].length ?? 0;
    const item = stringAt(value.slice(at + gap));
    if (item === undefined) break;
    codes.push(item.text);
    at += gap + item.length;
  }
  return codes.length === 0 ? undefined : { code: codes.join("\n"), last };
}

function fromPackage(state: StateBlock, tag: string, end: number, line: number): HeldCode | undefined {
  const { pkg = "", type = "", args = "" } = attributesOf(tag);
  const last = lineWhere(state, line, end);
  if (last < 0 || pkg + type === "") return undefined;
  return { code: [type || "add", pkg, args].filter((word) => word !== "").join(" "), last };
}

/** The string of JavaScript at the beginning of a text, and the length of its source; undefined for anything else. */
function stringAt(text: string): { readonly text: string; readonly length: number } | undefined {
  const quote = text[0] ?? "";
  if (quote === "" || !"\"'`".includes(quote)) return undefined;
  let value = "";
  for (let at = 1; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === quote) return { text: value, length: at + 1 };
    if (quote === "`" && char === "$" && text[at + 1] === "{") return undefined;
    if (char !== "\\") value += char;
    else {
      const escaped = text[++at] ?? "";
      value += escaped === "n" ? "\n" : escaped === "t" ? "\t" : escaped;
    }
  }
  return undefined;
}

function fromText(state: StateBlock, name: string, from: number, line: number): HeldCode | undefined {
  const { at } = closingOf({ state, mark: `</${name}>`, from });
  if (at < 0 || at - from > maxLength) return undefined;
  const text = state.src.slice(from, at);
  if (text.includes(`<${name}`)) return undefined;
  const last = lineWhere(state, line, at + name.length + 3);
  if (last < 0) return undefined;
  const literal = /^\s*\{\s*(?=`)/.exec(text);
  if (literal !== null) {
    const string = stringAt(text.slice(literal[0].length));
    return string && { code: dedented(string.text.replace(/^\n|\n[ \t]*$/g, "")), last };
  }
  // Fences, expressions and components in the text are parsed as such.
  if (/^[ \t]*(?:`{3}|~{3}|<\/?[A-Z]|\{[\w$./*<])/m.test(text)) return undefined;
  const rows = text.split("\n");
  if (rows[0]?.trim() !== "" || rows.length < 3 || rows.at(-1)?.trim() !== "")
    return { code: dedented(text.trim()), last };
  const opening = lineWhere(state, line, from);
  const begins = rows.findIndex((row) => row.trim() !== "");
  const ends = rows.findLastIndex((row) => row.trim() !== "") + 1;
  if (begins < 0) return undefined;
  return { code: dedented(rows.slice(begins, ends).join("\n")), last, whole: [opening + begins, opening + ends] };
}

/** Removes the indentation that all lines share. */
function dedented(text: string): string {
  const lines = text.split("\n");
  const least = lines.reduce((min, row) => (row.trim() === "" ? min : Math.min(min, row.search(/\S/))), Infinity);
  return lines.map((row) => row.slice(Math.min(least, row.length))).join("\n");
}

function infoOf(name: string, tag: string): string {
  const declared = /\s(?:language|lang|className)\s{0,5}=\s{0,5}\{?["'](?:language-)?([\w+#-]{1,30})["']/.exec(
    tag,
  )?.[1];
  const title = /\s(?:title|file|filename|label)\s{0,5}=\s{0,5}\{?"([^"\n`{}]{1,200})"/.exec(tag)?.[1];
  const language = declared ?? (printed.test(name) ? "text" : name.startsWith("Code") ? "" : "bash");
  return language + (title === undefined ? "" : ` title="${title}"`);
}
