import { decodePage } from "../decode.ts";
import type { ValueOf } from "../markdown/variables.ts";

/**
 * Files that define values for names in double braces: `subs` of docset.yml (Elastic's docs-builder), `extra` of mkdocs.yml
 * (mkdocs-macros-plugin), the attributes of antora.yml, the site's values in Jekyll's _config.yml, `myst_substitutions` of _config.yml and
 * conf.py (MyST).
 */
const fileNames = ["docset.yml", "_docset.yml", "mkdocs.yml", "mkdocs.yaml", "antora.yml", "_config.yml", "conf.py"];
/** Maximum number of parent folders searched for these files. */
const maxFolders = 8;
/** Maximum length of a file and of a value, in characters. */
const maxFileLength = 300_000;
const maxValueLength = 200;
const maxDepth = 8;

const variable = /\{\{-?[ \t]{0,5}[A-Za-z_][\w.-]{0,80}[ \t]{0,5}(?:\||-?\}\})/;

/** Candidate paths of the file with a page's variables, the best first; none for a page without variables. */
export function variablePlaces(path: string, source: string): readonly string[] {
  if (!source.includes("{{") || !variable.test(source)) return [];
  const folders: string[] = [];
  let folder = path;
  do {
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")));
    folders.push(folder);
  } while (folder !== "" && folders.length < maxFolders);
  return folders.flatMap((one) => fileNames.map((name) => (one === "" ? name : `${one}/${name}`)));
}

/** Reads the variables of a file, in the format of its name. */
export function readVariables(path: string, bytes: Uint8Array): ValueOf {
  const decoded = decodePage(bytes);
  if ("code" in decoded || decoded.text.length > maxFileLength) return () => undefined;
  const scalars = path.endsWith(".py") ? readDictionary(decoded.text) : readScalars(decoded.text);
  const prefixes = prefixesOf(path.slice(path.lastIndexOf("/") + 1));
  const lookUp: ValueOf = (name) =>
    prefixes
      .filter(([onPage]) => name.startsWith(onPage))
      .map(([onPage, inFile]) => scalars.get(inFile + name.slice(onPage.length)))
      .find((value) => value !== undefined);
  return (name) =>
    // A value may contain variables itself.
    lookUp(name)?.replace(
      /\{\{[ \t]{0,5}([\w.-]{1,80})[ \t]{0,5}\}\}/g,
      (whole, inner: string) => lookUp(inner) ?? whole,
    );
}

/** Prefixes of names: on pages, and in the file. */
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

/** The short scalars of YAML by their keys joined with dots. Invalid YAML elsewhere does no harm. */
function readScalars(text: string): ReadonlyMap<string, string> {
  const scalars = new Map<string, string>();
  const open: { readonly indent: number; readonly key: string }[] = [];
  /** Deeper lines belong to a block scalar. */
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
    const scalar = scalarOf(value.trim());
    const name = open.map((one) => one.key).join(".");
    if (scalar !== undefined && !scalars.has(name)) scalars.set(name, scalar);
  }
  return scalars;
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
  // A soft attribute of Antora ends in @.
  const plain = /^[^\s"'[{&*!|>#-]/.test(value) ? value.replace(/\s#.*/, "").replace(/@$/, "") : "";
  const scalar = (double ?? single ?? plain).trim();
  return scalar === "" || scalar.length > maxValueLength ? undefined : scalar;
}
