import { estimateTokens } from "../../domain/tokens.ts";
import { fits } from "./fits.ts";
import { flatten, variantsOf } from "./flat-schema.ts";
import { type Description, type Located } from "./located.ts";
import { hiddenBy, type Direction, type FlatSchema, type Property } from "./merged-schema.ts";
import { isMatch, textMatching } from "./pattern-sample.ts";
import { follow } from "./references.ts";
import { givenValues, madeValues } from "./sample-value.ts";
import { capitals } from "./shell.ts";
import { toText } from "./values.ts";
import { isObject, type Json, listOf, objectOf } from "../json.ts";

/** The tree of a sample, as a schema for openapi-sampler: each value is an `example`, or has `properties` or a list of `items`. */
export type SampleSchema = Json;

/** Maximum size of a sample in estimated tokens; less in XML, which names each element twice. */
const maxTokens = { json: 400, xml: 250 };
/** Size up to which a request has all that is required, in estimated tokens. */
const maxRequest = 4000;
/** Maximum number of values in a sample, and maximum number of items in an array. */
const maxValues = 800;
const maxItems = 20;
/** Maximum number of alternatives that are tried. */
const maxAlternatives = 12;
/** Maximum depth of a sample. */
const maxDepth = 12;

/** First words of descriptions that replace `readOnly`: "[Output Only] …", "Read-only. …". */
const readOnlyInWords = /^[[(*_]{0,3}(?:read[- ]?only|output[- ]only)\b/i;
/** Names of fields that identify their values, or are secret, and so are never guessed. */
const placeholders = /(?:^|_)(?:ID|KEY|TOKEN|SECRET|PASSWORD|UUID|GUID)S?$/;

/** The value of a tree. */
export function valueIn(tree: SampleSchema): unknown {
  if ("example" in tree) return tree["example"];
  if (Array.isArray(tree["items"])) return tree["items"].map((item) => valueIn(objectOf(item)));
  return Object.fromEntries(
    Object.entries(objectOf(tree["properties"])).map(([key, child]) => [key, valueIn(objectOf(child))]),
  );
}

/**
 * The tree of a sample for a schema: what is required, and optional values that the description gives an example or default of; in a
 * response other optional values too, outer ones first, while it is small. A response that is too large all the same has one item in each
 * array, and if necessary only some of what is required. Undefined for a missing schema, and for one with a required circle.
 */
export function toSampleSchema(
  description: Description,
  schema: Located,
  direction: Direction,
  mediaType = "",
): SampleSchema | undefined {
  const isXml = /xml/i.test(mediaType);
  const budget = maxTokens[isXml ? "xml" : "json"];
  for (const extent of ["whole", "one of many", "in part"] as const) {
    const tree = createBuild({ description, direction, budget, extent, isForm: /form/i.test(mediaType) })(schema);
    if (tree === undefined) continue;
    const most = direction === "request" ? maxRequest : budget;
    if (extent !== "in part" && tokensOf(valueIn(tree)) > most) continue;
    const { name = "" } = (isXml && flatten(description, schema)) || {};
    return name === "" ? tree : { ...tree, xml: { name, ...objectOf(tree["xml"]) } };
  }
  return undefined;
}

function tokensOf(value: unknown): number {
  return estimateTokens(JSON.stringify(value, null, 2) ?? "");
}

interface BuildOptions {
  readonly description: Description;
  readonly direction: Direction;
  readonly budget: number;
  /** All that is required, with one item in each array, or only some of it. */
  readonly extent: "whole" | "one of many" | "in part";
  readonly isForm: boolean;
}

/**
 * Which values may be made: `needed` ones are, whatever their schema; `shown` ones if the schema says what they are; instead of `given`
 * ones only examples and defaults are taken.
 */
type Mode = "needed" | "shown" | "given";

/** The place of a schema in the tree. */
interface Place {
  readonly mode: Mode;
  readonly depth: number;
  /** The schemas around it. */
  readonly above: readonly object[];
  readonly name: string;
  /** Number of a value among those that have to differ. */
  readonly variant: number;
}

type Tree = Record<string, unknown>;
type ObjectTree = Tree & { properties: Record<string, Tree> };

/** An optional property that is not in its object yet. */
interface Optional {
  readonly tree: ObjectTree;
  readonly schema: Located;
  readonly flat: FlatSchema;
  readonly name: string;
  readonly property: Property;
  readonly inside: Place;
}

function createBuild({ description, direction, budget, extent, isForm }: BuildOptions) {
  const optional: Optional[] = [];
  let values = 0;

  const isFit = (value: unknown, schema: Located): boolean => fits(description, value, schema, direction);
  const isHidden = (property: Located, above: readonly object[]): boolean =>
    flatten(description, property, above)?.keywords[hiddenBy[direction]] === true;

  /** Builds a schema with the first of its alternatives that makes it fit. */
  const build = (schema: Located, place: Place): Tree | undefined => {
    const flat = flatten(description, schema, place.above);
    if (flat === undefined || flat.isPartial || values++ > maxValues) return undefined;
    const isFirstCertain = extent === "in part" || !isConditional(follow(description, schema)?.value);
    let first: Tree | undefined;
    let further: readonly Optional[] = [];
    let tries = 0;
    for (const chosen of variantsOf(description, flat, place.above)) {
      const count = optional.length;
      const inside = { ...place, above: [...place.above, ...chosen.parts], depth: place.depth + 1 };
      const tree = buildFlat(chosen, schema, inside);
      if (tree !== undefined && (isFirstCertain || isFit(valueIn(tree), schema))) return tree;
      further = first === undefined ? optional.slice(count) : further;
      first ??= tree;
      optional.length = count;
      if (++tries >= maxAlternatives) break;
    }
    if (place.mode === "given") return undefined;
    // It may lack what tells alternatives apart, or has too few properties.
    for (const one of further.filter(({ tree }) => tree === first).slice(0, maxItems)) {
      attach(one, "needed", Infinity);
      if (first !== undefined && isFit(valueIn(first), schema)) break;
    }
    return first;
  };

  const buildFlat = (flat: FlatSchema, schema: Located, inside: Place): Tree | undefined => {
    const { type, keywords } = flat;
    const { mode, name, variant } = inside;
    const leaf = (value: unknown): Tree => ({ ...aboutValue(flat), example: value });
    const given = givenValues(flat).filter((value) => isFit(value, schema));
    const isWhole = (value: unknown): boolean => typeof value !== "object" || tokensOf(value) <= budget;
    const shown = given[variant];
    if (shown !== undefined && isWhole(shown)) return leaf(shown);
    const isFixed = keywords["const"] !== undefined || (keywords["enum"] !== undefined && type !== "array");
    if (!isFixed && type === "object" && !(mode === "given" && direction === "response"))
      return withProperties(flat, schema, inside);
    if (!isFixed && type === "array") return withItems(flat, inside);
    if (mode === "given") return isBinary(flat) ? leaf("string") : undefined;
    if (
      mode === "shown" &&
      type === "" &&
      !isFixed &&
      keywords["pattern"] === undefined &&
      keywords["format"] === undefined
    )
      return undefined;
    const made = [...madeValues(flat, direction === "request" ? placeholderFor(name) : "string", variant)];
    const value = made.find((one) => isFit(one, schema));
    if (value !== undefined) return leaf(value);
    return mode === "shown"
      ? undefined
      : leaf(type === "integer" || type === "number" ? 0 : type === "boolean" ? true : "string");
  };

  const withProperties = (flat: FlatSchema, schema: Located, inside: Place): Tree | undefined => {
    const { mode, depth, above } = inside;
    const { properties, keywords, additional } = flat;
    const tree: ObjectTree = { ...aboutValue(flat), properties: {} };
    if (depth > maxDepth) return undefined;
    const least = typeof keywords["minProperties"] === "number" ? Math.min(keywords["minProperties"], maxItems) : 0;
    const add = (name: string, property: Located, as: Mode): boolean => {
      const child = build(property, { ...inside, name, mode: as });
      if (child !== undefined) tree.properties[name] = child;
      return child !== undefined;
    };
    for (const [name, property] of properties) {
      if (!property.required || extent === "in part") {
        if (mode === "given" && !isServerSet(property, above)) add(name, property, "given");
        else optional.push({ tree, schema, flat, name, property, inside });
      } else if (!isHidden(property, above) && !add(name, property, mode === "given" ? "given" : "needed") && depth > 1)
        return undefined;
    }
    if (mode === "given" && Object.keys(tree.properties).length === 0) return undefined;
    const wanted = properties.size > 0 ? 0 : direction === "response" ? Math.max(least, 1) : least;
    for (let number = 1; additional !== undefined && number <= wanted; number++)
      add(nameFor(flat.names, number), additional, number <= least ? "needed" : "shown");
    return tree;
  };

  /** Whether only the server sets an optional property. */
  const isServerSet = (property: Located, above: readonly object[]): boolean =>
    isHidden(property, above) ||
    (direction === "request" &&
      readOnlyInWords.test(toText(flatten(description, property, above)?.keywords["description"])));

  const withItems = (flat: FlatSchema, inside: Place): Tree | undefined => {
    const { keywords, items } = flat;
    const least = typeof keywords["minItems"] === "number" ? keywords["minItems"] : 0;
    const most = typeof keywords["maxItems"] === "number" ? keywords["maxItems"] : maxItems;
    const first = flat.branches.filter(({ suffix }) => /^\[\d+\]$/.test(suffix)).map(({ at }) => at);
    const list: Tree[] = [];
    const count = extent !== "whole" ? 1 : Math.min(Math.max(least, first.length, 1), maxItems);
    for (let index = 0; index < Math.min(count, most) && inside.depth <= maxDepth; index++) {
      const located = first[index] ?? items;
      const values = keywords["enum"];
      const item =
        located && values !== undefined ? { ...located, value: { allOf: [located.value], enum: values } } : located;
      const variant = keywords["uniqueItems"] === true ? index : inside.variant;
      const mode = inside.mode === "shown" && least > index ? "needed" : inside.mode;
      const tree = item && build(item, { ...inside, mode, variant });
      if (tree === undefined) break;
      list.push(tree);
    }
    if (list.length === 0 && inside.depth <= maxDepth && (least > 0 || inside.mode !== "needed")) return undefined;
    return { ...aboutValue(flat), ...(list.length === 0 ? { example: [] } : { items: list }) };
  };

  /** Adds an optional property if it is small enough and its object still fits; returns what it costs. */
  const attach = ({ tree, schema, flat, name, property, inside }: Optional, as: Mode, left: number): number => {
    const isLeftOut = property.required ? isHidden(property, inside.above) : isServerSet(property, inside.above);
    if (isLeftOut || Object.hasOwn(tree.properties, name)) return 0;
    const child = build(property, { ...inside, name, mode: property.required ? "needed" : as });
    const cost = child === undefined ? 0 : tokensOf({ [name]: valueIn(child) }) - 1;
    if (child === undefined || cost > left) return 0;
    const before = tree.properties;
    const mayBreak = isConditional(follow(description, schema)?.value) && isFit(valueIn(tree), schema);
    const added: Readonly<Record<string, Tree>> = { ...before, [name]: child };
    const names = [...flat.properties.keys()].filter((one) => Object.hasOwn(added, one));
    tree.properties = Object.fromEntries(names.map((one) => [one, added[one] ?? {}]));
    if (!mayBreak || isFit(valueIn(tree), schema)) return cost;
    tree.properties = before;
    return 0;
  };

  return (schema: Located): SampleSchema | undefined => {
    const root = build(schema, { mode: "needed", depth: 0, above: [], name: "", variant: 0 });
    if (root === undefined) return undefined;
    let left = budget - tokensOf(valueIn(root));
    for (const mode of direction === "request" ? (["given"] as const) : (["given", "shown"] as const)) {
      optional.sort((one, other) => one.inside.depth - other.inside.depth);
      // Those of a property that is shown are added to the list.
      for (const one of optional) if (left > 0) left -= attach(one, mode, left);
    }
    // A form without fields would not be sent.
    for (const one of isForm ? optional : [])
      if (one.tree === root && Object.keys(one.tree.properties).length === 0) attach(one, "needed", Infinity);
    for (const { tree, name, property } of optional.toReversed())
      if ((!property.required || extent === "in part") && isEmpty(tree.properties[name])) delete tree.properties[name];
    return root;
  };
}

/** Whether a value is an object without properties, or an array of these. */
function isEmpty(tree: Tree | undefined): boolean {
  if (isObject(tree?.["properties"])) return Object.keys(tree["properties"]).length === 0;
  return Array.isArray(tree?.["items"]) && tree["items"].every(isEmpty);
}

/** Whether a value of the schema may depend on more than the schema that it is flattened to. */
function isConditional(schema: unknown): boolean {
  const keywords = "oneOf anyOf allOf not dependentRequired minProperties maxProperties".split(" ");
  return isObject(schema) && keywords.some((key) => schema[key] !== undefined);
}

/** The keywords that say how a value is written. */
function aboutValue(flat: FlatSchema): Tree {
  const { type, keywords } = flat;
  return {
    ...(type !== "" && { type: type === "file" ? "string" : type }),
    ...(isBinary(flat) && { format: "binary" }),
    ...(isObject(keywords["xml"]) && { xml: keywords["xml"] }),
  };
}

function isBinary({ type, keywords }: FlatSchema): boolean {
  const { format, contentMediaType, contentEncoding } = keywords;
  if (type === "file" || (type === "string" && format === "binary")) return true;
  return contentMediaType === "application/octet-stream" && contentEncoding === undefined;
}

/** A name for an additional property that fits the schema of names. */
function nameFor(names: Json | undefined, number: number): string {
  const { enum: values, pattern } = names ?? {};
  const listed = listOf(values)[number - 1];
  if (typeof listed === "string") return listed;
  const name = `property${number}`;
  return typeof pattern === "string" && !isMatch(pattern, name) ? (textMatching(pattern) ?? name) : name;
}

/** The text for a field of which only its name is known. */
function placeholderFor(name: string): string {
  const words = capitals(name);
  return placeholders.test(words) ? `YOUR_${words}` : "string";
}
