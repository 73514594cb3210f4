import type { Token } from "markdown-it";
import type { CodeContent } from "../blocks.ts";
import { isFileName } from "../file-name.ts";
import { toLanguage, languageOfFile } from "../language.ts";
import { readOptions } from "./directive-options.ts";
import { toLines, verbatim, type Range, type SourceLines } from "./lines.ts";
import { marksOf } from "./marked-lines.ts";

/** A fence or indented code with its lines in the file; null if blank. `kernel`: the language of cells; `title` is a file name from a marker before it. */
export function toCode(
  token: Token,
  range: Range,
  { lines, kernel }: { readonly lines: SourceLines; readonly kernel: string },
  title: string | undefined,
): CodeContent | null {
  const fenced = token.type === "fence";
  const options = fenced ? optionsOf(token) : noOptions;
  const content = token.content.slice(options.length);
  if (content.trim() === "") return null;
  const first = (fenced ? range[0] + 1 : range[0]) + options.lines;
  // The parser's copy has a line end for each line of the block, so the count is right for unclosed fences too.
  const count = fenced ? content.split("\n").length - 1 : range[1] - range[0];
  const code = verbatim(lines, first, first + count, content);
  const info = `${token.info} ${options.words}`.trim();
  const declared = fenced ? parseInfoString(info) : { language: "" };
  const file = title !== undefined && isFileName(title) ? { file: title } : {};
  const marks = marksOf(fenced ? info : "", code);
  const ofCell = declared.language === "" && info.startsWith("{code-cell}") && { language: kernel };
  return {
    type: "code",
    ...file,
    ...declared,
    ...ofCell,
    code,
    ...(marks.length > 0 && { marks }),
    lines: toLines(range),
  };
}

/** The code of a component without a fence. */
export function toHeldCode(
  { content, info, meta }: Token,
  range: Range,
  lines: SourceLines,
  offset: number,
): CodeContent {
  const whole = meta?.["whole"] as Range | undefined;
  const code = whole === undefined ? content : verbatim(lines, whole[0] + offset, whole[1] + offset, `${content}\n`);
  const note = meta?.["note"] as string | undefined;
  return {
    type: "code",
    ...parseInfoString(info),
    code,
    ...(note !== undefined && { marks: [note] }),
    lines: toLines(range),
  };
}

/** Options between the marker of a MyST directive and its code: their length in characters and lines, and as words of an info string. */
const noOptions = { length: 0, lines: 0, words: "" };

const directive = /^\s*\{[a-z][\w:-]{1,40}\}/;

/** The options of a directive that shows code. A blank line ends them. */
function optionsOf({ info, content }: Pick<Token, "info" | "content">): typeof noOptions {
  if (!directive.test(info) || !/^(?:[ \t]*:|---)/.test(content)) return noOptions;
  const rows = content.split("\n", 45);
  const { values, end } = readOptions(rows, 0);
  if (end === 0) return noOptions;
  const lines = end < rows.length - 1 && rows[end]?.trim() === "" ? end + 1 : end;
  const length = rows.slice(0, lines).reduce((sum, row) => sum + row.length + 1, 0);
  values.delete("tags");
  const words = Array.from(values, ([name, value]) => `${name}="${value.replaceAll('"', "")}"`);
  return { length: Math.min(length, content.length), lines, words: words.join(" ") };
}

/**
 * Reads `js title="a.js"`, `ts [a.ts]`, `jsx src/App.js active`, `js:src/a.js`, `rust,ignore`, `{.python .numberLines}`
 * and other forms of VitePress, Docusaurus, Mintlify, React's documentation, mdBook and Pandoc. A title that is not a file name
 * becomes the label.
 */
function parseInfoString(info: string): Pick<CodeContent, "language" | "file" | "label"> {
  const text = info
    .slice(0, 1000)
    .trim()
    .replace(/^\{(?:code|code-block|code-cell|sourcecode|prompt)\}\s*/, "");
  if (text === "") return { language: "" };
  const braced =
    /^\{+\s*(?:\.|(?:code|code-block|code-cell|sourcecode|prompt)\s+)?(?![\w-]+\s{0,5}[=:])([\w+#-]+)/.exec(text);
  const word = braced?.[1] ?? /^[^\s,:;{[(=]+/.exec(text)?.[0] ?? "";
  // Some fences have the first line of the code as info string.
  const isName = !text.startsWith(`${word}=`) && !/^(?:from|import) \S/.test(text);
  const named = toFile(text, word);
  const file = named === undefined || !isFileName(named) ? undefined : named;
  const language = !isName || (isFileName(word) && word.includes(".")) ? "" : toLanguage(word);
  const label = file === undefined && named !== undefined ? titleOf(text) : undefined;
  return {
    language: language === "" && file !== undefined ? languageOfFile(file) : language,
    ...(file !== undefined && { file }),
    ...(label !== undefined && label !== "" && { label }),
  };
}

/** The title, or the text in brackets. */
function titleOf(text: string): string | undefined {
  const attribute = /(?:^|[\s{,])(?:title|label|tab|caption|header)\s*[=:]\s*(?:"([^"]{1,60})"|'([^']{1,60})')/i.exec(
    text,
  );
  const bare = withoutBraces(text);
  return (attribute?.[1] ?? attribute?.[2] ?? /(?<![=\w:])\[([^\]]{1,60})\]/.exec(bare)?.[1] ?? wordsOf(bare))?.trim();
}

/** `bash cURL`, `json 200 OK`, `sh npm` of Mintlify. Other words in lower case are instructions to generators. */
function wordsOf(text: string): string | undefined {
  const words = /^[a-z][\w+#-]{0,30}[ \t]+([\w.+#/-]{1,30}(?: [\w.+#/-]{1,30}){0,3})$/.exec(text)?.[1];
  return words !== undefined &&
    /^(?:[A-Z\d]|(?:npm|npx|yarn|pnpm|bun|pip|uv|poetry|conda|curl|cURL|brew|macOS)\b)/.test(words)
    ? words
    : undefined;
}

function toFile(text: string, word: string): string | undefined {
  const attribute =
    /(?:^|[\s{,])(?:title|(?:data-)?filename|file|label|name|source|caption|header)\s*[=:]\s*(?:"([^"]*)"|'([^']*)'|([^\s}"']+))/i.exec(
      text,
    );
  const value = attribute?.[1] ?? attribute?.[2] ?? attribute?.[3];
  if (value !== undefined) return value.trim();
  const bare = withoutBraces(text);
  const label = /(?<![=\w:])\[(?!\[|[\d\s,-]{1,300}\])([^\]]{1,300})\]/.exec(bare)?.[1];
  if (label !== undefined) return label.trim();
  if (text.startsWith(`${word}:`)) return /^[^\s{]+/.exec(text.slice(word.length + 1))?.[0];
  if (isFileName(word)) return word;
  return bare.split(/\s+/, 2)[1];
}

/** The words outside of braces, as options in braces are named options or instructions to the generator. */
function withoutBraces(text: string): string {
  let depth = 0;
  let bare = "";
  for (const char of text) {
    if (char === "{") depth++;
    if (depth === 0) bare += char;
    if (char === "}") depth = Math.max(0, depth - 1);
  }
  return bare.trim();
}
