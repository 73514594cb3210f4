import { flatten } from "./flat-schema.ts";
import type { Description, Located } from "./located.ts";
import { hiddenBy } from "./merged-schema.ts";
import type { Direction, FlatSchema, Property } from "./merged-schema.ts";
import { isMatch, matching } from "./pattern-sample.ts";
import { exampleFor, fits, maxExampleValues } from "./schema-example.ts";
import { bounded, isObject, toText } from "./values.ts";
import type { JsonObject } from "./values.ts";

/** How descriptions of fields begin that lack `readOnly` and mean it: "[Output Only] …", "Read-only. …". */
const readOnlyInWords = /^[[(*_]{0,3}(?:read[- ]?only|output[- ]only)\b/i;
/** Names of timestamps that a server sets. */
const timestamps =
  /^(?:created|updated|modified|creation|modification|last_?modified|last_?updated)_?(?:on|at|date|time|timestamp)$/i;
/** Names of fields that a server assigns to what it stores. */
const identities: ReadonlySet<string> = new Set(["id", "uuid", "links", "_links", "selflink"]);

/**
 * The fields of an object that only the server sets, though their schemas lack `readOnly`: by the first words of their descriptions,
 * or by their names. An id counts only in the object that a request is about (`isSubject`), and only if the server stores that: it has a
 * field of the other kinds, or a `readOnly` one. Elsewhere an id refers to something that the caller chooses.
 */
function serverSetOf(
  { name: schemaName, properties }: Pick<FlatSchema, "name"> & { readonly properties: ReadonlyMap<string, Valued> },
  isSubject: boolean,
): ReadonlySet<string> {
  const all = [...properties].map(([name, { value }]) => ({ name, schema: isObject(value) ? value : {} }));
  const found = all.filter(
    ({ name, schema: { description, type } }) =>
      readOnlyInWords.test(toText(description)) ||
      (timestamps.test(name) && [type].flat().some((one) => one === "string" || one === "integer")),
  );
  const isKept = found.length > 0 || all.some(({ schema }) => schema["readOnly"] === true);
  const own = `${folded(schemaName)}id`;
  const given =
    isSubject && isKept ? all.filter(({ name }) => identities.has(name.toLowerCase()) || folded(name) === own) : [];
  return new Set([...found, ...given].map(({ name }) => name));
}

interface Valued {
  readonly value: unknown;
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** A schema that samples are made from: a tree without references, alternatives or `allOf`. */
export type SampleSchema = JsonObject;

/** Maximum number of values in a sample that may lack those that are not required; and in one that has only what is. */
const maxValues = { request: 40, response: 80 };
const maxRequired = 800;
/** Optional properties that are shown of an object that has to be there and requires none. */
const fewProperties = 3;
/** Most properties of an object that only wraps what it is about. */
const maxWrapperProperties = 4;
/** Maximum depth of a sample. */
const maxDepth = 12;
/** Depths down to which a sample has all optional properties: the first with which it is small enough. */
const optionalDepths = [6, 4, 3, 2, 1, 0];
/** Keywords that decide what a sample is. */
const kept: readonly string[] =
  "format enum const default pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minProperties maxProperties xml".split(
    " ",
  );

/** What stands for a required value without a type: it may be a text. */
const anyText: SampleSchema = { type: "string" };

/** How the sampler calls properties without names. */
const usualName = "property1";

class TooLarge extends Error {}

/**
 * The tree of a schema as samples of one direction need it: all that is required, and the optional properties down to the depth to
 * which they fit, with the first ones below that. Undefined where there is no schema, or it is circular through what it requires.
 */
export function toSampleSchema(
  description: Description,
  schema: Located,
  direction: Direction,
): SampleSchema | undefined {
  const build = (options: BuildOptions): { readonly tree: SampleSchema | undefined } | undefined => {
    try {
      const place = { depth: 0, above: [], isNeeded: true, isSubject: true };
      return { tree: createBuild(description, direction, options)(schema, place) };
    } catch (error) {
      if (error instanceof TooLarge) return undefined;
      throw error;
    }
  };
  let tooDeep = 0;
  for (const optional of optionalDepths) {
    const whole = build({ limit: maxValues[direction], optional, fill: Infinity });
    if (whole !== undefined && tooDeep === 0) return whole.tree;
    if (whole !== undefined) break;
    tooDeep = optional;
  }
  return build({ limit: maxRequired, optional: tooDeep, fill: maxValues[direction] })?.tree;
}

interface BuildOptions {
  /** Number of values beyond which the tree is too large. */
  readonly limit: number;
  /** Depth down to which optional properties are taken. */
  readonly optional: number;
  /** Number of values up to which they are taken. */
  readonly fill: number;
}

/** Where a schema stands in the tree. */
interface Place {
  readonly depth: number;
  /** The schemas that it stands in. */
  readonly above: readonly object[];
  /** Its value has to be there. */
  readonly isNeeded: boolean;
  /** Its value is what the request is about: the body itself, or what that wraps. */
  readonly isSubject: boolean;
}

type Build = (schema: Located, place: Place) => SampleSchema | undefined;

function createBuild(description: Description, direction: Direction, { limit, optional, fill }: BuildOptions): Build {
  let values = 0;
  /** Trees that say nothing: objects whose properties are all left out, what has no type, and arrays of these. */
  const hollow = new WeakSet<SampleSchema>();

  const build: Build = (schema, place) => {
    values += 1;
    if (values > limit) throw new TooLarge();
    if (place.depth > maxDepth) return undefined;
    const flat = flatten(description, schema, place.above);
    if (flat === undefined) return undefined;
    const tree: Record<string, unknown> = keywordsOf(description, flat);
    // An example stands for everything below it.
    if (tree["example"] !== undefined || tree["const"] !== undefined || tree["enum"] !== undefined) return tree;
    const inside = { ...place, above: [...place.above, ...flat.parts], depth: place.depth + 1 };
    if (flat.type === "array") return withItems(tree, flat, inside);
    if (flat.type === "object") return withProperties(tree, flat, inside);
    if (!kept.some((key) => tree[key] !== undefined) && flat.type === "") hollow.add(tree);
    return tree;
  };

  /** The name of the only property of a small object that is an object, or an array of objects: what the body is about is in it. */
  const wrappedIn = ({ properties }: FlatSchema, inside: readonly object[]): string | undefined => {
    if (properties.size > maxWrapperProperties) return undefined;
    const objects = [...properties].filter(([, property]) => {
      const flat = flatten(description, property, inside);
      const inner = flat?.type === "array" && flat.items ? flatten(description, flat.items, inside) : flat;
      return inner !== undefined && inner.properties.size > 0;
    });
    return objects.length === 1 ? objects[0]?.[0] : undefined;
  };

  const withProperties = (tree: Record<string, unknown>, flat: FlatSchema, inside: Place): SampleSchema | undefined => {
    const { depth, isNeeded, isSubject } = inside;
    const properties: Record<string, SampleSchema> = {};
    let isWhole = true;
    // An object that counts its properties has what it has.
    const isOfServer = direction === "request" && flat.keywords["minProperties"] === undefined;
    const serverSet: ReadonlySet<string> = isOfServer ? serverSetOf(flat, isSubject) : new Set();
    const wrapped = isOfServer && isSubject && serverSet.size === 0 ? wrappedIn(flat, inside.above) : undefined;
    const take = (name: string, property: Property): void => {
      const found = build(property, { ...inside, isNeeded: property.required, isSubject: name === wrapped });
      if (found?.[hiddenBy[direction]] === true) return;
      if (found === undefined) isWhole &&= !property.required;
      else if (property.required) properties[name] = found["type"] === undefined && hollow.has(found) ? anyText : found;
      else if (!lacksMatch(found) && !hollow.has(found)) properties[name] = found;
    };
    for (const [name, property] of flat.properties)
      if (property.required || (!serverSet.has(name) && depth <= optional && values < fill)) take(name, property);
    // What has to be there, and requires nothing in it, shows what may be in it.
    if (isNeeded && depth <= maxDepth && Object.keys(properties).length === 0)
      for (const [name, property] of flat.properties)
        if (!property.required && !serverSet.has(name) && Object.keys(properties).length < fewProperties)
          take(name, property);
    // Without all that it requires it would be no sample of its schema.
    if (!isWhole && depth > 1) return undefined;
    tree["properties"] = properties;
    if (flat.additional !== undefined && flat.properties.size === 0 && depth <= Math.max(optional, 1)) {
      const additional = build(flat.additional, { ...inside, isNeeded: false, isSubject: false });
      const name = nameFor(flat.names);
      if (additional !== undefined && !hollow.has(additional)) {
        if (name === undefined) tree["additionalProperties"] = additional;
        else properties[name] = additional;
      }
    }
    if (flat.properties.size > 0 && Object.keys(properties).length === 0) hollow.add(tree);
    return tree;
  };

  const withItems = (
    tree: Record<string, unknown>,
    { items, keywords }: FlatSchema,
    inside: Place,
  ): SampleSchema | undefined => {
    const least = typeof keywords["minItems"] === "number" ? keywords["minItems"] : 0;
    const built = items && build(items, { ...inside, isNeeded: inside.isNeeded || least > 0 });
    const found = built && isOfItems(keywords, "array") ? { ...built, enum: keywords["enum"] } : built;
    if (found === undefined) return least > 0 ? undefined : tree;
    if (!hollow.has(found)) return { ...tree, items: found };
    const shown = { ...tree, ...(found["type"] !== undefined ? { items: found } : least > 0 && { items: anyText }) };
    hollow.add(shown);
    return shown;
  };

  return build;
}

function keywordsOf(description: Description, flat: FlatSchema): Record<string, unknown> {
  const { keywords, type } = flat;
  const tree: Record<string, unknown> = {};
  if (type !== "") tree["type"] = type === "file" ? "string" : type;
  for (const key of kept)
    if (keywords[key] !== undefined && !(key === "enum" && isOfItems(keywords, type)))
      tree[key] = bounded(keywords[key], maxExampleValues);
  // A file of Swagger 2.0.
  if (type === "file") tree["format"] = "binary";
  if (keywords["readOnly"] === true) tree["readOnly"] = true;
  if (keywords["writeOnly"] === true) tree["writeOnly"] = true;
  const { format } = keywords;
  // Dates have the length that they have, and the sampler would say so on the console.
  if (typeof format === "string" && /^(?:date|time)/.test(format))
    for (const key of ["minLength", "maxLength"]) delete tree[key];
  const shown = exampleFor(description, flat);
  if (shown !== undefined) tree["example"] = shown;
  if (tree["default"] !== undefined && !fits(tree["default"], flat)) delete tree["default"];
  return tree;
}

/** Whether an array lists the values that its items may have as its own. */
function isOfItems({ enum: values }: JsonObject, type: string): boolean {
  return type === "array" && Array.isArray(values) && values.every((value) => !Array.isArray(value));
}

/** A name that a property may have which is called as the caller likes; undefined where any will do. */
function nameFor(names: JsonObject | undefined): string | undefined {
  const { enum: values, pattern } = names ?? {};
  const [first] = Array.isArray(values) ? values : [];
  if (typeof first === "string") return first;
  return typeof pattern === "string" && !isMatch(pattern, usualName) ? matching(pattern) : undefined;
}

/** True for a text with a pattern that nothing matches which is known: what the sampler makes would not match it. */
function lacksMatch(tree: SampleSchema): boolean {
  return (
    tree["pattern"] !== undefined && !["example", "default", "enum", "const"].some((key) => tree[key] !== undefined)
  );
}
