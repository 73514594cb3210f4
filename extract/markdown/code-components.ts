import type { StateBlock } from "markdown-it";
import { closingOf, lineStart, unfinishedIn } from "./block-state.ts";
import { attributesOf, type Attributes } from "./attributes.ts";
import type { Range } from "./lines.ts";
import { literalOf } from "./literals.ts";
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
/** The preformatted text of JSX, whose text is a template literal: ``<pre><code>{`…`}</code></pre>``. */
const preformatted = /^<(pre)(?=[\s>])/;
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
  const name = (holder.exec(begin) ?? managing.exec(begin) ?? preformatted.exec(begin))?.[1];
  const hasLiterals = name === undefined && withLiterals.test(state.src.slice(start, start + 500));
  if (name === undefined && !hasLiterals) return false;
  const end = tagEnd(state.src, start, unfinishedIn(state.env));
  if (end === 0) return false;
  const inner = name === "pre" ? literalIn(state, end) : end;
  if (inner < 0) return false;
  const tag = state.src.slice(start, end);
  if (name === undefined) return tag.endsWith("/>") && literalCode(state, tag, end, [startLine, endLine], silent);
  const attributes = { ...attributesOf(tag, true), ...attributesOf(state.src.slice(end, inner)) };
  const isManaging = managing.test(tag);
  const held: HeldCode | undefined = tag.endsWith("/>")
    ? {
        code: fromAttributes(attributes) || (isManaging ? fromPackage(attributes) : ""),
        last: lineWhere(state, startLine, end),
      }
    : fromText(state, name, inner, startLine);
  if (held === undefined || held.last < 0 || held.last >= endLine || held.code.trim() === "") return false;
  if (silent) return true;
  state.line = held.last + 1;
  const token = state.push("held_code", "code", 0);
  token.map = [startLine, state.line];
  token.info = infoOf(name, attributes);
  token.content = held.code;
  token.meta = { whole: held.whole, ...(isManaging && { note: managers }) };
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
  const attributes: Attributes = attributesOf(tag);
  const codes = [...tag.matchAll(literals)].flatMap(([, title = ""]) => {
    const code = dedented((attributes[title] ?? "").replace(/^[ \t]*\n|\n[ \t]*$/g, ""));
    return code.trim() === "" || code.includes("${") ? [] : [{ title, code }];
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

/** The offset of the template literal that is all text of `<pre>`, or of `<code>` in it; negative without. */
function literalIn(state: StateBlock, from: number): number {
  const isCode = /^<code(?=[\s>])/.test(state.src.slice(from, from + 10));
  const start = isCode ? tagEnd(state.src, from, unfinishedIn(state.env)) : from;
  return start > 0 && /^\s{0,20}\{\s{0,20}`/.test(state.src.slice(start, start + 50)) ? start : -1;
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

/** Code in an attribute: a text, or a list of lines. */
function fromAttributes({ code, cmd = code, cmds = cmd, command = cmds, commands = command }: Attributes): string {
  const list = commands?.startsWith("[") === true ? literalOf(commands) : undefined;
  return Array.isArray(list) ? list.filter((line) => typeof line === "string").join("\n") : (commands ?? "");
}

function fromPackage({ pkg = "", type = "", args = "" }: Attributes): string {
  return pkg + type === "" ? "" : [type || "add", pkg, args].filter((word) => word !== "").join(" ");
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
    const written = text.trim().replace(/\s{0,20}<\/code>$/, "");
    const { text: string } = written.endsWith("}") ? attributesOf(`text=${written}`) : {};
    return string === undefined ? undefined : { code: dedented(string.replace(/^\n|\n[ \t]*$/g, "")), last };
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

function infoOf(name: string, attributes: Attributes): string {
  const {
    className,
    lang = className,
    language = lang,
    label,
    filename = label,
    file = filename,
    title = file,
  } = attributes;
  const declared = /^(?:language-)?([\w+#-]{1,30})$/.exec(language ?? "")?.[1];
  const shown = declared ?? (printed.test(name) ? "text" : /^(?:Code|pre)/.test(name) ? "" : "bash");
  return shown + (title === undefined || /["\n`{}]/.test(title) ? "" : ` title="${title}"`);
}
