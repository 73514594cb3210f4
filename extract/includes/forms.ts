import type { Lines } from "../blocks.ts";
import type { Base } from "./includable-files.ts";
import type { Selection } from "./selection.ts";
import { attributesOf, firstWord, toColonRanges, toDashRange, toRange, toRanges } from "./arguments.ts";

/** An include as a page writes it. */
export interface Written {
  /** The path as written. */
  readonly path: string;
  readonly base: Base;
  /** Fallback path in the tool's folder of shared files. */
  readonly shared?: string;
  /** Extensions that a bundler would try. */
  readonly endings?: readonly string[];
  readonly selection: Selection;
  /** Shown as code even if the file is prose. */
  readonly asCode: boolean;
  readonly language?: string;
  /** Title or file name for the code. */
  readonly label?: string;
  /** The label is that of a tab. */
  readonly isTab?: boolean;
  /** Templates have the same syntax: in a fence it is code of the page, unless the file exists. */
  readonly isTemplate?: boolean;
  /** Highlighted lines, counted in the file or in the excerpt. */
  readonly highlight?: { readonly lines: readonly Lines[]; readonly ofFile: boolean };
}

/** A form of includes on a line of their own. */
interface LineForm {
  /** The beginning of each line in this form. */
  readonly start: string;
  /** The tool replaces it before it parses fences, so it counts in fences too. */
  readonly inFences: boolean;
  /** Reads a trimmed line; null if it has another form. */
  read(text: string): Written | null;
}

/** Maximum length of a line with an include, in characters. */
const maxLineLength = 1000;

/** Reads a line that consists of an include; null for any other line. */
export function readLine(text: string, inFence: boolean): Written | null {
  if (text.length > maxLineLength) return null;
  for (const form of forms) {
    if (!text.startsWith(form.start) || (inFence && !form.inFences)) continue;
    const written = form.read(text);
    if (written !== null) return written;
  }
  return null;
}

/** The forms of includes on a line of their own. */
const forms: readonly LineForm[] = [
  { start: "<<<", inFences: false, read: readSnippetImport },
  { start: "@[code", inFences: false, read: readCodeImport },
  { start: "<!--", inFences: true, read: readIncludeComment },
  { start: "-", inFences: true, read: (text) => readScissors(/^-{1,9}8<-{1,9}[ \t]+(["'])(.+)\1$/.exec(text)?.[2]) },
  { start: "{*", inFences: false, read: readVariant },
  { start: "{!", inFences: true, read: readInclusion },
  { start: "{{#", inFences: true, read: readBookInclude },
  { start: "{%", inFences: true, read: readLiquid },
  { start: "{{", inFences: true, read: readShortcode },
  { start: "{{", inFences: false, read: readToggle },
  { start: "<Snippet", inFences: false, read: readSnippetTag },
  { start: "[", inFences: false, read: readEmbed },
];

const all: Selection = {};

/** `<<< @/x.ts#region{1,3 ts:line-numbers} [label]` (VitePress, "Import Code Passages"; VuePress 1). */
function readSnippetImport(text: string): Written | null {
  const [, path = "", name, braces = "", label] =
    /^<<<[ \t]*([^\s#{]{1,500})(?:#([\w*.-]{1,100}))?[ \t]*(?:\{([^}]{0,200})\}[ \t]*)?(?:\[([^\]]{1,200})\])?$/.exec(
      text,
    ) ?? [];
  return path === "" ? null : imported(path, name, braces, label);
}

/** `@[code{3-10} ts{2}](./x.ts)` (VuePress 2, "Import Code Blocks"). */
function readCodeImport(text: string): Written | null {
  const [, lines, language, highlight = "", path] =
    /^@\[code(?:\{([\d,\s-]{1,100})\})?[ \t]*([\w+#-]{1,30})?(?:\{([\d,\s-]{1,100})\})?[^\]]{0,100}\]\(([^)]{1,500})\)$/.exec(
      text,
    ) ?? [];
  if (path === undefined) return null;
  const written = imported(path, undefined, highlight, undefined);
  const selection = lines === undefined ? all : { lines: toRanges(lines) };
  return { ...written, selection, ...(language !== undefined && { language }) };
}

function imported(path: string, name: string | undefined, braces: string, label: string | undefined): Written {
  const words = braces.split(/\s+/).filter((word) => word !== "");
  const language = words.find((word) => !/^[\d,-]+$/.test(word))?.replace(/:.*/, "");
  const highlight = toRanges(words.find((word) => /^[\d,-]+$/.test(word)) ?? "");
  return {
    ...aliased(path),
    selection: name === undefined ? all : { name, marking: "region", dedent: true },
    asCode: true,
    ...(language !== undefined && language !== "" && { language }),
    ...(label !== undefined && { label, isTab: true }),
    ...(highlight.length > 0 && { highlight: { lines: highlight, ofFile: false } }),
  };
}

/**
 * `@/`, `@site/` and `/` stand for the folder of the site, `@parts/x.mdx` for a page in a folder `parts` or `_parts` above,
 * anything else is relative to the page.
 */
export function aliased(path: string): Pick<Written, "path" | "base" | "shared"> {
  const alias = /^(?:@\/|~\/|@site\/|\/|@docs\/)/.exec(path)?.[0];
  const named = alias === undefined ? /^@([\w-]{1,40}\/.{1,300}\.mdx?)$/.exec(path)?.[1] : undefined;
  if (named !== undefined) return { path: named, base: "documents", shared: `_${named}` };
  if (alias === undefined) return { path, base: "page" };
  return { path: path.slice(alias.length), base: alias === "@site/" ? "project" : "documents" };
}

/** `<!--@include: ./x.md#part{a,b}-->` (VitePress, "Markdown File Inclusion"), `<!-- @include: f{5-9} -->` (VuePress hope). */
function readIncludeComment(text: string): Written | null {
  const [, path, name, lines] =
    /^<!--[ \t]*@include:[ \t]*([^\s#{<>]{1,500})(?:#([^\s{}<>]{1,100}))?[ \t]*(?:\{([\d,\s-]{1,40})\}[ \t]*)?-->$/.exec(
      text,
    ) ?? [];
  if (path === undefined) return null;
  const [, from = "", to = ""] = /^\s*(?:(\d+)\s*)?[,-]\s*(?:(\d+)\s*)?$/.exec(lines ?? "") ?? [];
  const single = /^\s*\d+\s*$/.test(lines ?? "") ? Number(lines) : undefined;
  const range: Lines = single === undefined ? toRange(from, to) : [single, single];
  return {
    ...aliased(path),
    selection: {
      ...(name !== undefined && { name, marking: "region" }),
      ...(lines !== undefined && { lines: [range] }),
    },
    asCode: false,
  };
}

/** `--8<-- "x.md:start:end"`, `"x.py:section"` (PyMdown Extensions, "Passages"), given the text in quotes. */
export function readScissors(quoted: string | undefined): Written | null {
  const [, path = "", rest] = /^([^\s:][^:]{0,500})(?::(.{0,300}))?$/.exec(quoted?.trim() ?? "") ?? [];
  if (path === "" || path.startsWith(";")) return null;
  const marking = "section" as const;
  const numbers = rest === undefined ? undefined : toScissorLines(rest);
  const selection =
    rest === undefined
      ? { marking }
      : numbers === undefined
        ? { name: rest.trim(), marking }
        : { lines: numbers, marking };
  return { path, base: "project", selection, asCode: false };
}

/** `4`, `4:6`, `:3`, `1:3,5:6`; undefined for the name of a section. */
function toScissorLines(text: string): readonly Lines[] | undefined {
  const parts = text.split(",").map((part) => /^\s*(?:(-?\d+)\s*)?(?::\s*(?:(-?\d+)\s*)?)?$/.exec(part));
  if (parts.some((part) => part === null || part[0].trim() === "")) return undefined;
  // `start` alone means up to the end.
  return parts.map((part) => toRange(part?.[1] ?? "", part?.[2] ?? ""));
}

/** `{* ../../docs_src/x.py ln[1:5] hl[3] title[x.py] *}` (markdown-include-variants, as FastAPI uses it). */
function readVariant(text: string): Written | null {
  const [, path, rest = ""] = /^\{\*[ \t]+(\S{1,500})((?:[ \t]+\w{1,10}\[[^\]]{0,200}\])*)[ \t]*\*\}$/.exec(text) ?? [];
  if (path === undefined) return null;
  const options = Object.fromEntries(
    [...rest.matchAll(/(\w{1,10})\[([^\]]{0,200})\]/g)].map(([, key = "", value = ""]) => [key, value]),
  );
  const { ln, hl, title } = options;
  return {
    path,
    base: "project",
    // `ln[0]` shows the whole file once expanded.
    selection: ln === undefined || /^[\s0]*$/.test(ln) ? all : { lines: toColonRanges(ln) },
    asCode: true,
    ...(title !== undefined && { label: title }),
    ...(hl !== undefined && { highlight: { lines: toColonRanges(hl), ofFile: true } }),
  };
}

/** `{!./x.py[ln:1-5]!}` (mdx_include), `{!x.md!}` (markdown-include). */
function readInclusion(text: string): Written | null {
  const [, path = "", lines] =
    /^\{![>+-]{0,3}[ \t]*([^\s![\]|<>]{1,500})[ \t]*(?:\[ln:([\d,.\s-]{1,100})\][ \t]*)?!\}$/.exec(text) ?? [];
  if (path === "") return null;
  const ranges = lines?.replaceAll(".", "").split(",") ?? [];
  const selection = lines === undefined ? all : { lines: ranges.map((range) => toDashRange(range)) };
  return { path, base: "project", selection, asCode: false };
}

/** `{{#include x.rs:2:10}}`, `:anchor`, `{{#rustdoc_include x.rs}}`, `{{#playground x.rs}}` (mdBook, "mdBook-specific features"). */
function readBookInclude(text: string): Written | null {
  const [, form, path = "", rest] =
    /^\{\{#(include|rustdoc_include|playground|playpen)[ \t]+([^\s:}]{1,500})(?::([^\s}]{0,100}))?[^}]{0,100}\}\}$/.exec(
      text,
    ) ?? [];
  if (path === "") return null;
  const [, from, colon, to = ""] = /^(\d*)(?:(:)(\d*))?$/.exec(rest ?? "") ?? [];
  const selection: Selection =
    rest === undefined || rest === ""
      ? all
      : from === undefined
        ? { name: rest, marking: "anchor" }
        : { lines: [toRange(from, colon === undefined ? from : to)] };
  return { path, base: "page", selection, asCode: form?.startsWith("play") === true };
}

/**
 * `{% include x.md %}` and `{% include_relative x %}` (Jekyll), `{% include "./x.md" %}` (GitBook, MkDocs with macros),
 * `{% include-markdown "../README.md" start="a" end="b" %}` (mkdocs-include-markdown-plugin).
 */
function readLiquid(text: string): Written | null {
  const [, form = "", rest = ""] =
    /^\{%-?[ \t]*(include|include_relative|include_cached|include-markdown|render)[ \t]+(.{1,900}?)-?%\}$/.exec(text) ??
    [];
  const path = firstWord(rest);
  if (path === "" || path.includes("{")) return null;
  const { start, end, dedent } = attributesOf(rest);
  const jekyll = form !== "include-markdown" && form !== "include_relative" && !/^["']|^\.{1,2}\//.test(rest);
  return {
    path: jekyll ? `_includes/${path}` : path,
    base: jekyll ? "project" : "page",
    selection: {
      ...(start !== undefined && { from: { text: start, included: false } }),
      ...(end !== undefined && { to: { text: end, included: false } }),
      ...(dedent === "true" && { dedent: true }),
    },
    asCode: false,
    isTemplate: true,
  };
}

/** `{{< code-toggle file=hugo config=build />}}` of Hugo's documentation: a part of data/docs.yaml by its keys. */
function readToggle(text: string): Written | null {
  const [, rest = ""] = /^\{\{[<%][ \t]*code-toggle[ \t]+(.{1,300}?)\/?[>%]\}\}$/.exec(text) ?? [];
  const { config, dataKey, file = "hugo" } = attributesOf(rest);
  const keys = config ?? dataKey;
  if (keys === undefined) return null;
  return {
    path: "data/docs.yaml",
    base: "project",
    selection: { keys: keys.split(".", 10), ...(config !== undefined && { below: "config" }), dedent: true },
    asCode: true,
    isTemplate: true,
    label: /\.\w{1,5}$/.test(file) ? file : `${file}.yaml`,
  };
}

/**
 * `{{< include "x.md" >}}` (Hugo, Quarto), `{{% readfile file="x" %}}` (Docsy), `{{% code_sample file="x.yaml" %}}`
 * (kubernetes.io: in content/<language>/examples; shared parts of pages are in content/<language>/includes).
 */
function readShortcode(text: string): Written | null {
  const [, form = "", rest = ""] =
    /^\{\{[<%][ \t]*(include|readfile|code_sample|codenew|code-include|embed-code)[ \t]+(.{1,900}?)\/?[>%]\}\}$/.exec(
      text,
    ) ?? [];
  if (form === "") return null;
  const { file, code, language, lang } = attributesOf(rest);
  const path = file ?? firstWord(rest);
  if (path === "") return null;
  const isSample = form === "code_sample" || form === "codenew";
  const named = language ?? lang;
  return {
    ...(isSample ? { path: `examples/${path}`, base: "project" } : aliased(path)),
    // In Hugo's own documentation paths are relative to its content folder.
    ...(form === "include" && { shared: path.startsWith("_") ? path : `includes/${path}` }),
    selection: all,
    isTemplate: true,
    asCode: isSample || code === "true" || form.includes("code-") || form.endsWith("-code"),
    ...(named !== undefined && { language: named }),
  };
}

/** `<Snippet file="x.mdx" />` (Mintlify, in its folder `snippets`). */
function readSnippetTag(text: string): Written | null {
  const path = /^<Snippet\s[^>]{0,200}?file=["']([^"']{1,300})["'][^>]{0,200}\/?>(?:<\/Snippet>)?$/.exec(text)?.[1];
  return path === undefined
    ? null
    : {
        path: `snippets/${path.replace(/^\/?(?:_?snippets\/)?/, "")}`,
        base: "documents",
        selection: all,
        asCode: false,
      };
}

/** `[name](x.md ':include :type=code js :fragment=demo')` (Docsify, "Embed files"). */
function readEmbed(text: string): Written | null {
  const [, path, , options = ""] =
    /^\[[^\]]{0,200}\]\(([^\s)]{1,500})[ \t]+(["']):include(.{0,200})\2\)$/.exec(text) ?? [];
  if (path === undefined) return null;
  const [, isCode, language] = /:type=(code)?[ \t]*([\w+#-]{1,30})?/.exec(options) ?? [];
  const name = /:fragment=([\w-]{1,100})/.exec(options)?.[1];
  return {
    ...aliased(path),
    selection: name === undefined ? all : { from: mark(name), to: mark(name), dedent: true },
    asCode: isCode !== undefined || name !== undefined,
    ...(isCode !== undefined && language !== undefined && { language }),
  };
}

/** Docsify's marker at both ends: `/// [demo]` or `### [demo]`. */
function mark(name: string): { readonly text: string; readonly included: boolean } {
  return { text: `[${name}]`, included: false };
}
