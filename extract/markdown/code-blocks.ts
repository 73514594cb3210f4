import type { Token } from "markdown-it";
import type { CodeBlockFound, TabPlace } from "../blocks.ts";
import { isFileName } from "../file-name.ts";
import { toLanguage, languageOfFile } from "../language.ts";
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

/** What stands between the marker of a MyST directive and its code. */
interface FenceOptions {
  /** How long it is in the content of the fence, in characters, and how many lines it takes. */
  readonly length: number;
  readonly lines: number;
  /** The same as words behind the marker: `emphasize-lines="2"`. */
  readonly words: string;
}

const noOptions: FenceOptions = { length: 0, lines: 0, words: "" };

const directive = /^\s*\{(?:code-block|code|code-cell|sourcecode)\}/;
const option = /^[ \t]*:([a-z][\w-]{0,40}):(?:[ \t]+(.{0,300}))?$/;

/** The options of a directive that shows code (MyST-Parser, "Syntax for directives"): lines such as `:emphasize-lines: 2`. */
function optionsOf({ info, content }: { readonly info: string; readonly content: string }): FenceOptions {
  if (!directive.test(info) || !/^[ \t]*:/.test(content)) return noOptions;
  const words: string[] = [];
  let length = 0;
  let lines = 0;
  for (const line of content.split("\n", 40)) {
    const [, name, value = ""] = option.exec(line) ?? [];
    if (name === undefined && (line.trim() !== "" || lines === 0)) break;
    length = Math.min(content.length, length + line.length + 1);
    lines++;
    // A blank line ends them.
    if (name === undefined) break;
    words.push(`${name}="${value.trim().replaceAll('"', "")}"`);
  }
  return { length, lines, words: words.join(" ") };
}

/** What the words behind a fence's marker say. */
interface FenceInfo {
  /** Canonical; "" where nothing tells. */
  readonly language: string;
  readonly file?: string;
  /** A title that is no file's name. */
  readonly label?: string;
}

/**
 * Reads `js title="a.js"`, `ts [a.ts]`, `jsx src/App.js active`, `js:src/a.js`, `rust,ignore`, `{.python .numberLines}`
 * and the like: what VitePress, Docusaurus, Mintlify, React's documentation, mdBook and Pandoc write.
 */
function parseInfoString(info: string): FenceInfo {
  const text = info.slice(0, 1000).trim();
  if (text === "") return { language: "" };
  const braced =
    /^\{+\s*(?:\.|(?:code|code-block|code-cell|sourcecode|prompt)(?:\}\s*|\s+))?(?![\w-]+\s{0,5}[=:])([\w+#-]+)/.exec(
      text,
    );
  const word = braced?.[1] ?? /^[^\s,:;{[(=]+/.exec(text)?.[0] ?? "";
  // The first line of the code stands behind some fences.
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

/** The title, or what stands in brackets. */
function titleOf(text: string): string | undefined {
  const found = /(?:^|[\s{,])(?:title|label|tab|caption|header)\s*[=:]\s*(?:"([^"]{1,60})"|'([^']{1,60})')/i.exec(text);
  const bare = withoutBraces(text);
  return (found?.[1] ?? found?.[2] ?? /(?<![=\w:])\[([^\]]{1,60})\]/.exec(bare)?.[1] ?? wordsOf(bare))?.trim();
}

/** `bash cURL`, `json 200 OK`, `sh npm` of Mintlify. Other words in lower case are orders to generators. */
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
  const given = attribute?.[1] ?? attribute?.[2] ?? attribute?.[3];
  if (given !== undefined) return given.trim();
  const bare = withoutBraces(text);
  const label = /(?<![=\w:])\[(?!\[|[\d\s,-]{1,300}\])([^\]]{1,300})\]/.exec(bare)?.[1];
  if (label !== undefined) return label.trim();
  if (text.startsWith(`${word}:`)) return /^[^\s{]+/.exec(text.slice(word.length + 1))?.[0];
  if (isFileName(word)) return word;
  return bare.split(/\s+/, 2)[1];
}

/** The words outside of braces: what stands in these is told by its name, or is an order to a generator. */
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
