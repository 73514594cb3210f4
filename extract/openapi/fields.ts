import { flatten } from "./flat-schema.ts";
import type { Description, Located } from "./located.ts";
import { hiddenBy, type Direction, type FlatSchema } from "./merged-schema.ts";
import { toText } from "./values.ts";
import { listOf } from "../json.ts";

/** A field of a body or schema, or a parameter, for readers. */
export interface Field {
  /** Names from the outermost down, such as `address.city` or `items[].price`. */
  readonly name: string;
  /** In words, such as `string (date-time)` or `array of Order`. */
  readonly type: string;
  readonly required: boolean;
  /** As JSON. */
  readonly default?: string;
  /** Constraints such as allowed values or a range, in words. */
  readonly allowed?: string;
  readonly deprecated?: true;
  /** Its description. */
  readonly meaning?: string;
}

/** Maximum number of fields that are listed, and maximum depth. */
const maxFields = 80;
const maxDepth = 3;
/** Maximum number of values of an enumeration that are listed. */
const maxEnum = 30;
/** Maximum length of a field's meaning, in characters: one field may be in thousands of operations. */
export const maxMeaning = 4000;
/** Maximum length of a quoted value, in characters. */
const maxValueLength = 80;

/** The fields of an object, or of the objects in an array, to a depth at which not too many are listed. */
export function fieldsOf(description: Description, schema: Located, direction: Direction | null): Field[] {
  for (let depth = maxDepth; depth > 1; depth--) {
    const fields = listFields(description, schema, direction, depth);
    if (fields.length <= maxFields) return fields;
  }
  return listFields(description, schema, direction, 1).slice(0, 4 * maxFields);
}

function listFields(description: Description, schema: Located, direction: Direction | null, maximum: number): Field[] {
  const fields: Field[] = [];
  const visit = (at: Located, prefix: string, depth: number, above: readonly object[]): void => {
    const flat = flatten(description, at, above);
    if (flat === undefined) return;
    const inside = [...above, ...flat.parts];
    if (flat.type === "array" && flat.items !== undefined) return visit(flat.items, `${prefix}[]`, depth, inside);
    if (depth > maximum) return;
    for (const [name, property] of flat.properties) {
      const child = flatten(description, property, inside);
      if (direction !== null && child?.keywords[hiddenBy[direction]] === true) continue;
      const path = prefix === "" ? name : `${prefix}.${name}`;
      fields.push({ name: path, required: property.required, ...aboutSchema(description, child) });
      // Named objects below the top are described under their name.
      if (child !== undefined && (innermostName(description, child) === "" || depth < 2))
        visit(property, path, depth + 1, inside);
    }
  };
  visit(schema, "", 1, []);
  return fields;
}

/** The facts about a field in its schema; just an empty type for an undefined one. */
export function aboutSchema(description: Description, flat: FlatSchema | undefined): Omit<Field, "name" | "required"> {
  if (flat === undefined) return { type: "" };
  const { keywords } = flat;
  const allowed = allowedBy(flat) || allowedInside(description, flat);
  const meaning = toText(keywords["description"]).slice(0, maxMeaning);
  const standard = keywords["default"];
  return {
    type: typeIn(description, flat),
    ...(standard !== undefined && standard !== null && shortJson(standard) !== "" && { default: shortJson(standard) }),
    ...(allowed !== "" && { allowed }),
    ...(keywords["deprecated"] === true && { deprecated: true as const }),
    ...(meaning !== "" && { meaning }),
  };
}

/** The type of a schema in words. */
export function typeIn(description: Description, flat: FlatSchema, depth = 0): string {
  const { type, name, keywords, items, alternatives } = flat;
  const nullable = keywords["nullable"] === true || listOf(keywords["type"]).includes("null") ? " or null" : "";
  if (alternatives.length > 1) return `${alternatives.slice(0, 12).join(" or ")}${nullable}`;
  if (type === "array") {
    const inner = items && depth < 3 ? flatten(description, items, flat.parts) : undefined;
    const inside = inner === undefined ? "" : typeIn(description, inner, depth + 1);
    return `array${inside === "" ? "" : ` of ${inside}`}${nullable}`;
  }
  if (type === "object" && name !== "") return `${name}${nullable}`;
  const format = toText(keywords["format"]);
  return `${type}${format === "" ? "" : ` (${format})`}${type === "" ? "" : nullable}`.trim();
}

function innermostName(description: Description, flat: FlatSchema): string {
  const inner = flat.type === "array" && flat.items ? flatten(description, flat.items, flat.parts) : flat;
  return inner === undefined || inner.properties.size === 0 ? "" : inner.name;
}

/** Constraints on the items of an array, in words. */
function allowedInside(description: Description, { type, items, parts }: FlatSchema): string {
  if (type !== "array" || items === undefined) return "";
  const inner = flatten(description, items, parts);
  const { enum: values, const: only, pattern } = inner?.keywords ?? {};
  if (inner === undefined || (!Array.isArray(values) && only === undefined && pattern === undefined)) return "";
  const allowed = allowedBy(inner);
  return allowed === "" ? "" : `each ${allowed}`;
}

function allowedBy({ keywords, type }: FlatSchema): string {
  const { enum: values, const: only, minimum, maximum, minLength, maxLength, pattern } = keywords;
  const constraints: string[] = [];
  if (only !== undefined) constraints.push(`always ${code(only)}`);
  else if (Array.isArray(values) && values.length > 0) {
    const listed = values.slice(0, maxEnum).map(code).join(", ");
    constraints.push(`one of ${listed}${values.length > maxEnum ? `, and ${values.length - maxEnum} more` : ""}`);
  }
  if (type === "string" && (typeof minLength === "number" || typeof maxLength === "number"))
    constraints.push(range(minLength, maxLength, "characters"));
  if (typeof minimum === "number" || typeof maximum === "number") constraints.push(range(minimum, maximum, ""));
  if (typeof pattern === "string" && pattern.length <= maxValueLength) constraints.push(`matches ${code(pattern)}`);
  return constraints.filter((one) => one !== "").join(", ");
}

function range(least: unknown, most: unknown, unit: string): string {
  const [from, to] = [typeof least === "number" ? least : undefined, typeof most === "number" ? most : undefined];
  if (from === undefined) return `at most ${to ?? ""} ${unit}`.trim();
  if (to === undefined) return from === 0 ? "" : `at least ${from} ${unit}`.trim();
  return `${from} to ${to} ${unit}`.trim();
}

/** A value as inline code. */
function code(value: unknown): string {
  const text = typeof value === "string" ? value : shortJson(value);
  return text === "" || text.length > maxValueLength ? '""' : `\`${text.replaceAll("`", "'")}\``;
}

function shortJson(value: unknown): string {
  if (typeof value === "object" && value !== null && Object.keys(value).length > 10) return "";
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > maxValueLength ? "" : text;
}
