import { documentationOf, inlineCode, valueCode } from "./description-text.ts";
import { below, entriesOf, itemsOf, rootOf, type Description, type Located } from "./located.ts";
import { labelOf, maxProperties, type Branch, type MergedSchema } from "./merged-schema.ts";
import { nameOf, refOf, targetOf } from "./references.ts";
import { cachedPer, toText } from "./values.ts";
import { escaped, isObject, type Json, listOf, objectOf } from "../json.ts";

type Locate = (child: unknown) => Located;

/**
 * Adds the descriptions of a schema, schemas with conditions or by name or position, and notes. `origin` is the schema without the
 * keywords next to a reference to it.
 */
export function addBranches(into: MergedSchema, schema: Json, origin: Json, locate: Locate): void {
  const { branches, notes, texts } = into;
  for (const text of [schema, origin].map(({ description }) => toText(description)))
    if (text !== "" && !texts.includes(text)) texts.push(text);
  const add = (suffix: string, when: string, child: unknown): void => {
    if (isObject(child)) branches.push({ suffix, when, at: locate(child) });
  };
  const { items, prefixItems, if: condition, contains, not, propertyNames: names, externalDocs } = schema;
  const tuple = Array.isArray(items) ? items : listOf(prefixItems);
  for (const [index, item] of tuple.entries()) add(`[${index}]`, "", item);
  // The first item's schema is not that of all items.
  if (tuple.length > 0 && !isObject(items)) into.items = undefined;
  for (const [pattern, child] of Object.entries(objectOf(schema["patternProperties"]))) add(`./${pattern}/`, "", child);
  const { additionalProperties: additional, unevaluatedProperties: unevaluated } = schema;
  add(".*", "", isObject(additional) ? additional : unevaluated);
  add("[]", "at least one item", contains);
  if (condition !== undefined) {
    add("", conditionWords(condition), schema["then"]);
    add("", `not ${conditionWords(condition)}`, schema["else"]);
  }
  const dependencies = { ...objectOf(schema["dependencies"]), ...objectOf(schema["dependentSchemas"]) };
  for (const [name, child] of Object.entries(dependencies)) add("", `${inlineCode(name)} is present`, child);
  for (const [name, needed] of Object.entries({ ...dependencies, ...objectOf(schema["dependentRequired"]) }))
    if (Array.isArray(needed)) notes.push(`${inlineCode(name)} requires ${needed.map(valueCode).join(", ")}.`);
  if (not !== undefined) notes.push(`It must not be so: ${conditionWords(not)}.`);
  if (names !== undefined) notes.push(`Names of properties: ${conditionWords(names)}.`);
  const more = Object.keys(objectOf(schema["properties"])).length - maxProperties;
  if (more > 0) notes.push(`${more} further properties are left out.`);
  const documentation = documentationOf(externalDocs);
  if (documentation !== "") notes.push(`More: ${documentation}`);
}

/** Adds a group of alternatives. */
export function addChoice(into: MergedSchema, options: readonly Located[], { discriminator }: Json): void {
  if (options.every(({ value }) => isOnlyRequired(value))) {
    const sets = options.map(({ value }) => listOf(objectOf(value)["required"]).map(valueCode).join(" and "));
    into.notes.push(`Required: ${sets.join(", or ")}.`);
    into.requirements.push(options.map((at) => ({ suffix: "", when: "", at })));
    return;
  }
  const names = options.map(optionName);
  const same = Map.groupBy(names, (name) => name);
  const select = selectorOf(discriminator);
  into.choices.push(
    options.map((at, index): Branch => {
      const name = names[index] ?? "";
      const when = same.get(name)?.length === 1 ? name : `${name} ${index + 1}`;
      return { suffix: "", when, ...select(refOf(at.value)), at };
    }),
  );
}

function isOnlyRequired(value: unknown): boolean {
  const { required, title: _title, type: _type, ...others } = objectOf(value);
  return Array.isArray(required) && required.length > 0 && Object.keys(others).length === 0;
}

/** Name of an alternative: of its reference, its title, a fixed value that it has, or its type. */
function optionName(at: Located): string {
  const { title, type, const: only, properties } = objectOf(at.value);
  if (refOf(at.value) !== undefined || toText(title) !== "") return labelOf(at);
  if (only !== undefined) return valueCode(only);
  const fixed = entriesOf(below(at, "properties")).find(([, { value }]) => fixedIn(value) !== undefined);
  if (fixed !== undefined) return `${inlineCode(fixed[0])} is ${valueCode(fixedIn(fixed[1].value))}`;
  return typeof type === "string" ? type : properties === undefined ? "alternative" : "object";
}

/** The only value that a schema allows; undefined for several. */
export function fixedIn(schema: unknown): unknown {
  const { const: only, enum: values } = objectOf(schema);
  return only ?? (listOf(values).length === 1 ? listOf(values)[0] : undefined);
}

/** Tells the selector of the schema of a reference, which may be its name. */
export function selectorOf(discriminator: unknown): (ref: string | undefined) => Pick<Branch, "selector"> {
  const { propertyName, mapping } = objectOf(discriminator);
  const property = toText(propertyName ?? discriminator);
  const byName = Map.groupBy(Object.entries(objectOf(mapping)), ([, to]) => nameOf(toText(to)));
  return (ref) => {
    if (ref === undefined || property === "") return {};
    return { selector: { property, values: (byName.get(nameOf(ref)) ?? []).map(([value]) => value) } };
  };
}

/** The alternatives by schema with a discriminator, and schemas by the one that they extend through `allOf`; null until they are read. */
const extensions = cachedPer(() => ({
  options: new Map<unknown, readonly Branch[]>(),
  byBase: null as Map<unknown, readonly { readonly at: Located }[]> | null,
}));

/** Adds the schemas that the discriminator of a schema without alternatives selects: those of its mapping, or those that extend it. */
export function addSubtypes(
  into: MergedSchema,
  description: Description,
  at: Located & { readonly origin: unknown },
): void {
  if (objectOf(at.value)["discriminator"] === undefined) return;
  const { options } = extensions(description);
  const found = options.get(at.origin) ?? subtypesOf(description, at);
  options.set(at.origin, found);
  if (found.length > 0) into.choices.push(found);
}

function subtypesOf(description: Description, at: Located): readonly Branch[] {
  const { discriminator } = objectOf(at.value);
  if (toText(objectOf(discriminator)["propertyName"] ?? discriminator) === "") return [];
  const keys = description.version === "2.0" ? ["definitions"] : ["components", "schemas"];
  const mapped = Object.values(objectOf(objectOf(discriminator)["mapping"])).filter((to) => typeof to === "string");
  const refs = new Set(mapped.map((to) => (/[#/.]/.test(to) ? to : `#/${keys.join("/")}/${to}`)));
  const found =
    refs.size > 0 ? [...refs].map(($ref) => ({ ...at, value: { $ref } })) : extending(description, at, keys);
  const select = selectorOf(discriminator);
  return found
    .filter((one) => targetOf(description, one, refOf(one.value) ?? "")?.value !== at.value)
    .map((one): Branch => ({ suffix: "", when: labelOf(one), ...select(refOf(one.value)), at: one }));
}

function extending(description: Description, { value }: Located, keys: readonly string[]): readonly Located[] {
  const cache = extensions(description);
  cache.byBase ??= Map.groupBy(
    entriesOf(below(rootOf(description), ...keys)).flatMap(([name, at]) =>
      itemsOf(below(at, "allOf")).map((part) => ({
        base: targetOf(description, part, refOf(part.value) ?? "#")?.value,
        at: { ...at, value: { $ref: `#/${[...keys, escaped(name)].join("/")}` } },
      })),
    ),
    ({ base }) => base,
  );
  return (cache.byBase.get(value) ?? []).map(({ at }) => at);
}

/** Maximum length of a condition that is written as JSON, in characters. */
const maxCondition = 500;

/** What a schema demands, in words; as JSON for anything but a few usual demands. */
function conditionWords(schema: unknown): string {
  const {
    properties,
    required,
    $ref,
    type,
    const: only,
    enum: values,
    pattern,
    allOf,
    anyOf,
    oneOf,
    not,
    ...others
  } = objectOf(schema);
  const named = objectOf(properties);
  const isPlain = Object.keys(others).every((key) => ["title", "description", "$comment"].includes(key));
  const words = [
    typeof $ref === "string" ? nameOf($ref) : "",
    only === undefined ? "" : valueCode(only),
    Array.isArray(values) ? values.map(valueCode).join(" or ") : "",
    typeof type === "string" && (type !== "object" || Object.keys(objectOf(schema)).length === 1) ? type : "",
    typeof pattern === "string" ? `matches ${inlineCode(pattern)}` : "",
    ...Object.entries(named).map(([name, child]) => `${inlineCode(name)} is ${conditionWords(child)}`),
    ...listOf(required)
      .filter((name) => !Object.hasOwn(named, String(name)))
      .map((name) => `${valueCode(name)} is present`),
    ...listOf(allOf).map(conditionWords),
    [...listOf(anyOf), ...listOf(oneOf)].map(conditionWords).join(" or "),
    not === undefined ? "" : `not ${conditionWords(not)}`,
  ].filter((word) => word !== "");
  if (isPlain && words.length > 0) return words.join(" and ");
  const json = JSON.stringify(schema) ?? "";
  return inlineCode(json.length > maxCondition ? `${json.slice(0, maxCondition)}…` : json);
}
