import { toLanguage } from "../language.ts";

/** Values of a Sphinx project's `conf.py` that are simple literals. The file is never executed. */
export interface Conf {
  /** Its folder in the tree. */
  readonly folder: string;
  /** Language of code that names none; "" if unknown. */
  readonly language: string;
  readonly defaultRole: string;
  readonly domain: string;
  /** Text before and after each page, which has definitions. */
  readonly prolog: string;
  readonly epilog: string;
  /** Roles that are links: address and text with `%s`. */
  readonly links: ReadonlyMap<string, readonly [address: string, text: string]>;
  /** Values of names between bars, such as `version`. */
  readonly values: ReadonlyMap<string, string>;
  /** Members are shown unless a directive says otherwise. */
  readonly hasMembers: boolean;
}

/** Maximum length of the file and of a text in it, in characters. */
const maxLength = 300_000;
const maxText = 20_000;

export const noConf: Conf = readConf("", "");

/** Reads a `conf.py` as text. */
export function readConf(source: string, folder: string): Conf {
  const text = source.slice(0, maxLength);
  const language = stringOf(text, "highlight_language");
  const defaultRole = stringOf(text, "default_role");
  const values = ["version", "release"].flatMap((name): [string, string][] => {
    const value = stringOf(text, name);
    return value === "" ? [] : [[name, value]];
  });
  return {
    folder,
    language: /^(?:default|guess)?$/i.test(language) ? "" : codeLanguage(language),
    defaultRole,
    domain: stringOf(text, "primary_domain") || "py",
    prolog: stringOf(text, "rst_prolog"),
    epilog: stringOf(text, "rst_epilog"),
    links: linksOf(text),
    values: new Map(values),
    hasMembers: /^autodoc_default_(?:options|flags)[^]{0,300}?["']members["']/m.test(text),
  };
}

/** The canonical language of a lexer of Pygments; "" for those that guess. */
export function codeLanguage(name: string): string {
  if (/^(?:default|guess)?$/i.test(name)) return "";
  return /^none$/i.test(name) ? "text" : toLanguage(name);
}

/** The text that is assigned to a name; "" if it is no literal. */
function stringOf(source: string, name: string): string {
  const start = new RegExp(`^${name}[ \\t]{0,20}(?::[ \\t]*\\w+[ \\t]*)?\\+?=[ \\t]{0,20}(?:\\(\\s{0,50})?`, "m").exec(
    source,
  );
  return start === null ? "" : (literalAt(source, start.index + start[0].length)?.value ?? "");
}

/** The string at an offset, with those that follow it directly. */
function literalAt(source: string, at: number): { readonly value: string; readonly end: number } | undefined {
  const [opening = "", prefix = "", quote = ""] = /^([rRuU]{0,2})("""|'''|"|')/.exec(source.slice(at, at + 8)) ?? [];
  if (quote === "") return undefined;
  const start = at + opening.length;
  let end = start;
  while (end < source.length && !source.startsWith(quote, end)) {
    if (end - start > maxText || (quote.length === 1 && source[end] === "\n")) return undefined;
    end += source[end] === "\\" ? 2 : 1;
  }
  const raw = source.slice(start, end);
  const value = /r/i.test(prefix)
    ? raw
    : raw.replace(/\\(\n|[^])/g, (_, char: string) =>
        char === "\n" ? "" : char === "n" ? "\n" : char === "t" ? "\t" : /["'\\]/.test(char) ? char : `\\${char}`,
      );
  return { value, end: end + quote.length };
}

/** `extlinks = {"issue": ("https://…/%s", "#%s")}`. */
function linksOf(source: string): Conf["links"] {
  const links = new Map<string, readonly [string, string]>();
  const start = /^extlinks[ \t]{0,20}(?::[^=\n]{0,100})?=[ \t]{0,20}(?:\{|dict\()/m.exec(source);
  if (start === null) return links;
  const body = source.slice(start.index + start[0].length, start.index + maxText);
  const entries = body.slice(0, /^[})]/m.exec(body)?.index ?? body.length);
  for (const [, name = "", address = "", text = ""] of entries.matchAll(
    /["']([\w.-]{1,60})["']\s{0,20}:\s{0,20}[([]\s{0,50}["'](https?:[^"'\s]{1,300})["']\s{0,20}(?:,\s{0,50}(?:["']([^"'\n]{0,100})["'])?)?/g,
  ))
    links.set(name.toLowerCase(), [address, text]);
  return links;
}
