import { clearestOf } from "./clearest.ts";
import { inScope } from "./anchors.ts";
import { follow, itemsOf, nameOf, refOf } from "./references.ts";
import type { Description, Located } from "./references.ts";
import { isObject, toArray, toObject, toText } from "./values.ts";
import type { JsonObject } from "./values.ts";

/** Whether a body is sent or received: what is `readOnly` is never sent, what is `writeOnly` never received. */
export type Direction = "request" | "response";

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
  /** What the names of its properties have to be; absent where anything is. */
  readonly names?: JsonObject;
  /** What else it may be, by names or types, in order; empty where there is nothing to choose. The first is the chosen one. */
  readonly alternatives: readonly string[];
  /** The schemas that it is made of: one that is met again below itself is circular. */
  readonly parts: readonly object[];
}

interface Gathered {
  name: string;
  readonly keywords: Record<string, unknown>;
  readonly properties: Map<string, Located>;
  readonly required: Set<string>;
  items: Located | undefined;
  additional: Located | undefined;
  isClosed: boolean;
  names?: JsonObject;
  alternatives: readonly string[];
  /** What it says of the property that tells its kinds apart, and that it is not told by yet. */
  discriminator: JsonObject | undefined;
  /** Something was left out that it stands in, or means something else elsewhere. */
  circular: boolean;
  readonly parts: object[];
}

/** Schemas that one is made of, through references, `allOf` and alternatives. */
const maxParts = 60;
/** Alternatives that are compared with each other. */
const maxCompared = 8;
/** Properties of one schema that are looked at. */
const maxProperties = 1000;

/** Keywords that hold schemas, or say nothing of a value by themselves. */
const structural = new Set(
  "$ref $dynamicRef $anchor $dynamicAnchor $schema $id $defs definitions properties required items prefixItems additionalProperties allOf oneOf anyOf not if then else patternProperties dependentSchemas dependentRequired propertyNames unevaluatedProperties unevaluatedItems contains externalDocs discriminator".split(
    " ",
  ),
);

/**
 * Brings a schema into one piece. Undefined where there is none, or it cannot be without being circular: `above` are the
 * schemas that it stands in.
 */
export function flatten(
  description: Description,
  schema: Located,
  above: readonly object[] = [],
): FlatSchema | undefined {
  const { value } = schema;
  // Most schemas are of a text or a number.
  if (isObject(value) && !Object.keys(value).some((name) => structural.has(name) || name.startsWith("x-")))
    return { ...plainSchema, keywords: value, type: typeOf({ ...plainSchema, keywords: value }), parts: [value] };
  const key = keyOf(schema);
  const known = key === undefined ? undefined : knownOf(description).get(key);
  if (known !== undefined && !known.parts.some((part) => above.includes(part))) return known;
  const gathered = nothing();
  if (!gather(description, schema, gathered, above, true)) return undefined;
  const flat = finish(gathered, schema);
  if (key !== undefined && !gathered.circular) knownOf(description).set(key, flat);
  return flat;
}

const plainSchema: Omit<FlatSchema, "keywords" | "type" | "parts"> = {
  name: "",
  properties: new Map(),
  items: undefined,
  additional: undefined,
  isClosed: false,
  alternatives: [],
};

/** Schemas that are referred to, in one piece: most are met hundreds of times. */
const knownSchemas = new WeakMap<Description, Map<string, FlatSchema>>();

function knownOf(description: Description): Map<string, FlatSchema> {
  const known = knownSchemas.get(description) ?? new Map<string, FlatSchema>();
  knownSchemas.set(description, known);
  return known;
}

/** What a reference without anything beside it refers to; undefined for anything else. */
function keyOf({ value, file }: Located): string | undefined {
  const ref = toObject(value)["$ref"];
  return typeof ref !== "string" || Object.keys(toObject(value)).length > 1 ? undefined : `${file} ${ref}`;
}

function finish(gathered: Gathered, schema: Located): FlatSchema {
  const { properties, required, name, discriminator } = gathered;
  if (name !== "" && discriminator !== undefined) setDiscriminator(gathered, discriminator, name, schema);
  for (const key of required)
    if (!properties.has(key) && properties.size < maxProperties && key !== "__proto__")
      properties.set(key, { value: {}, file: schema.file, pointer: schema.pointer });
  return {
    ...gathered,
    type: typeOf(gathered),
    properties: new Map([...properties].map(([key, value]) => [key, { ...value, required: required.has(key) }])),
  };
}

function nothing(): Gathered {
  return {
    name: "",
    keywords: {},
    properties: new Map(),
    required: new Set(),
    items: undefined,
    additional: undefined,
    isClosed: false,
    alternatives: [],
    discriminator: undefined,
    circular: false,
    parts: [],
  };
}

/** Adds a schema to what is gathered; `named`: its name is that of all. False where there is none, or it is circular. */
function gather(
  description: Description,
  schema: Located,
  into: Gathered,
  above: readonly object[],
  named: boolean,
): boolean {
  if (schema.value === true) return true;
  const at = follow(description, inScope(schema, [...above, ...into.parts]));
  if (at === undefined || !isObject(at.value) || !isObject(at.origin)) return false;
  if (above.includes(at.origin)) {
    into.circular = true;
    return false;
  }
  if (into.parts.length >= maxParts) return false;
  // Met by two ways: it has been added.
  if (into.parts.includes(at.origin)) return true;
  // What a schema says beside its reference comes before what that refers to says itself.
  if (at.value !== at.origin && isObject(at.value["$defs"])) into.parts.push(at.value);
  into.parts.push(at.origin);
  const ref = refOf(schema.value);
  if (named && ref !== undefined && into.name === "") into.name = nameOf(ref);
  const { file, value } = at;
  // Pointers of what is in a schema are not asked for.
  const inside = (child: unknown): Located => {
    const place = { value: child, file, pointer: "" };
    const meant = inScope(place, [...above, ...into.parts]);
    into.circular ||= meant.value !== inScope(place, into.parts).value;
    return meant;
  };

  for (const [key, child] of Object.entries(value))
    if (!structural.has(key) && !key.startsWith("x-")) into.keywords[key] ??= child;
  if (isObject(value["discriminator"])) into.discriminator ??= value["discriminator"];
  if (value["x-nullable"] === true) into.keywords["nullable"] = true;
  for (const [key, child] of Object.entries(toObject(value["properties"])))
    if (into.properties.size < maxProperties && key !== "__proto__" && !into.properties.has(key))
      into.properties.set(key, inside(child));
  for (const key of toArray(value["required"])) if (typeof key === "string") into.required.add(key);
  const items = value["items"] ?? toArray(value["prefixItems"])[0];
  if (items !== undefined) into.items ??= inside(Array.isArray(items) ? items[0] : items);
  const additional = value["additionalProperties"];
  if (isObject(additional)) into.additional ??= inside(additional);
  if (additional === false) into.isClosed = true;
  if (isObject(value["propertyNames"])) into.names ??= value["propertyNames"];
  const all = itemsOf(inside(value["allOf"]));
  const whole = all.map((part) => gather(description, part, into, above, named && all.length === 1));
  for (const keyword of ["oneOf", "anyOf"] as const)
    whole.push(
      choose(
        description,
        inside(value[keyword]),
        keyword === "oneOf",
        into,
        above,
        named,
        toObject(value["discriminator"]),
      ),
    );
  return !whole.includes(false);
}

/** Adds the first alternative that is not circular, and says which there are. */
function choose(
  description: Description,
  all: Located,
  isOne: boolean,
  into: Gathered,
  above: readonly object[],
  named: boolean,
  discriminator: JsonObject,
): boolean {
  const given = itemsOf(all);
  const alternatives = given.filter(({ value }) => toObject(value)["type"] !== "null");
  if (alternatives.length < given.length) into.keywords["nullable"] = true;
  if (alternatives.length === 0) return true;
  // Converters of other versions write it for what may be null besides.
  if (into.keywords["type"] === "null") {
    delete into.keywords["type"];
    into.keywords["nullable"] = true;
  }
  const only = alternatives.length === 1;
  const isTold = Object.keys(discriminator).length > 0 || into.discriminator !== undefined;
  const ordered =
    isOne && !isTold && !only ? clearestFirst(description, alternatives, [...above, ...into.parts]) : alternatives;
  for (const chosen of ordered) {
    const found = { ...nothing(), parts: [...into.parts] };
    if (!gather(description, chosen, found, above, named && only)) {
      into.circular ||= found.circular;
      continue;
    }
    add(into, found);
    const ref = refOf(chosen.value);
    if (ref !== undefined && Object.keys(discriminator).length > 0) {
      setDiscriminator(into, discriminator, nameOf(ref), chosen);
      into.discriminator = undefined;
    }
    if (only) return true;
    const names = [chosen, ...alternatives.filter((one) => one !== chosen)].map(labelOf);
    into.alternatives = [...new Set(names.filter((name) => name !== ""))];
    return true;
  }
  return false;
}

/** The alternatives with the one first whose values are of no other, if there is one among the first of them. */
function clearestFirst(
  description: Description,
  alternatives: readonly Located[],
  above: readonly object[],
): readonly Located[] {
  const compared = alternatives.slice(0, maxCompared);
  const clearest = compared[clearestOf(compared.map((one) => flatten(description, one, above)))];
  return clearest === undefined ? alternatives : [clearest, ...alternatives.filter((one) => one !== clearest)];
}

/** Adds what was gathered elsewhere; what is there already stays. */
function add(into: Gathered, from: Gathered): void {
  for (const [key, value] of Object.entries(from.keywords)) into.keywords[key] ??= value;
  for (const [key, property] of from.properties) if (!into.properties.has(key)) into.properties.set(key, property);
  for (const key of from.required) into.required.add(key);
  into.name ||= from.name;
  into.items ??= from.items;
  into.additional ??= from.additional;
  into.isClosed ||= from.isClosed;
  if (from.names !== undefined) into.names ??= from.names;
  into.parts.push(...from.parts.filter((part) => !into.parts.includes(part)));
}

/** Gives the property that tells alternatives apart the value of the one with a name. */
function setDiscriminator(
  into: Gathered,
  { propertyName, mapping }: JsonObject,
  name: string,
  { file, pointer }: Located,
): void {
  if (typeof propertyName !== "string" || propertyName === "__proto__") return;
  const known = toObject(into.properties.get(propertyName)?.value);
  if (["enum", "const", "$ref", "example"].some((key) => known[key] !== undefined)) return;
  const mapped = Object.entries(toObject(mapping)).find(([, to]) => typeof to === "string" && nameOf(to) === name)?.[0];
  into.properties.set(propertyName, { value: { type: "string", ...known, example: mapped ?? name }, file, pointer });
}

function labelOf({ value }: Located): string {
  const ref = refOf(value);
  const { title, type } = toObject(value);
  return ref === undefined ? toText(title) || toText(Array.isArray(type) ? type[0] : type) : nameOf(ref);
}

function typeOf({
  keywords,
  properties,
  items,
  additional,
}: Pick<Gathered | FlatSchema, "keywords" | "properties" | "items" | "additional">): string {
  const { type } = keywords;
  const types = Array.isArray(type) ? type.filter((one) => one !== "null") : [type];
  if (typeof types[0] === "string") return types[0];
  if (properties.size > 0 || additional !== undefined) return "object";
  return items === undefined ? "" : "array";
}
