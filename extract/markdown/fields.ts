/** Parameters and fields in components, written as list items. */

/** Attributes by their names; those without a value are "". */
export type Attributes = Readonly<Record<string, string | undefined>>;

const attribute =
  /(?<=[\s{])([A-Za-z][\w:-]{0,40})(?:\s{0,5}=\s{0,5}(?:"([^"]{0,500})"|'([^']{0,500})'|\{\s{0,5}(?:"([^"]{0,500})"|'([^']{0,500})'|`([^`]{0,500})`|([\w.-]{1,60}))\s{0,5}\}|([^\s"'{}>]{1,200})|(?=\{)))?/g;

/** The attributes of a tag with a text or number as value; those without a value are "". */
export function attributesOf(text: string): Attributes {
  const attributes: Record<string, string | undefined> = {};
  for (const [, name = "", ...values] of text.matchAll(attribute))
    attributes[name] ??= (values.find((value) => value !== undefined) ?? "").replace(/\s+/g, " ").trim();
  return attributes;
}

const places = ["path", "query", "header", "cookie", "body"] as const;

/** A parameter or field as a list item. */
export function fieldLabel(attributes: Attributes, isEmpty: boolean, depth: number): string {
  const place = places.find((one) => (attributes[one] ?? "") !== "");
  const name = attributes["name"] ?? (place === undefined ? "" : attributes[place]) ?? "";
  if (name === "") return "";
  const standard = attributes["default"] ?? "";
  const facts = [
    place ?? "",
    attributes["type"] ?? "",
    isSet(attributes["required"]) ? "required" : "",
    isSet(attributes["deprecated"]) ? "deprecated" : "",
    standard === "" ? "" : `default \`${standard}\``,
  ].filter((fact) => fact !== "");
  const shown = facts.length === 0 ? "" : ` (${facts.join(", ")})`;
  return `${"  ".repeat(depth)}- **\`${name}\`**${shown}${isEmpty ? "" : ":"}`;
}

/** A field with its description. */
function rowLabel(row: Attributes, depth: number): string {
  const { description } = row;
  return fieldLabel(row, description === undefined, depth) + (description ? ` ${description}` : "");
}

/** True for Markdown that begins with a parameter or field of a component. */
export function isFieldList(markdown: string): boolean {
  return markdown.startsWith("- **`");
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "false";
}

/** Maximum length of a table of types, in characters. */
const maxTableLength = 8000;
const property =
  /^[ \t]*(?:["'](?<quoted>[^"'\n]{1,80})["']|(?<bare>[\w$-]{1,80})):[ \t]*(?:\{|(?:"(?<double>[^"\n]{0,400})"|'(?<single>[^'\n]{0,400})'|`(?<raw>[^`]{0,400})`|(?<value>[\w.-]{1,60}))[ \t]*(?:,[ \t]*)?(?=\}|$))/gm;

/** `<TypeTable type={{ name: { type: "string", description: "What it is" } }} />` of Fumadocs as a list, and its end. */
export function typeTable(markdown: string, at: number): readonly [string, number] {
  const source = markdown.slice(at, at + maxTableLength);
  const close = source.indexOf("/>");
  if (close < 0) return ["", at];
  const rows: Record<string, string>[] = [];
  const inLines = source.slice(0, close).replace(/(?<=[{,])[ \t]+(?=["'\w$-]+:)/g, "\n");
  for (const { groups = {} } of inLines.matchAll(property)) {
    const { quoted, bare = "", double, single, raw, value } = groups;
    const text = double ?? single ?? raw ?? value;
    const row = rows.at(-1);
    if (text === undefined) rows.push({ name: quoted ?? bare });
    else if (row !== undefined) row[bare] ??= text;
  }
  return [rows.map((row) => rowLabel(row, 0)).join("\n"), at + close + 2];
}

/** Maximum length of a table of properties, in characters; those of large functions are long. */
const maxPropertiesLength = 200_000;
const pair =
  /\b(?<key>name|type|isOptional|required|default|description):\s{0,100}(?:"(?<double>[^"\n]{0,1000})"|'(?<single>(?:[^'\\\n]|\\.){0,1000})'|`(?<raw>[^`]{0,1000})`|(?<value>true|false))|(?<opens>\b\w{1,40}):\s{0,20}\[|(?<closes>\])/g;

/** `<PropertiesTable content={[{ name: "a", type: "string", description: "What it is" }]} />` as a list, and its end. */
export function propertiesTable(markdown: string, at: number): readonly [string, number] {
  const text = markdown.slice(at, at + maxPropertiesLength);
  const close = /\]\s{0,20}\}\s{0,20}\/>/.exec(text);
  if (close === null) return ["", at];
  const rows: { readonly row: Record<string, string>; readonly depth: number }[] = [];
  /** Open lists. Rows in a list of parameters belong to the row before it. */
  const lists: string[] = [];
  let depth = 0;
  for (const { groups = {} } of text.slice(0, close.index).matchAll(pair)) {
    const { key = "", double, single, raw, value, opens, closes } = groups;
    if (opens !== undefined) lists.push(opens);
    if (opens === "parameters") depth++;
    if (closes !== undefined && lists.pop() === "parameters") depth--;
    if (key === "") continue;
    const content = (double ?? single?.replace(/\\(.)/g, "$1") ?? raw ?? value ?? "").replace(/\s+/g, " ");
    const row = rows.at(-1)?.row;
    if (key === "name") rows.push({ row: { name: content }, depth: Math.min(depth, 6) });
    else if (row !== undefined) row[key] ??= content;
  }
  const items = rows.map(({ row, depth: level }) => {
    const required = row["isOptional"] === "true" ? "false" : (row["required"] ?? "false");
    return rowLabel({ ...row, required }, level);
  });
  return [items.join("\n"), at + close.index + close[0].length];
}
