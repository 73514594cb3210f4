import { decodePage } from "../decode.ts";
import type { ValueOf } from "../markdown/variables.ts";

/**
 * What a repository says of the names that its pages have in double braces: `subs` of docset.yml (Elastic's docs-builder), `extra` of mkdocs.yml
 * (mkdocs-macros-plugin), the attributes of antora.yml, what _config.yml of Jekyll says of the site, `myst_substitutions` of _config.yml and conf.py (MyST).
 */

const names = [
  "docset.yml",
  "_docset.yml",
  "mkdocs.yml",
  "mkdocs.yaml",
  "antora.yml",
  "_config.yml",
  "conf.py",
] as const;
/** Folders above a page that are looked into. */
const maxFolders = 8;
/** Maximum length of a file, in characters, and of a value. */
const maxFileLength = 300_000;
const maxValueLength = 200;
const maxDepth = 8;

const variable = /\{\{-?[ \t]{0,5}[A-Za-z_][\w.-]{0,80}[ \t]{0,5}(?:\||-?\}\})/;

/** Paths in the tree of the file that may say what names of a page stand for, the best first; none for a page without such names. */
export function variablePlaces(path: string, source: string): readonly string[] {
  if (!source.includes("{{") || !variable.test(source)) return [];
  const folders: string[] = [];
  let folder = path;
  do {
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")));
    folders.push(folder);
  } while (folder !== "" && folders.length < maxFolders);
  return folders.flatMap((one) => names.map((name) => (one === "" ? name : `${one}/${name}`)));
}

/** What the file at a path says of names, by its own name. */
export function readVariables(path: string, bytes: Uint8Array): ValueOf {
  const decoded = decodePage(bytes);
  if ("code" in decoded || decoded.text.length > maxFileLength) return () => undefined;
  const scalars = path.endsWith(".py") ? readDictionary(decoded.text) : readScalars(decoded.text);
  const prefixes = prefixesOf(path.slice(path.lastIndexOf("/") + 1));
  const lookUp: ValueOf = (name) => {
    for (const [written, held] of prefixes) {
      const found = name.startsWith(written) ? scalars.get(held + name.slice(written.length)) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return (name) =>
    // A value may have names itself.
    lookUp(name)?.replace(
      /\{\{[ \t]{0,5}([\w.-]{1,80})[ \t]{0,5}\}\}/g,
      (whole, inner: string) => lookUp(inner) ?? whole,
    );
}

/** What names begin with in pages, and in the file. */
function prefixesOf(name: string): readonly (readonly [string, string])[] {
  if (name.endsWith("docset.yml")) return [["", "subs."]];
  if (name === "antora.yml") return [["", "asciidoc.attributes."]];
  if (name === "conf.py") return [["", ""]];
  if (name === "_config.yml")
    return [
      ["site.", ""],
      ["", "parse.myst_substitutions."],
      ["", "sphinx.config.myst_substitutions."],
    ];
  return [
    ["config.", ""],
    ["extra.", "extra."],
    ["", "extra."],
  ];
}

const line = /^( {0,40})(?:"([^"\n]{1,80})"|'([^'\n]{1,80})'|([\w.$@-]{1,80}))[ \t]{0,10}:(?:[ \t]+(.{0,1000}))?$/;

/** All that is a word or a few in YAML, by its keys with dots between them. What is broken elsewhere does no harm. */
function readScalars(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const open: { readonly indent: number; readonly key: string }[] = [];
  /** Lines that are deeper belong to a text. */
  let textAt = Infinity;
  for (const row of text.split(/\r\n?|\n/)) {
    if (row.trim() === "" || row.trimStart().startsWith("#")) continue;
    const indent = row.length - row.trimStart().length;
    if (indent > textAt) continue;
    textAt = Infinity;
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const [, , double, single, bare, value = ""] = line.exec(row) ?? [];
    const key = double ?? single ?? bare;
    if (key === undefined || open.length >= maxDepth) continue;
    open.push({ indent, key });
    if (/^[|>]/.test(value)) textAt = indent;
    const said = scalarOf(value.trim());
    const name = open.map((one) => one.key).join(".");
    if (said !== undefined && !found.has(name)) found.set(name, said);
  }
  return found;
}

/** Strings of `myst_substitutions = { "name": "value" }` in Python. */
function readDictionary(text: string): ReadonlyMap<string, string> {
  const from = /^myst_substitutions\s{0,5}=\s{0,5}\{/m.exec(text);
  if (from === null) return new Map();
  const end = text.indexOf("\n}", from.index);
  const body = text.slice(from.index, end < 0 ? from.index + 20_000 : end);
  const pairs = body.matchAll(/["']([\w.-]{1,80})["']\s{0,5}:\s{0,20}(?:"([^"\n]{1,200})"|'([^'\n]{1,200})')/g);
  return new Map([...pairs].map(([, key = "", double, single]) => [key, double ?? single ?? ""]));
}

function scalarOf(value: string): string | undefined {
  const [, double, single] = /^(?:"([^"]*)"|'([^']*)')(?:\s+#.*)?$/.exec(value) ?? [];
  // A soft attribute of Antora ends in this sign.
  const said =
    double ?? single ?? (/^[^\s"'[{&*!|>#-]/.test(value) ? value.replace(/\s#.*/, "").replace(/@$/, "") : "");
  const shown = said.trim();
  return shown === "" || shown.length > maxValueLength ? undefined : shown;
}
