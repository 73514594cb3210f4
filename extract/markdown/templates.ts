import { isFileName } from "../file-name.ts";
import { closesFence, fenceAround, readFenceLine } from "./fences.ts";

const capturing =
  /^[ \t]*\{%-?[ \t]{0,5}(?:set|setAsync|capture)[ \t]{1,5}["']?(\w{1,60})["']?[ \t]{0,5}-?%\}([^\n]*)$/;
const captured = /^(.*?)\{%-?[ \t]{0,5}end(?:set|setAsync|capture)[ \t]{0,5}-?%\}\s*$/;
const raw = /\{%-?[ \t]{0,5}(?:end)?raw[ \t]{0,5}-?%\}/g;
const including = /^[ \t]*\{%-?[ \t]{0,5}(?:include|render)\w{0,20}[ \t]/;
const showing = /\{\{-?[ \t]{0,5}(\w{1,60})[ \t]{0,5}(\|[^{}\n]{0,300})?\}\}/g;
/** The language argument of a filter that highlights code. */
const highlighting = /highlight\w{0,20}\([ \t]{0,5}["']([\w+#.-]{1,30})["']/i;
/** A tag with one value, alone on its line. */
const naming = /^[ \t]*\{%-?[ \t]{0,5}\w{1,40}[ \t]{1,5}["']([^"'\n]{1,200})["'][ \t]{0,5}-?%\}\s*$/;
/** An element with text, alone on its line. */
const heading = /^[ \t]*<(div|p|span|figcaption)\b[^<>\n]{0,200}>([^<>\n]{1,200})<\/\1>\s*$/;
const codeName = /code|snippet|example/i;
/** Code spans, and tags with positional values or none. */
const tag =
  /(?<!`)`+[^`\n]{1,500}`+|(?<!\{)\{%-?[ \t]{0,5}(?<end>end)?(?<name>[a-z]\w{0,40})(?<rest>[ \t]{1,5}[^%\s=][^%=\n]{0,500}?)?[ \t]{0,5}-?%\}/gi;
/** Tags that are read elsewhere: those of Liquid, Jinja, Jekyll and GitBook. */
const known =
  /^(?:raw|highlight|codeblock|comment|include|include_relative|include_cached|render|link|post_url|for|if|unless|case|capture|tablerow|macro|elsif|elif|else|when|assign|set|setAsync|import|from|extends|block|increment|decrement|cycle|break|continue|with|call|filter|tabs?|hint|code|content_?ref|stepper|step|aside|embed|file)$/i;

/** Maximum number of lines of captured code. */
const maxLines = 400;
/** Number of lines after captured code that are searched for its use. */
const maxAfter = 12;

/**
 * Replaces tags of the templates that generators such as Eleventy expand in Markdown (Nunjucks, Liquid), except in fences and code
 * spans. Code that is captured under a name becomes a fence, in place of the use of the name; tags with positional values become
 * shortcodes. The number of lines stays the same.
 */
export function readTemplates(source: string): string {
  if (!source.includes("{%")) return source;
  const lines = source.split("\n");
  const names = new Set<string>();
  let open = "";
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (open !== "") {
      if (closesFence(line.trim(), open)) open = "";
      continue;
    }
    open = readFenceLine(line)?.marker ?? "";
    if (open !== "") continue;
    const end = fenceCaptured(lines, at, names);
    if (end >= 0) at = end;
    else if (line.includes("{%")) lines[at] = titled(lines, at, names) ? "" : asShortcodes(line);
    else if (names.size > 0 && line.includes("{{"))
      lines[at] = line.replace(showing, (whole, name: string) => (names.has(name) ? "" : whole));
  }
  return lines.join("\n");
}

/** Writes the captured code that begins on a line as a fence. Returns its last line, -1 if no code begins there. */
function fenceCaptured(lines: string[], at: number, names: Set<string>): number {
  const [whole, name = "", rest = ""] = capturing.exec(lines[at] ?? "") ?? [];
  if (whole === undefined || rest.replace(raw, "").trim() !== "") return -1;
  const end = lines.findIndex((line, index) => index > at && (index - at > maxLines || captured.test(line)));
  const before = captured.exec(lines[end] ?? "")?.[1]?.replace(raw, "");
  if (before === undefined || before.trim() !== "") return -1;
  const language = languageAfter(lines, end, name);
  if (language === undefined) return -1;
  names.add(name);
  for (let line = at + 1; line < end; line++) lines[line] = (lines[line] ?? "").replace(raw, "");
  const mark = fenceAround(lines.slice(at + 1, end).join("\n"));
  // HTML ends at an empty line, so a label above the fence would make it HTML.
  const label = heading.exec(lines[at - 1] ?? "")?.[2]?.trim() ?? "";
  if (isFileName(label)) lines[at - 1] = "";
  lines[at] = `${mark}${language}${isFileName(label) ? `${language === "" ? "text" : ""} title="${label}"` : ""}`;
  lines[end] = mark;
  return end;
}

/** The language in which captured text is shown, "" if unknown; undefined if it is not code. */
function languageAfter(lines: readonly string[], end: number, name: string): string | undefined {
  for (const line of lines.slice(end + 1, end + 1 + maxAfter)) {
    if (including.test(line)) return "";
    for (const [, shown, filters = ""] of line.matchAll(showing))
      if (shown === name) return highlighting.exec(filters)?.[1] ?? (codeName.test(name) ? "" : undefined);
  }
  return codeName.test(name) ? "" : undefined;
}

/** Gives a fence, or captured code, the file name from the tag before it; false if the tag has none. */
function titled(lines: string[], at: number, names: Set<string>): boolean {
  const file = naming.exec(lines[at] ?? "")?.[1] ?? "";
  if (!isFileName(file)) return false;
  const next = lines.findIndex((line, index) => index > at && line.trim() !== "");
  fenceCaptured(lines, next, names);
  const fence = readFenceLine(lines[next] ?? "");
  if (fence === undefined || /title=|`/.test(fence.info)) return false;
  lines[next] = `${fence.marker}${fence.info.trim() || "text"} title="${file}"`;
  return true;
}

function asShortcodes(line: string): string {
  return line.replace(tag, (whole: string, ...match: unknown[]) => {
    const { end = "", name = "", rest = "" } = match.at(-1) as Readonly<Record<string, string | undefined>>;
    if (name === "" || known.test(name)) return whole;
    const [offset = 0] = match.filter((one) => typeof one === "number");
    const isPaired = line.includes(`end${name}`);
    const isGlued =
      end === "" && rest !== "" && !isPaired && /^[\p{L}\p{N}`*_[{]/u.test(line.slice(offset + whole.length));
    // The values of variables are unknown.
    if (rest.trim() !== "" && !/^\s*["'][^{}]*$/.test(rest)) return "";
    // Values of shortcodes have no commas between them, and no format of their text.
    const values = rest
      .replace(/(["'])[ \t]{0,5},[ \t]{0,5}/g, "$1 ")
      .replace(/["'](?:md|markdown|html|text)(?:-\w{1,10})?["']/g, "");
    return `{{% ${end === "" ? "" : "/"}${name}${values} %}}${isGlued ? " " : ""}`;
  });
}
