import type { Located } from "./located.ts";
import { nameOf, refOf } from "./references.ts";
import { toText } from "./values.ts";
import { isObject, type Json, listOf, objectOf } from "../json.ts";

/** The keyword of schemas whose values are never in a body of a direction. */
export const hiddenBy = { request: "readOnly", response: "writeOnly" } as const;

/** Whether a body is sent or received. */
export type Direction = keyof typeof hiddenBy;

/** The schema of a property. */
export interface Property extends Located {
  readonly required: boolean;
}

/** A schema that applies to a value, or to values in it, in some case. */
export interface Branch {
  /** What follows the name of the value: `[0]`, `.*`; "" for the value itself. */
  readonly suffix: string;
  /** The case in words, such as the name of an alternative; "" for always. */
  readonly when: string;
  /** Of an alternative: the property whose value selects it, and its values by the description's mapping. */
  readonly selector?: { readonly property: string; readonly values: readonly string[] };
  readonly at: Located;
}

/** A flattened schema: references are followed, `allOf` is merged, and alternatives are kept apart. */
export interface FlatSchema {
  /** Name of the schema that it refers to; "" without. */
  readonly name: string;
  /** The name that `discriminator` knows it by. */
  readonly kind: string;
  /** Its keywords that do not contain schemas. */
  readonly keywords: Json;
  /** A single type; "" if unknown. */
  readonly type: string;
  readonly properties: ReadonlyMap<string, Property>;
  readonly required: ReadonlySet<string>;
  readonly items: Located | undefined;
  readonly additional: Located | undefined;
  /** Schema of the names of its properties; undefined if any are allowed. */
  readonly names: Json | undefined;
  /** Tells what a value is by a property, unless one of the `choices` does. */
  readonly discriminator: Json | undefined;
  /** The schemas that are merged in it. One that occurs again below itself is circular. */
  readonly parts: readonly object[];
  /** A part of it is circular or missing. */
  readonly isPartial: boolean;
  /** Groups of alternatives, and of those that only require properties, which `notes` have in words. */
  readonly choices: readonly (readonly Branch[])[];
  readonly requirements: readonly (readonly Branch[])[];
  /** Schemas with conditions, by position, or by pattern of names, and parts of `allOf` that are not merged. */
  readonly branches: readonly Branch[];
  readonly bases: readonly Located[];
  /** All descriptions, and sentences about other constraints. */
  readonly texts: readonly string[];
  readonly notes: readonly string[];
}

type ListKey = "parts" | "choices" | "requirements" | "branches" | "bases" | "texts" | "notes";

/** A schema while it is flattened. Values that are added first have precedence. */
export interface MergedSchema extends Omit<
  { -readonly [Key in keyof FlatSchema]: FlatSchema[Key] },
  "keywords" | "type" | "properties" | "required" | ListKey
> {
  readonly keywords: Record<string, unknown>;
  readonly properties: Map<string, Located>;
  readonly required: Set<string>;
  /** What it is depends on the schemas around it. */
  isDependent: boolean;
  readonly parts: object[];
  readonly choices: (readonly Branch[])[];
  readonly requirements: (readonly Branch[])[];
  readonly branches: Branch[];
  readonly bases: Located[];
  readonly texts: string[];
  readonly notes: string[];
}

/** Maximum number of properties of one schema. */
export const maxProperties = 1000;

/** Keywords that contain schemas, or do not constrain a value by themselves. */
const structural = new Set(
  "$ref $dynamicRef $anchor $dynamicAnchor $schema $id $defs definitions properties required items prefixItems additionalProperties allOf oneOf anyOf not if then else patternProperties dependentSchemas dependentRequired propertyNames unevaluatedProperties unevaluatedItems contains externalDocs discriminator".split(
    " ",
  ),
);

/** Whether a keyword constrains a value by itself, without a schema in it. */
export function isPlainKeyword(name: string): boolean {
  return !structural.has(name) && !name.startsWith("x-");
}

/** An empty schema, or a copy of one, to merge others into. */
export function startMerging(flat?: FlatSchema): MergedSchema {
  return {
    name: "",
    kind: "",
    items: undefined,
    additional: undefined,
    names: undefined,
    discriminator: undefined,
    isPartial: false,
    isDependent: false,
    ...flat,
    keywords: { ...flat?.keywords },
    properties: new Map(flat?.properties),
    required: new Set(flat?.required),
    parts: [...(flat?.parts ?? [])],
    choices: [...(flat?.choices ?? [])],
    requirements: [...(flat?.requirements ?? [])],
    branches: [...(flat?.branches ?? [])],
    bases: [...(flat?.bases ?? [])],
    texts: [...(flat?.texts ?? [])],
    notes: [...(flat?.notes ?? [])],
  };
}

/** Adds the keywords about a value as a whole. */
export function addKeywords(into: MergedSchema, schema: Json): void {
  for (const [key, child] of Object.entries(schema)) {
    const known = into.keywords[key];
    const both = key === "enum" && Array.isArray(known) ? known.filter((one) => listOf(child).includes(one)) : [];
    if (both.length > 0) into.keywords[key] = both;
    else if (isPlainKeyword(key)) into.keywords[key] ??= child;
  }
  if (schema["x-nullable"] === true) into.keywords["nullable"] = true;
  if (isObject(schema["discriminator"])) into.discriminator ??= schema["discriminator"];
}

/** Adds the schemas of the values in an object or array; `locate` gives them their places. */
export function addChildren(into: MergedSchema, schema: Json, locate: (child: unknown) => Located): void {
  for (const [key, child] of Object.entries(objectOf(schema["properties"]))) {
    const known = into.properties.get(key);
    const added = locate(child);
    if (known?.file === added.file) into.properties.set(key, { ...known, value: bothOf(known.value, added.value) });
    else if (known === undefined && into.properties.size < maxProperties && key !== "__proto__")
      into.properties.set(key, added);
  }
  for (const key of listOf(schema["required"])) if (typeof key === "string") into.required.add(key);
  const { additionalProperties: additional, propertyNames: names } = schema;
  if (isObject(additional)) into.additional ??= locate(additional);
  if (isObject(names)) into.names ??= names;
  const items = schema["items"] ?? listOf(schema["prefixItems"])[0];
  if (items !== undefined) into.items ??= locate(Array.isArray(items) ? items[0] : items);
}

/** A schema of two for one value. A reference keeps its name if the other has only keywords without schemas. */
function bothOf(one: unknown, other: unknown): unknown {
  if (one === other || (refOf(one) !== undefined && refOf(one) === refOf(other))) return one;
  const [plain, rest] = isPlainSchema(one) ? [one, other] : [other, one];
  return isPlainSchema(plain) && !isPlainSchema(rest) ? { ...plain, allOf: [rest] } : { allOf: [one, other] };
}

/** Whether all keywords of a schema are plain. */
export function isPlainSchema(schema: unknown): schema is Json {
  return isObject(schema) && Object.keys(schema).every(isPlainKeyword);
}

/** Turns a type `null` next to alternatives, which converters between versions write, into `nullable`. */
export function allowNull({ keywords }: MergedSchema): void {
  if (keywords["type"] !== "null") return;
  delete keywords["type"];
  keywords["nullable"] = true;
}

/** The schema with a value for the property that tells what it is, which is shown if the property's own schema allows it. */
export function withSelected(flat: FlatSchema, property: string, value: string): FlatSchema {
  const known = flat.properties.get(property);
  const { value: schema, ...place } = known ?? { value: { type: "string" }, file: "", pointer: "", required: false };
  const selected = { ...place, value: { allOf: [schema], example: value } };
  return { ...flat, discriminator: undefined, properties: new Map(flat.properties).set(property, selected) };
}

/** The name, title or type of an alternative; "" without. */
export function labelOf({ value }: Located): string {
  const ref = refOf(value);
  const { title, type } = objectOf(value);
  return ref === undefined ? toText(title) || toText(Array.isArray(type) ? type[0] : type) : nameOf(ref);
}

/** The finished schema at its place. Required properties without a schema may be anything. */
export function toFlatSchema(merged: MergedSchema, { file, pointer }: Located): FlatSchema {
  const { properties, required } = merged;
  for (const key of required)
    if (!properties.has(key) && properties.size < maxProperties && key !== "__proto__")
      properties.set(key, { value: {}, file, pointer });
  return {
    ...merged,
    type: typeOf(merged),
    properties: new Map([...properties].map(([key, value]) => [key, { ...value, required: required.has(key) }])),
  };
}

function typeOf({ keywords: { type }, properties, items, additional }: MergedSchema): string {
  const types = Array.isArray(type) ? type.filter((one) => one !== "null") : [type];
  if (typeof types[0] === "string") return types[0];
  if (properties.size > 0 || additional !== undefined) return "object";
  return items === undefined ? "" : "array";
}
