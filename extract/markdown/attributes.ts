import { decodeHTMLAttribute } from "entities";
import { literalOf } from "./literals.ts";

/** Attributes by their names; those without a value are "". */
export type Attributes = Readonly<Record<string, string | undefined>>;

const attribute =
  /(?<=^|[\s{"'/])([:@#]?[A-Za-z_][\w:.-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|(?=(\{))|([^\s"'`{}>]+)))?|\{/g;

/**
 * The attributes of a tag of HTML, JSX or Vue, or of a text such as `title="Title" open`. Of expressions in braces the strings, numbers and
 * `true` are values, the properties of a style are a style; others are as they are written if `keepsCode`, else left out, as the page does
 * not determine them.
 */
export function attributesOf(text: string, keepsCode = false): Record<string, string> {
  const attributes: Record<string, string> = {};
  attribute.lastIndex = /^<[^\s/>]*/.exec(text)?.[0].length ?? 0;
  for (let match = attribute.exec(text); match !== null; match = attribute.exec(text)) {
    const [, name, double, single, brace, bare = ""] = match;
    let value = double ?? single ?? bare;
    if (value.includes("&")) value = decodeHTMLAttribute(value);
    if (name === undefined || brace !== undefined) {
      const from = name === undefined ? match.index : attribute.lastIndex;
      attribute.lastIndex = endOfExpression(text, from);
      const code = text.slice(from + 1, attribute.lastIndex - 1).trim();
      if (name === undefined && code.startsWith("...{")) spread(code.slice(3), attributes);
      const read = name === undefined ? undefined : (valueOf(name, code) ?? (keepsCode ? code : undefined));
      if (read === undefined) continue;
      value = read;
    }
    if (name !== undefined && !Object.hasOwn(attributes, name)) attributes[name] = value;
  }
  return attributes;
}

/** Adds the texts of an object that is written out: `{...{ className: "a" }}`, as compilers of MDX write it. */
function spread(object: string, attributes: Record<string, string>): void {
  const literal = literalOf(object);
  if (!(literal instanceof Map)) return;
  for (const [key, value] of literal)
    if (typeof value === "string" && !Object.hasOwn(attributes, key)) attributes[key] = value;
}

function valueOf(name: string, code: string): string | undefined {
  const literal = literalOf(code);
  if (typeof literal === "string" || typeof literal === "number") return String(literal);
  if (literal === true) return "";
  if (name !== "style" || !(literal instanceof Map)) return undefined;
  return [...literal].map(([key, value]) => `${hyphenated(key)}: ${String(value)}`).join("; ");
}

/** `font-size` for `fontSize`. */
function hyphenated(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The end of the expression in braces at an offset. */
function endOfExpression(text: string, at: number): number {
  let depth = 0;
  let quote = "";
  for (let end = at; end < text.length; end++) {
    const char = text[end] ?? "";
    if (quote !== "") {
      if (char === "\\") end++;
      else if (char === quote) quote = "";
    } else if (char === '"' || char === "'" || char === "`") quote = char;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return end + 1;
  }
  return text.length;
}
