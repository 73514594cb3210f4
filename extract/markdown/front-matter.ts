import { parseDocument, YAMLMap } from "yaml";
import { languageOfKernel } from "../language.ts";
import type { SourceLines } from "./lines.ts";
import type { ValueOf } from "./variables.ts";

/** The metadata before a page's text. Strings are "" without a value. */
export interface FrontMatter {
  readonly title: string;
  readonly description: string;
  /** True for a page that its authors hide: a draft, unlisted, or excluded from their own search. */
  readonly hidden: boolean;
  /** The language of the kernel of Jupyter that runs its code; "" without. */
  readonly kernel: string;
  /** The short value of any name; undefined without one. */
  readonly valueOf: ValueOf;
  /** Offset of the text after it; 0 without front matter. */
  readonly end: number;
}

/** Maximum length, in characters; longer front matter is skipped. */
const maxLength = 65_536;
const none: FrontMatter = { title: "", description: "", hidden: false, kernel: "", valueOf: () => undefined, end: 0 };

/**
 * Reads YAML between lines of `---` or TOML between lines of `+++` at the start of a text, with up to three blank lines before.
 * Broken front matter is ignored, as it is no reason to skip a page.
 */
export function parseFrontMatter(source: string): FrontMatter {
  const opening = /^(?:[ \t]*(?:\r\n?|\n)){0,3}(---|\+\+\+)[ \t]*(?:\r\n?|\n)/.exec(source);
  if (opening === null) return none;
  const [, fence] = opening;
  const start = opening[0].length;
  const closing =
    fence === "---" ? /^(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|$(?![\s\S]))/gm : /^\+\+\+[ \t]*(?:\r\n?|\n|$(?![\s\S]))/gm;
  closing.lastIndex = start;
  const close = closing.exec(source);
  if (close === null) return none;
  const end = close.index + close[0].length;
  const text = source.slice(start, close.index);
  // Prose between two thematic breaks is not front matter.
  if (!(fence === "---" ? isYaml(text) : isToml.test(text))) return none;
  if (text.length > maxLength) return { ...none, end };
  const get = fence === "---" ? yamlReader(text) : tomlReader(text);
  return {
    title: string(get("title")) || string(get("sidebar_label")) || string(get("sidebartitle")),
    description: string(get("description")),
    hidden: truth(get("draft")) || truth(get("unlisted")) || isOff(get("search")) || isOff(get("pagefind")),
    kernel: kernelOf(text),
    valueOf: wordReader(text),
    end,
  };
}

/** `kernelspec` of Jupytext and MyST-NB, by its language or name; `engine` and `jupyter` of Quarto. */
function kernelOf(text: string): string {
  const [, inner = ""] = /^kernelspec:[ \t]*\r?\n((?:[ \t]+[^\n]{0,200}\n?){1,10})/m.exec(text) ?? [];
  const name = /^[ \t]+language:[ \t]*(\S{1,40})/m.exec(inner) ?? /^[ \t]+name:[ \t]*(\S{1,40})/m.exec(inner);
  return languageOfKernel((name ?? /^jupyter:[ \t]*(\w[\w-]{0,40})[ \t]*$/m.exec(text))?.[1] ?? "");
}

const isToml = /^\s*(?:[\w"'-][^\n:=]*=|\[|#|$)/;
/** A key at the beginning of a line, and one that is no word of prose, such as `Note:`. */
const key = /^["']?[\w$][^\n:#]{0,80}:(?:[ \t]|$)/;
const plainKey = /^["']?(?:[a-z_$]|(?:Authors?|Categories|Date|Description|Draft|Layout|Tags|Title|Weight)\b)/;

/**
 * Whether a text is lines of YAML rather than prose: the lines that are not indented, listed, commented out or in brackets have keys.
 * Others may be the end of a broken value, unless the text begins with a blank line, as prose below a thematic break does.
 */
function isYaml(text: string): boolean {
  const [first = "", ...others] = text
    .slice(0, maxLength)
    .trimEnd()
    .split(/\r\n?|\n/);
  const lines = [first, ...others].filter((line) => line.trim() !== "");
  const [indent = ""] = /^[ \t]*/.exec(lines[0] ?? "") ?? [];
  const top = lines.flatMap((line) => {
    const own = line.startsWith(indent) ? line.slice(indent.length) : line;
    return /^[^\s\]}#-]/.test(own) ? own : [];
  });
  if (top.length === 0) return lines.length > 1 ? first.startsWith("#") && !others.includes("") : isComment(lines[0]);
  const keys = top.filter((line) => key.test(line));
  const [one, two] = top.map((line) => key.test(line));
  const isBroken = first.trim() !== "" && one && (two || keys.length * 2 > top.length);
  return (keys.length === top.length || isBroken === true) && keys.some((line) => plainKey.test(line));
}

/** True for no line at all, or a key that is commented out. */
function isComment(line = "# :"): boolean {
  return /^#[ \t]*[^\n:#]{0,80}:(?:[ \t]|$)/.test(line);
}

/** The first line of a text after its front matter, from 0. */
export function bodyLine({ source, starts }: SourceLines): number {
  return starts.indexOf(parseFrontMatter(source).end);
}

/** `search: false` of VitePress and Jekyll themes, `search.exclude: true` of MkDocs, `pagefind: false` of Starlight. */
function isOff(value: unknown): boolean {
  if (value === false || value === "false") return true;
  return value instanceof YAMLMap && truth(value.get("exclude"));
}

/** A name with a short value, at the top level or in a map, such as `substitutions` of MyST. */
const scalar =
  /^([ \t]{0,8})["']?([\w-]{1,60})["']?[ \t]*[:=][ \t]*(?:"([^"\n]{1,100})"|'([^'\n]{1,100})'|([\w.][^\n#"'{}[\]]{0,100}))$/gm;

/** Reads all names on the first request, as few pages need them. */
function wordReader(text: string): ValueOf {
  let values: Map<string, string> | undefined;
  const read = (): Map<string, string> => {
    const top = new Map<string, string>();
    const inner = new Map<string, string>();
    for (const [, indent = "", name = "", double, single, bare = ""] of text.matchAll(scalar)) {
      const into = indent === "" ? top : inner;
      if (!into.has(name)) into.set(name, (double ?? single ?? bare).trim());
    }
    return new Map([...inner, ...top]);
  };
  return (name) => (values ??= read()).get(name);
}

type Reader = (key: string) => unknown;

/** A top-level key that is read, in any case, as Hugo allows. */
const yamlPair =
  /^(["']?)(title|description|sidebar_label|sidebarTitle|draft|unlisted|search|pagefind)\1[ \t]*:(?:[ \t].*)?$/gim;
/** Parses only the keys that are read, so that errors elsewhere do no harm. */
function yamlReader(text: string): Reader {
  const starts = [...text.matchAll(yamlPair)];
  const pairs = starts.map(({ index, 0: line, 2: written = "" }) => {
    const next = /^[A-Za-z_"'][^\n]*:/gm;
    next.lastIndex = index + line.length;
    return text.slice(index, next.exec(text)?.index ?? text.length).replace(written, written.toLowerCase());
  });
  const document = parseDocument(pairs.join("\n"), {
    logLevel: "silent",
    prettyErrors: false,
    strict: false,
    uniqueKeys: false,
  });
  return (key) => (document.has(key) ? document.get(key) : undefined);
}

const tomlPair =
  /^[ \t]*(?<key>[\w-]+)\s*=\s*(?:"(?<double>(?:[^"\\\n]|\\.)*)"|'(?<single>[^'\n]*)'|(?<bare>true|false))/gm;

function tomlReader(text: string): Reader {
  const [head = ""] = text.split(/^[ \t]*\[/m, 1);
  const values = new Map<string, unknown>();
  for (const { groups = {} } of head.matchAll(tomlPair)) {
    const { key = "", double, single, bare } = groups;
    values.set(key.toLowerCase(), bare === undefined ? (double?.replace(/\\(.)/g, "$1") ?? single) : bare === "true");
  }
  return (key) => values.get(key);
}

function string(value: unknown): string {
  return typeof value === "string" ? value.replace(/\s+/g, " ").trim().slice(0, 500) : "";
}

function truth(value: unknown): boolean {
  return value === true || value === "true";
}
