import { inScope, follow, nameOf, refOf } from "./references.ts";
import { itemsOf } from "./located.ts";
import type { Description, Located } from "./located.ts";
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
} from "./merged-schema.ts";
import type { FlatSchema, MergedSchema } from "./merged-schema.ts";
import { isObject, rememberedPer, toObject, toArray } from "./values.ts";
import type { JsonObject } from "./values.ts";

/** Schemas that one is made of, through references, `allOf` and alternatives. */
const maxParts = 60;
/** Alternatives that are compared with each other. */
const maxCompared = 8;

/** Schemas that are referred to, in one piece: most are met hundreds of times. */
const schemasByReference = rememberedPer(() => new Map<string, FlatSchema>());

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
  if (isObject(value) && Object.keys(value).every(isPlainKeyword))
    return toFlatSchema({ ...emptySchema(), keywords: value, parts: [value] }, schema);
  const key = referenceKey(schema);
  const known = key === undefined ? undefined : schemasByReference(description).get(key);
  if (known !== undefined && !known.parts.some((part) => above.includes(part))) return known;
  const merged = emptySchema();
  if (!merge({ description, above }, schema, merged, true)) return undefined;
  if (merged.name !== "" && merged.discriminator !== undefined)
    setDiscriminator(merged, merged.discriminator, merged.name, schema);
  const flat = toFlatSchema(merged, schema);
  if (key !== undefined && !merged.isCircular) schemasByReference(description).set(key, flat);
  return flat;
}

/** What a reference without anything beside it is remembered by; undefined for anything else. */
function referenceKey({ value, file }: Located): string | undefined {
  const { $ref: ref, ...beside } = toObject(value);
  return typeof ref !== "string" || Object.keys(beside).length > 0 ? undefined : `${file} ${ref}`;
}

/** Where a schema is merged: the description, and the schemas that it stands in. */
interface Scope {
  readonly description: Description;
  readonly above: readonly object[];
}

/** Adds a schema, with what it refers to; `isNamed`: its name is that of the whole. False where there is none, or it is circular. */
function merge(scope: Scope, schema: Located, into: MergedSchema, isNamed: boolean): boolean {
  if (schema.value === true) return true;
  const { description, above } = scope;
  const at = follow(description, inScope(schema, [...above, ...into.parts]));
  if (at === undefined || !isObject(at.value) || !isObject(at.origin)) return false;
  if (above.includes(at.origin)) {
    into.isCircular = true;
    return false;
  }
  if (into.parts.length >= maxParts) return false;
  // Met by two ways: it has been added.
  if (into.parts.includes(at.origin)) return true;
  const { file, value, origin } = at;
  // What a schema says beside its reference comes before what that refers to says itself.
  if (value !== origin && isObject(value["$defs"])) into.parts.push(value);
  into.parts.push(origin);
  const ref = refOf(schema.value);
  if (isNamed && ref !== undefined) into.name ||= nameOf(ref);
  const locate = (child: unknown): Located => {
    // Pointers of what is in a schema are not asked for.
    const place = { value: child, file, pointer: "" };
    const meant = inScope(place, [...above, ...into.parts]);
    into.isCircular ||= meant.value !== inScope(place, into.parts).value;
    return meant;
  };
  addKeywords(into, value);
  addChildren(into, value, locate);
  const all = itemsOf(locate(value["allOf"]));
  const added = all.map((part) => merge(scope, part, into, isNamed && all.length === 1));
  added.push(mergeAlternative(scope, itemsOf(locate(value["oneOf"])), value, into, isNamed, true));
  added.push(mergeAlternative(scope, itemsOf(locate(value["anyOf"])), value, into, isNamed, false));
  return !added.includes(false);
}

/** Adds the first alternative of a schema that is not circular, and notes which there are. `isExclusive`: a value is of exactly one. */
function mergeAlternative(
  scope: Scope,
  given: readonly Located[],
  schema: JsonObject,
  into: MergedSchema,
  isNamed: boolean,
  isExclusive: boolean,
): boolean {
  const alternatives = given.filter(({ value }) => toObject(value)["type"] !== "null");
  if (alternatives.length < given.length) into.keywords["nullable"] = true;
  if (alternatives.length === 0) return true;
  allowNull(into);
  const isOnly = alternatives.length === 1;
  const { discriminator } = schema;
  const above = [...scope.above, ...into.parts];
  const isTold = isObject(discriminator) || into.discriminator !== undefined;
  const ordered =
    isExclusive && !isOnly && !isTold ? unambiguousFirst(scope.description, alternatives, above) : alternatives;
  for (const chosen of ordered) {
    const found = { ...emptySchema(), parts: [...into.parts] };
    if (!merge(scope, chosen, found, isNamed && isOnly)) {
      into.isCircular ||= found.isCircular;
      continue;
    }
    addMerged(into, found);
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

/** The alternatives with the one first whose values are of no other, if there is one among the first of them. */
function unambiguousFirst(
  description: Description,
  alternatives: readonly Located[],
  above: readonly object[],
): readonly Located[] {
  const compared = alternatives.slice(0, maxCompared);
  const found = compared[unambiguousOf(compared.map((one) => flatten(description, one, above)))];
  return found === undefined ? alternatives : [found, ...alternatives.filter((one) => one !== found)];
}

/**
 * Index of the first alternative whose values fit no other one, where exactly one may fit: a value of it lacks what each of the
 * others requires, has what they do not allow, or has another fixed value in a field. 0 where there is none.
 */
function unambiguousOf(alternatives: readonly (FlatSchema | undefined)[]): number {
  const found = alternatives.findIndex(
    (one, at) => one !== undefined && !alternatives.some((other, index) => index !== at && other && mayFit(one, other)),
  );
  return Math.max(found, 0);
}

/** Whether a value with all the properties of one alternative fits another. */
function mayFit(one: FlatSchema, other: FlatSchema): boolean {
  if (one.type !== other.type && other.type !== "" && one.type !== "") return false;
  if (one.type !== "object" || other.type !== "object") return one.type === other.type;
  for (const [name, { required }] of other.properties) if (required && !one.properties.has(name)) return false;
  for (const [name, { value }] of one.properties) {
    const there = other.properties.get(name);
    if (there === undefined ? other.isClosed : exclude(toObject(value), toObject(there.value))) return false;
  }
  return true;
}

/** Whether no value fits both, by their fixed values or types. */
function exclude(one: JsonObject, other: JsonObject): boolean {
  const [own, others] = [fixedValues(one), fixedValues(other)];
  if (own !== undefined && others !== undefined) return !own.some((value) => others.includes(value));
  const [type, otherType] = [one["type"], other["type"]];
  return typeof type === "string" && typeof otherType === "string" && type !== otherType;
}

function fixedValues({ const: only, enum: values }: JsonObject): readonly unknown[] | undefined {
  if (only !== undefined) return [only];
  return values === undefined ? undefined : toArray(values);
}
