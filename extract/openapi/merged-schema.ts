import type { Located } from "./located.ts";
import { nameOf, refOf } from "./references.ts";
import { isObject, toArray, toObject, toText } from "./values.ts";
import type { JsonObject } from "./values.ts";

/** Whether a body is sent or received: what is `readOnly` is never sent, what is `writeOnly` never received. */
export type Direction = "request" | "response";

/** The keyword of schemas whose values are never in a body of that direction. */
export const hiddenBy = { request: "readOnly", response: "writeOnly" } as const;

/** A schema below another one. */
export interface Property extends Located {
  readonly required: boolean;
}

/** A schema in one piece: its references followed, `allOf` merged, one of its alternatives chosen. */
export interface FlatSchema {
  /** Name of the schema that it refers to; "" for one without. */
  readonly name: string;
  /** Its keywords but for those that have schemas in them. */
  readonly keywords: JsonObject;
  /** One type, as samples and readers need one; "" where nothing tells. */
  readonly type: string;
  readonly properties: ReadonlyMap<string, Property>;
  readonly items: Located | undefined;
  readonly additional: Located | undefined;
  /** It has no other properties than these. */
  readonly isClosed: boolean;
  /** What the names of its properties have to be; undefined where anything is allowed. */
  readonly names: JsonObject | undefined;
  /** What else it may be, by names or types, in order; empty where there is nothing to choose. The first is the chosen one. */
  readonly alternatives: readonly string[];
  /** The schemas that it is made of: one that is met again below itself is circular. */
  readonly parts: readonly object[];
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** A schema while it is brought into one piece. What was added first stays. */
export interface MergedSchema extends Mutable<Omit<FlatSchema, "keywords" | "type" | "properties" | "parts">> {
  readonly keywords: Record<string, unknown>;
  readonly properties: Map<string, Located>;
  readonly required: Set<string>;
  /** How values say which alternative they are of, until a property says it for the chosen one. */
  discriminator: JsonObject | undefined;
  /** Something was left out because it stands in itself, or a reference means something else elsewhere. */
  isCircular: boolean;
  readonly parts: object[];
}

/** Properties of one schema that are looked at. */
const maxProperties = 1000;

/** Keywords that hold schemas, or say nothing of a value by themselves. */
const structural = new Set(
  "$ref $dynamicRef $anchor $dynamicAnchor $schema $id $defs definitions properties required items prefixItems additionalProperties allOf oneOf anyOf not if then else patternProperties dependentSchemas dependentRequired propertyNames unevaluatedProperties unevaluatedItems contains externalDocs discriminator".split(
    " ",
  ),
);

/** Whether a keyword says something of a value by itself, without a schema in it. */
export function isPlainKeyword(name: string): boolean {
  return !structural.has(name) && !name.startsWith("x-");
}

/** A schema before anything is added. */
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
  };
}

/** Adds what a schema says of a value as a whole. */
export function addKeywords(into: MergedSchema, schema: JsonObject): void {
  for (const [key, child] of Object.entries(schema)) if (isPlainKeyword(key)) into.keywords[key] ??= child;
  if (schema["x-nullable"] === true) into.keywords["nullable"] = true;
  if (isObject(schema["discriminator"])) into.discriminator ??= schema["discriminator"];
}

/** Adds what a schema says of the values in an object or array; `locate` gives the schemas of these their places. */
export function addChildren(into: MergedSchema, schema: JsonObject, locate: (child: unknown) => Located): void {
  for (const [key, child] of Object.entries(toObject(schema["properties"])))
    if (into.properties.size < maxProperties && key !== "__proto__" && !into.properties.has(key))
      into.properties.set(key, locate(child));
  for (const key of toArray(schema["required"])) if (typeof key === "string") into.required.add(key);
  const { additionalProperties: additional, propertyNames: names } = schema;
  if (isObject(additional)) into.additional ??= locate(additional);
  if (additional === false) into.isClosed = true;
  if (isObject(names)) into.names ??= names;
  const items = schema["items"] ?? toArray(schema["prefixItems"])[0];
  if (items !== undefined) into.items ??= locate(Array.isArray(items) ? items[0] : items);
}

/** Adds what was merged elsewhere, but for its alternatives and discriminator. */
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
}

/** Turns a type `null` beside alternatives into what may be null besides: converters of other versions write that. */
export function allowNull({ keywords }: MergedSchema): void {
  if (keywords["type"] !== "null") return;
  delete keywords["type"];
  keywords["nullable"] = true;
}

/** Gives the property by which alternatives are told apart its value for the alternative with a name. */
export function setDiscriminator(
  { properties }: MergedSchema,
  { propertyName, mapping }: JsonObject,
  name: string,
  { file, pointer }: Located,
): void {
  if (typeof propertyName !== "string" || propertyName === "__proto__") return;
  const known = toObject(properties.get(propertyName)?.value);
  if (["enum", "const", "$ref", "example"].some((key) => known[key] !== undefined)) return;
  const mapped = Object.entries(toObject(mapping)).find(([, to]) => typeof to === "string" && nameOf(to) === name)?.[0];
  properties.set(propertyName, { value: { type: "string", ...known, example: mapped ?? name }, file, pointer });
}

/** What readers call an alternative: its name, title or type; "" for none of these. */
export function labelOf({ value }: Located): string {
  const ref = refOf(value);
  const { title, type } = toObject(value);
  return ref === undefined ? toText(title) || toText(Array.isArray(type) ? type[0] : type) : nameOf(ref);
}

/** The schema once all is added, at its place: required properties that it does not describe may be anything. */
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
