import { isFileName } from "../file-name.ts";
import { languageOfFile, toLanguage } from "../language.ts";

/** What the words behind a fence's marker say. */
export interface FenceInfo {
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
export function parseInfoString(info: string): FenceInfo {
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
