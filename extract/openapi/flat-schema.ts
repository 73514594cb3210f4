import { inScope, follow, nameOf, refOf } from "./references.ts";
import { itemsOf, type Description, type Located } from "./located.ts";
import {
  addChildren,
  addKeywords,
  addMerged,
  allowNull,
  emptySchema,
  isPlainKeyword,
  labelOf,
  setDiscriminator,
  toFlatSchema,
  type FlatSchema,
  type MergedSchema,
} from "./merged-schema.ts";
import { cachedPer, toText } from "./values.ts";
import { addChoice, addReadable, addSubtypes } from "./whole-schema.ts";
import { isObject, type Json, listOf, objectOf } from "../json.ts";

/** Maximum number of schemas that are merged into one, through references, `allOf` and alternatives. */
const maxParts = 60;
/** Maximum number of alternatives that are compared with each other. */
const maxCompared = 8;

/** Flattened schemas by use and reference, as most are used hundreds of times. */
const schemasByReference = cachedPer(() => new Map<Scope["isBase"], Map<string, FlatSchema>>());

/** Flattens `$ref`, `allOf` and alternatives. Undefined for a missing or circular schema; `above` are the schemas around it. */
export function flatten(
  description: Description,
  schema: Located,
  above: readonly object[] = [],
): FlatSchema | undefined {
  return flattenIn({ description, above }, schema);
}

/**
 * Flattens a schema for readers: alternatives and conditions are kept apart, and so are the parts of `allOf` that `isBase` accepts.
 * Circular and missing parts of `allOf` are left out.
 */
export function flattenWhole(
  description: Description,
  schema: Located,
  above: readonly object[],
  isBase: BaseTest,
): FlatSchema | undefined {
  return flattenIn({ description, above, isBase }, schema);
}

function flattenIn(scope: Scope, schema: Located): FlatSchema | undefined {
  const { description, above, isBase } = scope;
  const { value } = schema;
  // Fast path: most schemas are a text or a number.
  if (isObject(value) && Object.keys(value).every(isPlainKeyword)) {
    const texts = [toText(value["description"])].filter((text) => text !== "");
    return toFlatSchema({ ...emptySchema(), keywords: value, parts: [value], texts }, schema);
  }
  const cache = schemasByReference(description);
  const key = referenceKey(schema);
  const schemas = cache.get(isBase) ?? new Map<string, FlatSchema>();
  cache.set(isBase, schemas);
  const cached = key === undefined ? undefined : schemas.get(key);
  if (cached !== undefined && !cached.parts.some((part) => above.includes(part))) return cached;
  const merged = emptySchema();
  if (!merge(scope, schema, merged, true)) return undefined;
  if (isBase === undefined && merged.name !== "" && merged.discriminator !== undefined)
    setDiscriminator(merged, merged.discriminator, merged.name, schema);
  const flat = toFlatSchema(merged, schema);
  if (key !== undefined && !merged.isCircular) schemas.set(key, flat);
  return flat;
}

/** The cache key of a bare reference; undefined for anything else. */
function referenceKey({ value, file }: Located): string | undefined {
  const { $ref: ref, ...siblings } = objectOf(value);
  return typeof ref !== "string" || Object.keys(siblings).length > 0 ? undefined : `${file} ${ref}`;
}

/** Tells the parts of `allOf` that are not merged. One function for each purpose, as results are cached by it. */
type BaseTest = (description: Description, part: Located) => boolean;

/** The description, the schemas around the one that is merged, and for readers which parts of `allOf` are not merged. */
interface Scope {
  readonly description: Description;
  readonly above: readonly object[];
  readonly isBase?: BaseTest;
}

/** Merges a schema with the ones it refers to; `isNamed`: the result takes its name. False for a missing or circular schema. */
function merge(scope: Scope, schema: Located, into: MergedSchema, isNamed: boolean): boolean {
  if (schema.value === true) return true;
  const { description, above, isBase } = scope;
  const isOutermost = into.parts.length === 0;
  const at = follow(description, inScope(schema, [...above, ...into.parts]));
  if (at === undefined || !isObject(at.value) || !isObject(at.origin)) return false;
  if (above.includes(at.origin)) {
    into.isCircular = true;
    return false;
  }
  // What is beyond the bound is left out. If it failed, every alternative on the way would be tried with all others below it.
  if (into.parts.length >= maxParts) return true;
  // The schema is reached on two ways, and merged already.
  if (into.parts.includes(at.origin)) return true;
  const { file, value, origin } = at;
  // Definitions next to a reference have precedence over those of its target.
  if (value !== origin && isObject(value["$defs"])) into.parts.push(value);
  into.parts.push(origin);
  const ref = refOf(schema.value);
  if (isNamed && ref !== undefined) into.name ||= nameOf(ref);
  const locate = (child: unknown): Located => {
    // Pointers inside of schemas are not used.
    const place = { value: child, file, pointer: "" };
    const target = inScope(place, [...above, ...into.parts]);
    into.isCircular ||= target.value !== inScope(place, into.parts).value;
    return target;
  };
  addKeywords(into, value);
  addChildren(into, value, locate);
  const all = itemsOf(locate(value["allOf"]));
  const alternatives = ["oneOf", "anyOf"].map((key) => itemsOf(locate(value[key])));
  if (isBase !== undefined) {
    addReadable(into, value, origin, locate);
    const bases = all.filter((part) => isBase(description, part));
    into.bases.push(...bases);
    for (const part of all) if (!bases.includes(part)) merge(scope, part, into, isNamed && all.length === 1);
    for (const options of alternatives)
      if (options.length > 0 && !addChoice(into, options, value))
        mergeAlternative(scope, options, value, into, isNamed, false);
    if (isOutermost && alternatives.every((options) => options.length === 0)) addSubtypes(into, description, at);
    return true;
  }
  const added = all.map((part) => merge(scope, part, into, isNamed && all.length === 1));
  added.push(mergeAlternative(scope, itemsOf(locate(value["oneOf"])), value, into, isNamed, true));
  added.push(mergeAlternative(scope, itemsOf(locate(value["anyOf"])), value, into, isNamed, false));
  return !added.includes(false);
}

/** Merges the first alternative that is not circular, and lists all. `isExclusive`: a value has to match exactly one. */
function mergeAlternative(
  scope: Scope,
  given: readonly Located[],
  schema: Json,
  into: MergedSchema,
  isNamed: boolean,
  isExclusive: boolean,
): boolean {
  const alternatives = given.filter(({ value }) => objectOf(value)["type"] !== "null");
  if (alternatives.length < given.length) into.keywords["nullable"] = true;
  if (alternatives.length === 0) return true;
  allowNull(into);
  const isOnly = alternatives.length === 1;
  const { discriminator } = schema;
  const above = [...scope.above, ...into.parts];
  const isDiscriminated = isObject(discriminator) || into.discriminator !== undefined;
  const ordered =
    isExclusive && !isOnly && !isDiscriminated
      ? unambiguousFirst(scope.description, alternatives, above)
      : alternatives;
  for (const chosen of ordered) {
    const merged = { ...emptySchema(), parts: [...into.parts] };
    if (!merge(scope, chosen, merged, isNamed && isOnly)) {
      into.isCircular ||= merged.isCircular;
      continue;
    }
    addMerged(into, merged);
    const ref = refOf(chosen.value);
    if (ref !== undefined && isObject(discriminator)) {
      setDiscriminator(into, discriminator, nameOf(ref), chosen);
      into.discriminator = undefined;
    }
    if (isOnly) return true;
    const labels = [chosen, ...alternatives.filter((one) => one !== chosen)].map(labelOf);
    into.alternatives = [...new Set(labels.filter((label) => label !== ""))];
    return true;
  }
  return false;
}

/**
 * The alternatives, with the first one at the beginning whose values fit no other one, if it is among the first `maxCompared`: they
 * lack properties that the others require, have properties that the others do not allow, or differ in a fixed value.
 */
function unambiguousFirst(
  description: Description,
  alternatives: readonly Located[],
  above: readonly object[],
): readonly Located[] {
  const compared = alternatives.slice(0, maxCompared).map((one) => flatten(description, one, above));
  const index = compared.findIndex(
    (one, at) => one !== undefined && !compared.some((other, place) => place !== at && other && mayFit(one, other)),
  );
  const chosen = alternatives[index];
  return chosen === undefined ? alternatives : [chosen, ...alternatives.filter((one) => one !== chosen)];
}

/** Whether a value with all the properties of one alternative fits another. */
function mayFit(one: FlatSchema, other: FlatSchema): boolean {
  if (one.type !== other.type && other.type !== "" && one.type !== "") return false;
  if (one.type !== "object" || other.type !== "object") return one.type === other.type;
  for (const [name, { required }] of other.properties) if (required && !one.properties.has(name)) return false;
  for (const [name, { value }] of one.properties) {
    const same = other.properties.get(name);
    if (same === undefined ? other.isClosed : exclude(objectOf(value), objectOf(same.value))) return false;
  }
  return true;
}

/** Whether two schemas exclude each other by their fixed values or types. */
function exclude(one: Json, other: Json): boolean {
  const [values, otherValues] = [fixedValues(one), fixedValues(other)];
  if (values !== undefined && otherValues !== undefined) return !values.some((value) => otherValues.includes(value));
  const [type, otherType] = [one["type"], other["type"]];
  return typeof type === "string" && typeof otherType === "string" && type !== otherType;
}

function fixedValues({ const: only, enum: values }: Json): readonly unknown[] | undefined {
  if (only !== undefined) return [only];
  return values === undefined ? undefined : listOf(values);
}
