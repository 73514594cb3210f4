import { closesFence, readFenceLine } from "./fences.ts";

/** Code spans, and Markdoc's tags with their names and attributes, variables, and annotations, which have no name. */
const tag =
  /(?<!`)`+[^`\n]{1,500}`+|\{%[ \t]{0,20}(?<end>\/)?(?:\$(?<variable>[\w.]{1,80})|(?<name>[a-z][\w-]{0,40})(?![\w=-]))?(?<rest>(?:[^%\n"]|%(?!\})|"[^"\n]{0,500}"){0,800}?)(?<closed>\/)?%\}/gi;
/** Tags that are replaced by what they hold. */
const silent = /^(?:if|else|partial|slot)$/;

/** Writes the tags of Markdoc as components (Markdoc, "Tag syntax specification"), with the same lines; code stays as it is. */
export function readMarkdoc(source: string): string {
  if (!source.includes("{%")) return source;
  let open = "";
  return source.replace(/[^\r\n]+/g, (line) => {
    const marker = readFenceLine(line)?.marker ?? "";
    if (open !== "") {
      if (closesFence(line.trim(), open)) open = "";
      return line;
    }
    open = marker;
    return marker === "" ? line.replace(tag, asComponent) : line;
  });
}

function asComponent(whole: string, ...match: unknown[]): string {
  if (whole.startsWith("`")) return whole;
  const groups = match.at(-1) as Readonly<Record<string, string | undefined>>;
  const { end = "", variable, name = "", rest = "", closed = "" } = groups;
  const field = variable === undefined ? undefined : /(?:^|\.)frontmatter\.([\w.]+)$/.exec(variable)?.[1];
  if (variable !== undefined) return field === undefined ? "" : `{{ page.${field} }}`;
  if (name === "" || silent.test(name)) return "";
  if (name === "table") return end === "" ? "<MarkdocTable>" : "</MarkdocTable>";
  if (name === "comment") return end === "" ? "<!--" : "-->";
  const component = name.replace(/(?:^|[-_])([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return end === "" ? `<${component}${rest.trimEnd()}${closed && " /"}>` : `</${component}>`;
}
