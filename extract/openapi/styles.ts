import { isObject } from "../json.ts";

/** How arrays and objects are written in a parameter or form. */
export interface Style {
  readonly style: string;
  readonly explode: boolean;
}

/** Text as it is, any other value as JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

const separators: Readonly<Record<string, string>> = { pipeDelimited: "|", spaceDelimited: " " };

/** The names and values that a value is in a query, form or cookie. `write` encodes texts; commas between them are not encoded. */
export function pairsOf(
  name: string,
  value: unknown,
  { style, explode }: Style,
  write: (text: string) => string,
): readonly (readonly [name: string, text: string])[] {
  const separator = style in separators ? write(separators[style] ?? ",") : ",";
  const joined = (texts: readonly unknown[]): string => texts.map((one) => write(textOf(one))).join(separator);
  if (style === "deepObject" && typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
      pairsOf(Array.isArray(value) ? `${name}[]` : `${name}[${key}]`, inner, { style, explode }, write),
    );
  if (Array.isArray(value)) return explode ? value.map((one) => [name, joined([one])]) : [[name, joined(value)]];
  if (!isObject(value)) return [[name, joined([value])]];
  if (!explode) return [[name, joined(Object.entries(value).flat())]];
  return Object.entries(value).flatMap(([key, inner]) => pairsOf(key, inner, { style, explode }, write));
}

/** A value in a path or header: `simple` (`a,b`), `label` (`.a,b`) or `matrix` (`;name=a,b`). */
export function inlineOf(
  name: string,
  value: unknown,
  { style, explode }: Style,
  write: (text: string) => string,
): string {
  const texts = (values: readonly unknown[]): readonly string[] => values.map((one) => write(textOf(one)));
  const isMap = isObject(value);
  const list = isMap
    ? explode
      ? Object.entries(value).map((entry) => texts(entry).join("="))
      : texts(Object.entries(value).flat())
    : texts(Array.isArray(value) ? value : [value]);
  const prefix = prefixOf(name, style);
  if (style === "label") return `.${list.join(explode ? "." : ",")}`;
  if (style !== "matrix") return list.join(",");
  return explode
    ? list.map((text) => (isMap ? `;${text}` : `${prefix}${text}`)).join("")
    : `${prefix}${list.join(",")}`;
}

/** What comes before a value in a path. */
export function prefixOf(name: string, style: string): string {
  return style === "label" ? "." : style === "matrix" ? `;${name}=` : "";
}
