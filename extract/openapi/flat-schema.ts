import { inScope, follow, nameOf, refOf } from "./references.ts";
import { itemsOf, type Description, type Located } from "./located.ts";
import {
  addChildren,
  addKeywords,
  allowNull,
  isPlainKeyword,
  isPlainSchema,
  startMerging,
  toFlatSchema,
  withSelected,
  type FlatSchema,
  type MergedSchema,
} from "./merged-schema.ts";
import { cachedPer, toText } from "./values.ts";
import { addBranches, addChoice, addSubtypes, selectorOf } from "./whole-schema.ts";
import { isObject, objectOf } from "../json.ts";

/** Maximum number of schemas that are merged into one, through references, `allOf` and alternatives. */
const maxParts = 60;

/** Flattened schemas by use and reference, as most are used hundreds of times. */
const schemasByReference = cachedPer(() => new Map<BaseTest, Map<string, FlatSchema>>());

/** Tells the parts of `allOf` that are not merged. One function for each purpose, as results are cached by it. */
export type BaseTest = (description: Description, part: Located) => boolean;

/** No part of `allOf`. */
export const isNever: BaseTest = () => false;

/**
 * Flattens `$ref` and `allOf`; alternatives, conditions and the parts of `allOf` that `isBase` accepts are kept apart. Circular and missing
 * parts of `allOf` are left out. Undefined for a missing or circular schema; `above` are the schemas around it.
 */
export function flatten(
  description: Description,
  schema: Located,
  above: readonly object[] = [],
  isBase = isNever,
): FlatSchema | undefined {
  const { value } = schema;
  // Fast path: most schemas are a text or a number.
  if (isPlainSchema(value)) {
    const texts = [toText(value["description"])].filter((text) => text !== "");
    return toFlatSchema({ ...startMerging(), keywords: value, parts: [value], texts }, schema);
  }
  const cache = schemasByReference(description);
  const key = referenceKey(schema);
  const schemas = cache.get(isBase) ?? new Map<string, FlatSchema>();
  cache.set(isBase, schemas);
  const cached = key === undefined ? undefined : schemas.get(key);
  if (cached !== undefined && !cached.parts.some((part) => above.includes(part))) return cached;
  const merged = startMerging();
  if (!merge({ description, above, isBase }, schema, merged, "itself")) return undefined;
  const flat = toFlatSchema(merged, schema);
  if (key !== undefined && !merged.isDependent) schemas.set(key, flat);
  return flat;
}

/** Maximum number of alternatives that are merged, one by one, to find the ways of a schema. */
const maxMerged = 200;

/** The schema with one of its alternatives, in all ways; itself without any. What tells its kind has the value of the kind. */
export function* variantsOf(
  description: Description,
  flat: FlatSchema,
  above: readonly object[],
  budget = { left: maxMerged },
): Generator<FlatSchema> {
  const { choices, requirements, discriminator, kind } = flat;
  const [group, ...others] = [...choices, ...requirements];
  if (group === undefined) {
    const { selector } = kind === "" ? {} : selectorOf(discriminator)(kind);
    yield selector === undefined ? flat : withSelected(flat, selector.property, selector.values[0] ?? kind);
    return;
  }
  for (const { at, selector } of group) {
    if (--budget.left < 0) return;
    const merged = startMerging({ ...flat, choices: others, requirements: [] });
    if (!merge({ description, above, isBase: isNever }, at, merged, "part") || merged.isPartial) continue;
    const chosen = toFlatSchema(merged, at);
    const name = nameOf(refOf(at.value) ?? "");
    const selected = selector ? withSelected(chosen, selector.property, selector.values[0] ?? name) : chosen;
    yield* variantsOf(description, selected, above, budget);
  }
}

/** The cache key of a bare reference; undefined for anything else. */
function referenceKey({ value, file }: Located): string | undefined {
  const { $ref: ref, ...siblings } = objectOf(value);
  return typeof ref !== "string" || Object.keys(siblings).length > 0 ? undefined : `${file} ${ref}`;
}

/** The description, the schemas around the one that is merged, and which parts of `allOf` are not merged. */
interface Scope {
  readonly description: Description;
  readonly above: readonly object[];
  readonly isBase: BaseTest;
}

/** What a schema is to the result: `itself` (its subtypes are the result's), one that gives it its name, or any other part. */
type Role = "itself" | "named" | "part";

/** Merges a schema with the ones it refers to. False for a missing or circular schema. */
function merge(scope: Scope, schema: Located, into: MergedSchema, role: Role): boolean {
  if (schema.value === true) return true;
  const { description, above, isBase } = scope;
  const at = follow(description, inScope(schema, [...above, ...into.parts]));
  if (at === undefined || !isObject(at.value) || !isObject(at.origin) || above.includes(at.origin)) {
    into.isPartial = true;
    into.isDependent ||= at !== undefined;
    return false;
  }
  // Beyond the bound, or reached on two ways, and merged already.
  if (into.parts.length >= maxParts || into.parts.includes(at.origin)) return true;
  const { file, value, origin } = at;
  // Definitions next to a reference have precedence over those of its target.
  if (value !== origin && isObject(value["$defs"])) into.parts.push(value);
  into.parts.push(origin);
  const ref = refOf(schema.value);
  if (role !== "part" && ref !== undefined) {
    into.name ||= nameOf(ref);
    into.kind ||= nameOf(ref);
  }
  const locate = (child: unknown): Located => {
    // Pointers inside of schemas are not used.
    const place = { value: child, file, pointer: "" };
    const target = inScope(place, [...above, ...into.parts]);
    into.isDependent ||= target.value !== inScope(place, into.parts).value;
    return target;
  };
  addKeywords(into, value);
  addChildren(into, value, locate);
  // Keywords next to a reference replace those of its target only if they contain no schemas.
  if (value !== origin) addChildren(into, origin, locate);
  const listsOf = (key: string): Located[][] =>
    [...new Set([value[key], origin[key]])].map((list) => itemsOf(locate(list)));
  addBranches(into, value, origin, locate);
  const all = listsOf("allOf").flat();
  const bases = all.filter((part) => isBase(description, part));
  into.bases.push(...bases);
  const isWrapper = ref === undefined && Object.keys(value).every((key) => key === "allOf" || isPlainKeyword(key));
  const roleOfOnly = role === "itself" && !isWrapper ? "named" : role;
  for (const part of all) if (!bases.includes(part)) merge(scope, part, into, all.length === 1 ? roleOfOnly : "part");
  const groups = ["oneOf", "anyOf"].flatMap(listsOf);
  for (const options of groups) {
    const others = options.filter((option) => objectOf(option.value)["type"] !== "null");
    if (others.length < options.length) into.keywords["nullable"] = true;
    if (others.length > 0) allowNull(into);
    if (others.length > 1) addChoice(into, others, value);
    else if (others[0] !== undefined) {
      const only = refOf(others[0].value);
      if (only !== undefined && isObject(value["discriminator"])) into.kind = nameOf(only);
      merge(scope, others[0], into, roleOfOnly);
    }
  }
  if (role === "itself" && groups.every((options) => options.length === 0)) addSubtypes(into, description, at);
  return true;
}
