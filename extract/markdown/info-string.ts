import { isFileName } from "../file-name.ts";
import { languageOfFile, toLanguage } from "../language.ts";

/** What the words behind a fence's marker say. */
export interface FenceInfo {
  /** Canonical; "" where nothing tells. */
  readonly language: string;
  readonly file?: string;
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
  const found = language === "" && file !== undefined ? languageOfFile(file) : language;
  return file === undefined ? { language: found } : { language: found, file };
}

function toFile(text: string, word: string): string | undefined {
  const attribute =
    /(?:^|[\s{,])(?:title|filename|file|label|name|source)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s}"']+))/i.exec(text);
  const given = attribute?.[1] ?? attribute?.[2] ?? attribute?.[3];
  if (given !== undefined) return given.trim();
  const label = /\[([^\]]+)\]/.exec(text)?.[1];
  if (label !== undefined) return label.trim();
  if (text.startsWith(`${word}:`)) return /^[^\s{]+/.exec(text.slice(word.length + 1))?.[0];
  if (isFileName(word)) return word;
  return text.split(/\s+/, 2)[1];
}
