import type { Token } from "markdown-it";
import type { CodeBlockFound, TabPlace } from "../blocks.ts";
import { isFileName } from "../file-name.ts";
import { toLanguage } from "../language.ts";
import { noOptions, optionsOf } from "./fence-options.ts";
import { parseInfoString } from "./info-string.ts";
import { toLines, verbatim } from "./lines.ts";
import type { Range, SourceLines } from "./lines.ts";
import { marksOf } from "./marked-lines.ts";

/** A fence or indented code, with the file's lines that it takes; null where it is blank. `title` is the file's name that a marker before it gives. */
export function toCode(
  token: Token,
  range: Range,
  lines: SourceLines,
  title: string | undefined,
): CodeBlockFound | null {
  const fenced = token.type === "fence";
  const options = fenced ? optionsOf(token) : noOptions;
  const content = token.content.slice(options.length);
  if (content.trim() === "") return null;
  const first = (fenced ? range[0] + 1 : range[0]) + options.lines;
  // The parser's copy has one line end for each line that belongs to the block, which tells whether a fence was closed.
  const count = fenced ? content.split("\n").length - 1 : range[1] - range[0];
  const code = verbatim(lines, first, first + count, content);
  const info = `${token.info} ${options.words}`.trim();
  const said = fenced ? parseInfoString(info) : { language: "" };
  const file = title !== undefined && isFileName(title) ? { file: title } : {};
  const marks = marksOf(fenced ? info : "", code);
  return { type: "code", ...file, ...said, code, ...(marks.length > 0 && { marks }), lines: toLines(range) };
}

/** The code of a component that has no fence. */
export function toHeldCode(
  { content, info, meta }: Token,
  range: Range,
  lines: SourceLines,
  offset: number,
): CodeBlockFound {
  const whole = meta?.["whole"] as Range | undefined;
  const code = whole === undefined ? content : verbatim(lines, whole[0] + offset, whole[1] + offset, `${content}\n`);
  const said = meta?.["said"] as string | undefined;
  return {
    type: "code",
    ...parseInfoString(info),
    code,
    ...(said !== undefined && { marks: [said] }),
    lines: toLines(range),
  };
}

/** A block in a tab: the tab's label may be the name of its file or language. */
export function inTab(block: CodeBlockFound, tab: TabPlace): CodeBlockFound {
  const name = tab.label !== "" ? tab.label : (block.label ?? "");
  const file = block.file === undefined && isFileName(name) ? { file: name } : {};
  const language = block.language === "" && file.file === undefined ? { language: languageOfLabel(name) } : {};
  return { ...block, ...file, ...language, tab: { ...tab, label: name } };
}

const spokenLanguages =
  /^(?:javascript|typescript|js|ts|jsx|tsx|python|ruby|rust|go|java|kotlin|swift|php|c#|c\+\+|bash|shell|curl|json|yaml|toml|html|css|graphql|sql|dart|elixir)$/i;

/** The language that a tab is named after; "" for any other name. */
function languageOfLabel(label: string): string {
  if (/^(?:npm|yarn|pnpm|bun|deno|npx|pip|uv|poetry|brew|apt|curl|macos|linux|unix|terminal)$/i.test(label))
    return "bash";
  if (/^node(?:\.?js)?$/i.test(label)) return "javascript";
  return spokenLanguages.test(label) ? toLanguage(label) : "";
}
