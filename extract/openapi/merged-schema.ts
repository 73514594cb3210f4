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

/** A flattened schema: references are followed, `allOf` is merged, and one alternative is chosen, or all are kept apart. */
export interface FlatSchema {
  /** Name of the schema that it refers to; "" without. */
  readonly name: string;
  /** Its keywords that do not contain schemas. */
  readonly keywords: Json;
  /** A single type, for samples and readers; "" if unknown. */
  readonly type: string;
  readonly properties: ReadonlyMap<string, Property>;
  readonly items: Located | undefined;
  readonly additional: Located | undefined;
  /** It allows no other properties. */
  readonly isClosed: boolean;
  /** Schema of the names of its properties; undefined if any are allowed. */
  readonly names: Json | undefined;
  /** Names or types of its alternatives, the chosen one first; empty without alternatives. */
  readonly alternatives: readonly string[];
  /** The schemas that are merged in it. One that occurs again below itself is circular. */
  readonly parts: readonly object[];
  /** For readers: groups of alternatives, schemas with conditions, and parts of `allOf` that are not merged. Empty for samples. */
  readonly choices: readonly (readonly Branch[])[];
  readonly branches: readonly Branch[];
  readonly bases: readonly Located[];
  /** For readers: all descriptions, and sentences about other constraints. */
  readonly texts: readonly string[];
  readonly notes: readonly string[];
}

type ListKey = "parts" | "choices" | "branches" | "bases" | "texts" | "notes";

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** A schema while it is flattened. Values that are added first have precedence. */
export interface MergedSchema extends Mutable<Omit<FlatSchema, "keywords" | "type" | "properties" | ListKey>> {
  readonly keywords: Record<string, unknown>;
  readonly properties: Map<string, Located>;
  readonly required: Set<string>;
  /** Discriminator of the alternatives, until the property of the chosen one has its value. */
  discriminator: Json | undefined;
  /** A part was left out as circular, or a reference has another target elsewhere. */
  isCircular: boolean;
  readonly parts: object[];
  readonly choices: (readonly Branch[])[];
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

/** An empty schema, to merge others into. */
export function emptySchema(): MergedSchema {
  return {
    name: "",
    keywords: {},
    properties: new Map(),
    required: new Set(),
    items: undefined,
    additional: undefined,
    isClosed: false,
    names: undefined,
    alternatives: [],
    discriminator: undefined,
    isCircular: false,
    parts: [],
    choices: [],
    branches: [],
    bases: [],
    texts: [],
    notes: [],
  };
}

/** Adds the keywords about a value as a whole. */
export function addKeywords(into: MergedSchema, schema: Json): void {
  for (const [key, child] of Object.entries(schema)) if (isPlainKeyword(key)) into.keywords[key] ??= child;
  if (schema["x-nullable"] === true) into.keywords["nullable"] = true;
  if (isObject(schema["discriminator"])) into.discriminator ??= schema["discriminator"];
}

/** Adds the schemas of the values in an object or array; `locate` gives them their places. */
export function addChildren(into: MergedSchema, schema: Json, locate: (child: unknown) => Located): void {
  for (const [key, child] of Object.entries(objectOf(schema["properties"])))
    if (into.properties.size < maxProperties && key !== "__proto__" && !into.properties.has(key))
      into.properties.set(key, locate(child));
  for (const key of listOf(schema["required"])) if (typeof key === "string") into.required.add(key);
  const { additionalProperties: additional, propertyNames: names } = schema;
  if (isObject(additional)) into.additional ??= locate(additional);
  if (additional === false) into.isClosed = true;
  if (isObject(names)) into.names ??= names;
  const items = schema["items"] ?? listOf(schema["prefixItems"])[0];
  if (items !== undefined) into.items ??= locate(Array.isArray(items) ? items[0] : items);
}

/** Adds another merged schema, except for its alternatives and discriminator. */
export function addMerged(into: MergedSchema, from: MergedSchema): void {
  for (const [key, value] of Object.entries(from.keywords)) into.keywords[key] ??= value;
  for (const [key, property] of from.properties) if (!into.properties.has(key)) into.properties.set(key, property);
  for (const key of from.required) into.required.add(key);
  into.name ||= from.name;
  into.items ??= from.items;
  into.additional ??= from.additional;
  into.isClosed ||= from.isClosed;
  into.names ??= from.names;
  into.parts.push(...from.parts.filter((part) => !into.parts.includes(part)));
  into.choices.push(...from.choices);
  into.branches.push(...from.branches);
  into.bases.push(...from.bases);
  into.texts.push(...from.texts.filter((text) => !into.texts.includes(text)));
  into.notes.push(...from.notes);
}

/** Turns a type `null` next to alternatives, which converters between versions write, into `nullable`. */
export function allowNull({ keywords }: MergedSchema): void {
  if (keywords["type"] !== "null") return;
  delete keywords["type"];
  keywords["nullable"] = true;
}

/** Sets the value of the discriminating property for the alternative with a name. */
export function setDiscriminator(
  { properties }: MergedSchema,
  { propertyName, mapping }: Json,
  name: string,
  { file, pointer }: Located,
): void {
  if (typeof propertyName !== "string" || propertyName === "__proto__") return;
  const property = objectOf(properties.get(propertyName)?.value);
  if (["enum", "const", "$ref", "example"].some((key) => property[key] !== undefined)) return;
  const mapped = Object.entries(objectOf(mapping)).find(([, to]) => typeof to === "string" && nameOf(to) === name)?.[0];
  properties.set(propertyName, { value: { type: "string", ...property, example: mapped ?? name }, file, pointer });
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
