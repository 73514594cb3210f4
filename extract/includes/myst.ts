import { lineAt, lineCount } from "../markdown/lines.ts";
import type { SourceLines } from "../markdown/lines.ts";
import type { Written } from "./forms.ts";
import type { Selection } from "./selection.ts";
import { toRanges } from "./arguments.ts";

/** Maximum number of lines with options. */
const maxOptions = 40;

/**
 * A directive of MyST as a fence: `{literalinclude} x.py` and `{include} ../README.md` with their options (Sphinx,
 * "literalinclude"; MyST-Parser, "Inserting other documents directly").
 */
export function readMystFence(
  lines: SourceLines,
  line: number,
  rest: string,
): { readonly end: number; readonly written: Written } | undefined {
  const [, marker = "", form, path = ""] =
    /^(`{3,}|~{3,}|:{3,})\{(literalinclude|include)\}[ \t]+(\S{1,500})$/.exec(rest) ?? [];
  if (form === undefined) return undefined;
  const options = new Map<string, string>();
  for (let at = line + 1; at < Math.min(lineCount(lines), line + maxOptions); at++) {
    const text = lineAt(lines, at).trim();
    if (text.startsWith(marker)) return { end: at + 1, written: toWritten(path, form, options) };
    const [, name, value = ""] = /^:([\w-]{1,40}):[ \t]*(.{0,300})$/.exec(text) ?? [];
    if (name !== undefined) options.set(name, value.trim());
  }
  return undefined;
}

function toWritten(path: string, form: string, options: ReadonlyMap<string, string>): Written {
  const asCode = form === "literalinclude" || options.has("literal") || options.has("code");
  const language = options.get("language") ?? options.get("code");
  const label = options.get("caption");
  const highlight = toRanges(options.get("emphasize-lines") ?? "");
  return {
    path: path.replace(/^\/+/, ""),
    base: path.startsWith("/") ? "documents" : "page",
    selection: toSelection(options),
    asCode,
    ...(language !== undefined && language !== "" && { language }),
    ...(label !== undefined && label !== "" && { label }),
    ...(highlight.length > 0 && { highlight: { lines: highlight, ofFile: false } }),
  };
}

function toSelection(options: ReadonlyMap<string, string>): Selection {
  const bound = (including: string, excluding: string): Selection["from"] => {
    const included = options.get(including);
    const text = included ?? options.get(excluding);
    return text === undefined || text === "" ? undefined : { text: unquote(text), included: included !== undefined };
  };
  const from = bound("start-at", "start-after");
  const to = bound("end-at", "end-before");
  const lines = options.get("lines");
  const object = options.get("pyobject");
  return {
    ...(lines !== undefined && { lines: toRanges(lines) }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(object !== undefined && { object }),
    ...(options.has("dedent") && { dedent: true }),
  };
}

function unquote(text: string): string {
  return /^(["'])(.*)\1$/.exec(text)?.[2] ?? text;
}
