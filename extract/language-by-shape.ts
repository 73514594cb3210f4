/**
 * Recognises languages by the shape of all lines: settings, requests, queries, and text in no language, such as addresses, metrics,
 * logs and messages. Rules are rarely wrong rather than complete, so most code matches none.
 */

/** Maximum number of characters examined. */
const maxLength = 4000;

const method = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (?:https?:\/\/|\/)\S*(?: HTTP\/[\d.]{1,3})?$/;
const header =
  /^(?:Authorization|Content-(?:Type|Length|Encoding)|Accept(?:-\w{1,20})?|Host|Cookie|Set-Cookie|Cache-Control|User-Agent|Location|ETag|Vary|Origin|WWW-Authenticate|X-[\w-]{1,40}): \S/;
const address =
  /^(?:(?:https?|wss?|ftp|file|git|ssh|redis|mongodb(?:\+srv)?|postgres(?:ql)?|mysql|amqps?|jdbc:\w{1,20}):\/\/\S+|\/[\w.:@%~+-]{1,80}(?:\/[^\s(){};]{0,200})?(?:\?\S{1,300})?)$/;
const metric = /^[a-zA-Z_:][\w:]{2,100}(?:\{[^{}]{0,300}\})? [-+]?(?:\d[\d.e+-]{0,30}|NaN|Inf)(?: \d{1,20})?$/;
const event = /^(?:data|event|id|retry): ?\S/;
const problem =
  /^(?:Traceback \(most recent call last\)|(?:[\w.]{0,60}(?:Error|Exception|Warning)|error|warning|fatal|panic|npm ERR!|ERROR|WARN|INFO|DEBUG)(?:\[\w{1,20}\])?:? .|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d)/;
/** Characters of drawings and terminal output. */
const drawing = /[│┌┐└┘├┤┬┴┼▶◀▼▲╭╰➜✔✓✖●]|\+-{3,}\+/;
const codeSign = /[{}()[\];=<>$`|\\#@*/]/;

/** The name of a file or folder, with a comment. */
const filePath = /^(?:\.{0,2}\/)?(?:[\w@[\].-]{1,60}\/){0,8}[\w@[\].-]{0,80}(?: +#.*)?$/;
const knownFile =
  /\.(?:md|mdx|html?|css|s[ac]ss|[cm]?[jt]sx?|json|ya?ml|toml|txt|env|py|rs|go|vue|svelte|astro|png|svg)\b|^\.env\b/;
/** The usage line of a command: `[flags]`, `<file>`, `...`. */
const usage =
  /^(?:usage|synopsis): ?\S|^[a-z][\w.-]{0,40}(?: [a-z][\w-]{0,40}){0,4}(?: (?:\[[\w -]{3,40}\]|<[\w-]{1,40}>|\.\.\.)){1,6}$/i;
const option = /^-{1,2}[A-Za-z?][\w-]{0,60}(?:, --[\w-]{1,60})?(?:[ =][\w<>[\]./|-]{1,60})?(?: {2,}\S.*)?$/;

/** The default export of a JavaScript module, and type annotations in it. */
const module = /^export default (?:async )?(?:function|class)\b/;
const typed =
  /^(?:export )?(?:interface|type|enum) \w|^import type |[\w)\]?]: (?:string|number|boolean|any|unknown|void|never|[A-Z]\w*)\b/;

const rules: readonly (readonly [string, (lines: readonly string[]) => boolean])[] = [
  ["http", ([first = ""]) => method.test(first) || /^HTTP\/[\d.]{1,3} \d{3}\b/.test(first)],
  ["http", (lines) => lines.every((line) => header.test(line))],
  ["text", (lines) => lines.every((line) => address.test(line))],
  ["text", (lines) => lines.some((line) => /^# (?:HELP|TYPE) \w/.test(line)) && lines.every(isMetric)],
  ["text", (lines) => lines.length > 1 && lines.every((line) => metric.test(line) && line.includes("_"))],
  ["text", (lines) => lines.some((line) => line.startsWith("data:")) && lines.every((line) => event.test(line))],
  ["text", ([first = ""]) => problem.test(first)],
  ["text", isDrawn],
  ["text", (lines) => lines.length > 1 && lines.every((line) => filePath.test(line)) && isFiles(lines)],
  ["text", ([first = "", ...others]) => usage.test(first) && others.every((line) => !/[;{}]$/.test(line))],
  ["text", isOptions],
  ["dotenv", (lines) => lines.every(isSetting) && lines.some((line) => !line.startsWith("#"))],
  [
    "toml",
    (lines) => isSections(lines) && lines.every(isToml) && lines.some((line) => /= ?(?:["'[{]|true|false)/.test(line)),
  ],
  [
    "ini",
    (lines) => isSections(lines) && lines.every((line) => isHeading(line) || /^[#;]|^[\w.:* -]{1,80}=/.test(line)),
  ],
  ["sql", ([first = ""]) => sql.test(first)],
  [
    "dockerfile",
    ([first = "", ...others]) => /^FROM [\w./:@-]{1,200}(?: AS \w{1,40})?$/.test(first) && others.some(isDocker),
  ],
  ["javascript", (lines) => lines.some((line) => module.test(line)) && !lines.some((line) => typed.test(line))],
  ["typescript", (lines) => lines.some((line) => module.test(line))],
  ["python", ([first = ""]) => /^from [\w.]{1,100} import [\w*(]/.test(first)],
  [
    "go",
    ([first = "", ...others]) =>
      /^package \w{1,40}$/.test(first) && others.some((line) => /^(?:func|import|type|var) ?[\w"(]/.test(line)),
  ],
  ["text", (lines) => lines.every(isSentence)],
];

const sql =
  /^(?:SELECT\s\S|INSERT INTO \S|UPDATE \S{1,80} SET\b|DELETE FROM \S|CREATE (?:OR REPLACE )?(?:TEMP |UNIQUE )?(?:TABLE|INDEX|VIEW|DATABASE|USER|ROLE|SCHEMA|EXTENSION|FUNCTION|TRIGGER) |(?:ALTER|DROP|TRUNCATE) TABLE \S|GRANT \w{1,20} ON )/;

/** The language that the text looks like, "text" for none; "" if uncertain. */
export function looksLike(code: string): string {
  const all = code.slice(0, maxLength).split(/\r\n?|\n/);
  // The last line may be truncated.
  if (code.length > maxLength) all.pop();
  const lines = all.map((line) => line.slice(0, 400).trim()).filter((line) => line !== "");
  if (lines.length === 0) return "";
  const language = rules.find(([, fits]) => fits(lines))?.[0];
  return language ?? (isYaml(all.filter((line) => line.trim() !== "")) ? "yaml" : "");
}

/** True for a tree, diagram or table: most lines have characters that no language has. */
function isDrawn(lines: readonly string[]): boolean {
  const drawn = lines.filter((line) => drawing.test(line) && !/^(?:\/\/|#|\*|--)/.test(line)).length;
  return drawn > 1 && drawn * 2 >= lines.length;
}

/** True if at least half of the lines are named like files. */
function isFiles(lines: readonly string[]): boolean {
  return lines.filter((line) => knownFile.test(line)).length * 2 >= lines.length;
}

/** True for the help of a command: options, most with a description of one or more lines. */
function isOptions(lines: readonly string[]): boolean {
  const options = lines.filter((line) => option.test(line));
  const described = options.filter((line) => /\S {2,}\S/.test(line));
  return option.test(lines[0] ?? "") && described.length * 2 >= options.length && options.length * 2 >= lines.length;
}

function isMetric(line: string): boolean {
  return line.startsWith("#") || metric.test(line);
}

/** True for `NAME=value` of a settings file; more text after a blank makes it a command. */
function isSetting(line: string): boolean {
  return (
    line.startsWith("#") ||
    /^[A-Z][A-Z0-9_]{1,80}=(?:"[^"]{0,300}"|'[^']{0,300}'|[^\s"'();]{0,300})(?: +#.*)?$/.test(line)
  );
}

function isHeading(line: string): boolean {
  return /^\[{1,2}[\w.:"' @/*-]{1,100}\]{1,2}$/.test(line);
}

function isSections(lines: readonly string[]): boolean {
  return (
    isHeading(lines.find((line) => !/^[#;]/.test(line)) ?? "") && lines.some((line) => /^[\w."'-]{1,80} ?=/.test(line))
  );
}

function isToml(line: string): boolean {
  return (
    isHeading(line) ||
    /^#|^["'\w.-]{1,80} ?= ?(?:["'[{]|true\b|false\b|[+-]?\d[\d_.:TZ+-]{0,40}(?:\s|$)|inf|nan)/.test(line) ||
    /^(?:["'].{0,300}["'],?|[\]}],?|\{.{0,300}\},?|\d[\d_.]{0,20},?)(?:\s{1,10}#.{0,200})?$/.test(line)
  );
}

function isDocker(line: string): boolean {
  return /^(?:RUN|COPY|ADD|WORKDIR|CMD|ENTRYPOINT|ENV|EXPOSE|USER|ARG) \S/.test(line);
}

/** True for a sentence in natural language. */
function isSentence(line: string): boolean {
  return (
    !codeSign.test(line) &&
    /^(?:["“]?\p{Lu}|[-•] )/u.test(line) &&
    /[.!?…]["”]?$/.test(line.slice(-3)) &&
    line.split(" ").filter((word) => /^\p{L}{2}/u.test(word)).length >= 4
  );
}

/** True for keys and items only, some of them nested. */
function isYaml(lines: readonly string[]): boolean {
  const shown = lines.filter((line) => !/^\s*#/.test(line));
  const nested = shown.filter(
    (line, index) => /^\s*(?:- )?[\w."'/@$-]{1,80}:\s*$/.test(line) && /^\s*-|^\s+\S/.test(shown[index + 1] ?? ""),
  );
  return (
    nested.length > 0 &&
    shown.every((line) =>
      /^---\s*$|^\s*-(?: |$)|^\s*["']?[\w./@$-]{1,80}["']?:(?: (?![^"'{[|>]*[;{]$)|\s*$)/.test(line),
    )
  );
}
