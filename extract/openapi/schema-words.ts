import { flatten } from "./flat-schema.ts";
import { inlineCode, valueCode } from "./description-text.ts";
import type { Description } from "./located.ts";
import { labelOf, type Branch, type FlatSchema } from "./merged-schema.ts";
import { joined, toText } from "./values.ts";
import { listOf } from "../json.ts";

/** Maximum length of all values of an enumeration, in characters. */
const maxEnumLength = 40_000;
/** Maximum number of alternatives that are named in a type. */
const maxNamed = 12;

/** The type of a schema in words. */
export function typeIn(description: Description, flat: FlatSchema, depth = 0): string {
  const { type, name, keywords, items, choices, additional, properties } = flat;
  const nullable = keywords["nullable"] === true || listOf(keywords["type"]).includes("null") ? " or null" : "";
  // Without numbers, which are those of the alternatives that are listed.
  const labelIn = ({ when, at }: Branch): string => (depth > 0 && labelOf(at)) || when;
  const options = properties.size === 0 ? choices.flat() : [];
  const labels = options.length > 1 ? [...new Set(options.map(labelIn))] : [];
  if (labels.length > 0) {
    const more = labels.length > maxNamed ? ` or ${labels.length - maxNamed} others` : "";
    return `${labels.slice(0, maxNamed).join(" or ")}${more}${nullable}`;
  }
  const inner = (at: typeof items): string => {
    const schema = at && depth < 3 ? flatten(description, at, flat.parts) : undefined;
    return schema === undefined ? "" : typeIn(description, schema, depth + 1);
  };
  if (type === "array") {
    const inside = inner(items);
    return `array${inside === "" ? "" : ` of ${inside}`}${nullable}`;
  }
  if (type === "object" && name !== "") return `${name}${nullable}`;
  if (type === "object" && properties.size === 0 && inner(additional) !== "")
    return `map of ${inner(additional)}${nullable}`;
  const types = listOf(keywords["type"]).filter((one) => one !== "null");
  const format = toText(keywords["format"]);
  const words = types.length > 1 ? types.join(" or ") : type;
  return `${words}${format === "" ? "" : ` (${format})`}${words === "" ? "" : nullable}`.trim();
}

/** Constraints of a schema, and on the items of an array, in words; at most `most` values of an enumeration. */
export function allowedBy(description: Description, flat: FlatSchema, most = Infinity): string {
  const { type, items, parts } = flat;
  const inner = type === "array" && items !== undefined ? flatten(description, items, parts) : undefined;
  const inside = inner === undefined ? "" : constraintsIn(inner, most);
  return joined([constraintsIn(flat, most), inside === "" ? "" : `each ${inside}`], ", ");
}

function constraintsIn({ keywords, type }: FlatSchema, most: number): string {
  const { enum: values, const: only, multipleOf, pattern, contentMediaType } = keywords;
  const constraints = ["readOnly", "writeOnly"].map((key) =>
    keywords[key] === true ? `${key.slice(0, -4)}-only` : "",
  );
  if (only !== undefined) constraints.push(`always ${valueCode(only)}`);
  else if (Array.isArray(values) && values.length > 0)
    constraints.push(values.length === 1 ? `always ${valueCode(values[0])}` : oneOf(values, most));
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = keywords;
  if (type === "string" || type === "")
    constraints.push(range(keywords["minLength"], keywords["maxLength"], "character"));
  constraints.push(range(above === true ? undefined : minimum, below === true ? undefined : maximum, ""));
  const [more, less] = [above === true ? minimum : above, below === true ? maximum : below];
  if (typeof more === "number") constraints.push(`more than ${more}`);
  if (typeof less === "number") constraints.push(`less than ${less}`);
  constraints.push(range(keywords["minItems"], keywords["maxItems"], "item"));
  constraints.push(range(keywords["minProperties"], keywords["maxProperties"], "property"));
  if (keywords["uniqueItems"] === true) constraints.push("no item twice");
  if (typeof multipleOf === "number") constraints.push(`a multiple of ${multipleOf}`);
  if (typeof pattern === "string") constraints.push(`matches ${valueCode(pattern)}`);
  if (typeof contentMediaType === "string") constraints.push(`contains ${inlineCode(contentMediaType)}`);
  return joined(constraints, ", ");
}

function oneOf(values: readonly unknown[], most: number): string {
  const listed: string[] = [];
  let length = 0;
  for (const value of values.slice(0, most).map(valueCode)) {
    length += value.length;
    if (length > maxEnumLength) break;
    listed.push(value);
  }
  const more = values.length - listed.length;
  return `one of ${listed.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

function range(least: unknown, most: unknown, unit: string): string {
  const [from, to] = [typeof least === "number" ? least : undefined, typeof most === "number" ? most : undefined];
  const plural = unit === "property" ? "properties" : unit === "" ? "" : `${unit}s`;
  const of = (count: number): string => (unit === "" ? "" : ` ${count === 1 ? unit : plural}`);
  if (to !== undefined)
    return from === undefined ? `at most ${to}${of(to)}` : `${from === to ? "" : `${from} to `}${to}${of(to)}`;
  return from === undefined || (from === 0 && unit !== "") ? "" : `at least ${from}${of(from)}`;
}
