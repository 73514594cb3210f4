import { isFileName } from "../file-name.ts";
import { languageOfFile, toLanguage } from "../language.ts";

/** What the words behind a fence's marker say. */
export interface FenceInfo {
  /** Canonical; "" where nothing tells. */
  readonly language: string;
  readonly file?: string;
  /** A title that is no file's name. */
  readonly label?: string;
  /** Lines that are pointed out, as `2, 5-7`. */
  readonly highlighted?: string;
}

/**
 * Reads `js title="a.js"`, `ts [a.ts]`, `jsx src/App.js active`, `js:src/a.js`, `rust,ignore`, `{.python .numberLines}`
 * and the like: what VitePress, Docusaurus, Mintlify, React's documentation, mdBook and Pandoc write.
 */
export function parseInfoString(info: string): FenceInfo {
  const text = info.slice(0, 1000).trim();
  if (text === "") return { language: "" };
  const braced = /^\{+\s*(?:\.|code-block\}?\s*)?([\w+#-]+)/.exec(text);
  const word = braced?.[1] ?? /^[^\s,:;{[(=]+/.exec(text)?.[0] ?? "";
  const isName = !text.startsWith(`${word}=`);
  const named = toFile(text, word);
  const file = named === undefined || !isFileName(named) ? undefined : named;
  const language = !isName || (isFileName(word) && word.includes(".")) ? "" : toLanguage(word);
  const label = file === undefined && named !== undefined ? titleOf(text) : undefined;
  const highlighted = highlightedIn(text);
  return {
    language: language === "" && file !== undefined ? languageOfFile(file) : language,
    ...(file !== undefined && { file }),
    ...(label !== undefined && label !== "" && { label }),
    ...(highlighted !== "" && { highlighted }),
  };
}

/** The title, or what stands in brackets. */
function titleOf(text: string): string | undefined {
  const found = /(?:^|[\s{,])(?:title|label|tab)\s*=\s*(?:"([^"]{1,60})"|'([^']{1,60})')|\[([^\]]{1,60})\]/i.exec(text);
  return (found?.[1] ?? found?.[2] ?? found?.[3])?.trim();
}

/** `{1,3-5}` of VitePress, Docusaurus and Nextra, `hl_lines="1 3"` of MkDocs, `highlight={1-2}` of Mintlify. */
function highlightedIn(text: string): string {
  const found =
    /(?:^|[\s\w\]"']|\bhighlight=)\{([\d,\s-]{1,60})\}/.exec(text) ??
    /\bhl_lines\s*=\s*["']([\d\s,-]{1,60})["']/.exec(text);
  return (found?.[1] ?? "")
    .split(/[\s,]+/)
    .filter((part) => /^\d+(?:-\d+)?$/.test(part))
    .join(", ");
}

function toFile(text: string, word: string): string | undefined {
  const attribute =
    /(?:^|[\s{,])(?:title|filename|file|label|name|source)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s}"']+))/i.exec(text);
  const given = attribute?.[1] ?? attribute?.[2] ?? attribute?.[3];
  if (given !== undefined) return given.trim();
  const label = /\[([^\]]{1,300})\]/.exec(text)?.[1];
  if (label !== undefined) return label.trim();
  if (text.startsWith(`${word}:`)) return /^[^\s{]+/.exec(text.slice(word.length + 1))?.[0];
  if (isFileName(word)) return word;
  return text.split(/\s+/, 2)[1];
}
