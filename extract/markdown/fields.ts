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

/** The name of a parameter or field, "" without, and what its attributes say of it: `query, string, required`. */
export function fieldFacts(attributes: Attributes): { readonly name: string; readonly facts: string } {
  const place = places.find((one) => (attributes[one] ?? "") !== "");
  const name = attributes["name"] ?? (place === undefined ? "" : attributes[place]) ?? "";
  const standard = attributes["default"] ?? "";
  const facts = [
    place ?? "",
    attributes["type"] ?? "",
    isSet(attributes["required"]) ? "required" : "",
    isSet(attributes["deprecated"]) ? "deprecated" : "",
    standard === "" ? "" : `default \`${standard}\``,
  ];
  return { name, facts: facts.filter((fact) => fact !== "").join(", ") };
}

/** A row of a table of fields, and how many others it is part of. */
export interface FieldRow {
  readonly row: Record<string, string>;
  readonly depth: number;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "false";
}

/** Maximum length of a table of types, in characters. */
const maxTableLength = 8000;
const property =
  /^[ \t]*(?:["'](?<quoted>[^"'\n]{1,80})["']|(?<bare>[\w$-]{1,80})):[ \t]*(?:\{|(?:"(?<double>[^"\n]{0,400})"|'(?<single>[^'\n]{0,400})'|`(?<raw>[^`]{0,400})`|(?<value>[\w.-]{1,60}))[ \t]*(?:,[ \t]*)?(?=\}|$))/gm;

/** The rows of `<TypeTable type={{ name: { type: "string", description: "What it is" } }} />` of Fumadocs. */
export function typeTable(source: string): readonly FieldRow[] {
  const rows: FieldRow[] = [];
  const inLines = source.slice(0, maxTableLength).replace(/(?<=[{,])[ \t]+(?=["'\w$-]+:)/g, "\n");
  for (const { groups = {} } of inLines.matchAll(property)) {
    const { quoted, bare = "", double, single, raw, value } = groups;
    const text = double ?? single ?? raw ?? value;
    const row = rows.at(-1)?.row;
    if (text === undefined) rows.push({ row: { name: quoted ?? bare }, depth: 0 });
    else if (row !== undefined) row[bare] ??= text;
  }
  return rows;
}

/** Maximum length of a table of properties, in characters; those of large functions are long. */
const maxPropertiesLength = 200_000;
const pair =
  /\b(?<key>name|type|isOptional|required|default|description):\s{0,100}(?:"(?<double>[^"\n]{0,1000})"|'(?<single>(?:[^'\\\n]|\\.){0,1000})'|`(?<raw>[^`]{0,1000})`|(?<value>true|false))|(?<opens>\b\w{1,40}):\s{0,20}\[|(?<closes>\])/g;

/** The rows of `<PropertiesTable content={[{ name: "a", type: "string", description: "What it is" }]} />`. */
export function propertiesTable(source: string): readonly FieldRow[] {
  const rows: FieldRow[] = [];
  /** Open lists. Rows in a list of parameters belong to the row before it. */
  const lists: string[] = [];
  let depth = 0;
  for (const { groups = {} } of source.slice(0, maxPropertiesLength).matchAll(pair)) {
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
  for (const { row } of rows) row["required"] = row["isOptional"] === "true" ? "false" : (row["required"] ?? "false");
  return rows;
}
