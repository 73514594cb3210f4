import { flatten } from "./flat-schema.ts";
import type { Description, Located } from "./located.ts";
import { hiddenBy, type Direction, type FlatSchema, type Property } from "./merged-schema.ts";
import { isMatch, textMatching } from "./pattern-sample.ts";
import { bounded, toText } from "./values.ts";
import { isObject, type Json, listOf } from "../json.ts";

/** The beginning of descriptions that replace `readOnly`: "[Output Only] …", "Read-only. …". */
const readOnlyInWords = /^[[(*_]{0,3}(?:read[- ]?only|output[- ]only)\b/i;
/** Names of timestamps that a server sets. */
const timestamps =
  /^(?:created|updated|modified|creation|modification|last_?modified|last_?updated)_?(?:on|at|date|time|timestamp)$/i;
/** Names of fields that a server assigns to what it stores. */
const identities: ReadonlySet<string> = new Set(["id", "uuid", "links", "_links", "selflink"]);

/**
 * The fields of an object that only the server sets, although their schemas lack `readOnly`: by the first words of their
 * descriptions, or by their names. Ids are included only in the object that a request is about (`isSubject`), and only if the server
 * stores it, so that it has another field that the server sets. Other ids are chosen by the caller.
 */
function serverSetOf({ name: schemaName, properties }: FlatSchema, isSubject: boolean): ReadonlySet<string> {
  const all = [...properties].map(([name, { value }]) => ({ name, schema: isObject(value) ? value : {} }));
  const marked = all.filter(
    ({ name, schema: { description, type } }) =>
      readOnlyInWords.test(toText(description)) ||
      (timestamps.test(name) && [type].flat().some((one) => one === "string" || one === "integer")),
  );
  const isStored = marked.length > 0 || all.some(({ schema }) => schema["readOnly"] === true);
  const ownId = `${folded(schemaName)}id`;
  const ids =
    isSubject && isStored ? all.filter(({ name }) => identities.has(name.toLowerCase()) || folded(name) === ownId) : [];
  return new Set([...marked, ...ids].map(({ name }) => name));
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** A schema for openapi-sampler: a tree without references, alternatives or `allOf`. */
export type SampleSchema = Json;

/** Maximum number of values in a sample with optional values, and in one with only required values. */
const maxValues = { request: 40, response: 80 };
const maxRequired = 800;
/** Number of optional properties that are shown of a required object without required properties. */
const fewProperties = 3;
/** Maximum number of properties of an object that wraps the subject. */
const maxWrapperProperties = 4;
/** Maximum depth of a sample. */
const maxDepth = 12;
/** Depths to which a sample has all optional properties. The first is used with which it is small enough. */
const optionalDepths = [6, 4, 3, 2, 1, 0];
/** Keywords that openapi-sampler reads. */
const kept: readonly string[] =
  "format enum const default pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minProperties maxProperties xml".split(
    " ",
  );

/** Replacement for a required value without a type, which may be a text. */
const anyText: SampleSchema = { type: "string" };

/** The sampler's name for properties without names. */
const usualName = "property1";

class TooLarge extends Error {}

/**
 * The tree of a schema for samples of one direction: all required properties, and optional ones to the depth at which they fit, with
 * the first ones below that. Undefined for a missing schema, and for one with a required circle.
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
  /** Depth to which optional properties are added. */
  readonly optional: number;
  /** Number of values up to which they are added. */
  readonly fill: number;
}

/** The place of a schema in the tree. */
interface Place {
  readonly depth: number;
  /** The schemas around it. */
  readonly above: readonly object[];
  /** Its value is required. */
  readonly isNeeded: boolean;
  /** Its value is the subject of the request: the body itself, or the object in a wrapper. */
  readonly isSubject: boolean;
}

type Build = (schema: Located, place: Place) => SampleSchema | undefined;

function createBuild(description: Description, direction: Direction, { limit, optional, fill }: BuildOptions): Build {
  let values = 0;
  /** Trees without information: objects whose properties are all left out, values without a type, and arrays of these. */
  const hollow = new WeakSet<SampleSchema>();

  const build: Build = (schema, place) => {
    values += 1;
    if (values > limit) throw new TooLarge();
    if (place.depth > maxDepth) return undefined;
    const flat = flatten(description, schema, place.above);
    if (flat === undefined) return undefined;
    const tree: Record<string, unknown> = keywordsOf(description, flat);
    // An example covers everything below it.
    if (tree["example"] !== undefined || tree["const"] !== undefined || tree["enum"] !== undefined) return tree;
    const inside = { ...place, above: [...place.above, ...flat.parts], depth: place.depth + 1 };
    if (flat.type === "array") return withItems(tree, flat, inside);
    if (flat.type === "object") return withProperties(tree, flat, inside);
    if (!kept.some((key) => tree[key] !== undefined) && flat.type === "") hollow.add(tree);
    return tree;
  };

  /** The name of the only property of a small object that is an object, or an array of objects, and so the subject. */
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
    // An object with a minimum number of properties keeps all.
    const isReduced = direction === "request" && flat.keywords["minProperties"] === undefined;
    const serverSet: ReadonlySet<string> = isReduced ? serverSetOf(flat, isSubject) : new Set();
    const wrapped = isReduced && isSubject && serverSet.size === 0 ? wrappedIn(flat, inside.above) : undefined;
    const add = (name: string, property: Property): void => {
      const child = build(property, { ...inside, isNeeded: property.required, isSubject: name === wrapped });
      if (child?.[hiddenBy[direction]] === true) return;
      if (child === undefined) isWhole &&= !property.required;
      else if (property.required) properties[name] = child["type"] === undefined && hollow.has(child) ? anyText : child;
      else if (!lacksMatch(child) && !hollow.has(child)) properties[name] = child;
    };
    for (const [name, property] of flat.properties)
      if (property.required || (!serverSet.has(name) && depth <= optional && values < fill)) add(name, property);
    // A required object without required properties shows some optional ones.
    if (isNeeded && depth <= maxDepth && Object.keys(properties).length === 0)
      for (const [name, property] of flat.properties)
        if (!property.required && !serverSet.has(name) && Object.keys(properties).length < fewProperties)
          add(name, property);
    // Without a required property it would not fit its schema.
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
    const item = built && isOfItems(keywords, "array") ? { ...built, enum: keywords["enum"] } : built;
    if (item === undefined) return least > 0 ? undefined : tree;
    if (!hollow.has(item)) return { ...tree, items: item };
    const shown = { ...tree, ...(item["type"] !== undefined ? { items: item } : least > 0 && { items: anyText }) };
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
  // Dates have a fixed length, and the sampler would print a warning about another one.
  if (typeof format === "string" && /^(?:date|time)/.test(format))
    for (const key of ["minLength", "maxLength"]) delete tree[key];
  const shown = exampleFor(description, flat);
  if (shown !== undefined) tree["example"] = shown;
  if (tree["default"] !== undefined && !fits(tree["default"], flat)) delete tree["default"];
  return tree;
}

/** Whether the `enum` of an array lists the values of its items. */
function isOfItems({ enum: values }: Json, type: string): boolean {
  return type === "array" && Array.isArray(values) && values.every((value) => !Array.isArray(value));
}

/** A name for an additional property that fits the schema of names; undefined if any will do. */
function nameFor(names: Json | undefined): string | undefined {
  const { enum: values, pattern } = names ?? {};
  const [first] = Array.isArray(values) ? values : [];
  if (typeof first === "string") return first;
  return typeof pattern === "string" && !isMatch(pattern, usualName) ? textMatching(pattern) : undefined;
}

/** True for a text whose pattern no known value matches, so the sampler's text would not match either. */
function lacksMatch(tree: SampleSchema): boolean {
  return (
    tree["pattern"] !== undefined && !["example", "default", "enum", "const"].some((key) => tree[key] !== undefined)
  );
}

/** Maximum number of values in an example of a schema. */
const maxExampleValues = 300;
/** Maximum depth to which an example is checked against its schema. */
const maxCheckedDepth = 8;

/** Samples of formats that openapi-sampler does not support. */
const formats: Readonly<Record<string, unknown>> = {
  byte: "c3RyaW5n",
  duration: "P1D",
  "unix-time": 1_735_689_600,
  unixtime: 1_735_689_600,
  timestamp: "2019-08-24T14:15:22Z",
  timezone: "UTC",
  currency: "USD",
};

/** The example of a schema if it fits; else a value for its pattern, or for a format that openapi-sampler does not support. */
function exampleFor(description: Description, flat: FlatSchema): unknown {
  const { keywords, type } = flat;
  const { examples, format, pattern, minLength, maxLength } = keywords;
  const original = keywords["example"] ?? (Array.isArray(examples) ? examples[0] : undefined);
  const example = original === undefined ? undefined : bounded(original, maxExampleValues);
  if (example !== undefined && example !== null) {
    // A text without quotes in YAML may be a number or boolean.
    const isBare = typeof example === "number" || typeof example === "boolean";
    const asText = type === "string" && isBare ? String(example) : example;
    if (fitsWithin(description, asText, flat, 0)) return asText;
  }
  if (maxLength === 0) return "";
  if (keywords["enum"] !== undefined || keywords["const"] !== undefined) return undefined;
  if (typeof pattern === "string" && (type === "string" || type === ""))
    return fits(keywords["default"], flat)
      ? undefined
      : textMatching(pattern, typeof minLength === "number" ? minLength : 0);
  if (typeof format !== "string" || !Object.hasOwn(formats, format) || keywords["default"] !== undefined)
    return undefined;
  const standard = formats[format];
  return fits(standard, flat) ? standard : undefined;
}

/** True if a value and the values in it fit a schema. Any value fits a schema with alternatives. */
function fitsWithin(description: Description, value: unknown, flat: FlatSchema, depth: number): boolean {
  if (flat.alternatives.length > 0 || depth > maxCheckedDepth) return true;
  if (value === null) return flat.keywords["nullable"] === true || listOf(flat.keywords["type"]).includes("null");
  if (!fits(value, flat)) return false;
  const fitsIn = (inner: unknown, schema: Located | undefined): boolean => {
    const innerFlat = schema && flatten(description, schema);
    return innerFlat === undefined || fitsWithin(description, inner, innerFlat, depth + 1);
  };
  if (Array.isArray(value)) return value.every((item) => fitsIn(item, flat.items));
  if (!isObject(value)) return true;
  const isKnown = (name: string): boolean => flat.properties.has(name) || flat.additional !== undefined;
  if (flat.isClosed && !Object.keys(value).every(isKnown)) return false;
  return Object.entries(value).every(([name, inner]) => fitsIn(inner, flat.properties.get(name) ?? flat.additional));
}

/** True if a value fits a schema, not checking the values in it. */
function fits(value: unknown, { keywords, type, properties }: FlatSchema): boolean {
  const { enum: values, minimum, maximum, minLength, maxLength, pattern } = keywords;
  if (value === undefined || !isOfType(value, type)) return false;
  if (Array.isArray(values) && !values.includes(value) && typeof value !== "object") return false;
  if (typeof value === "number")
    return !(typeof minimum === "number" && value < minimum) && !(typeof maximum === "number" && value > maximum);
  if (typeof value === "string") {
    if (typeof minLength === "number" && value.length < minLength) return false;
    if (typeof maxLength === "number" && value.length > maxLength) return false;
    return typeof pattern !== "string" || isMatch(pattern, value);
  }
  if (!isObject(value)) return true;
  return [...properties].every(([name, property]) => !property.required || Object.hasOwn(value, name));
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "string":
    case "boolean":
    case "number":
      return typeof value === type;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      return true;
  }
}
