import { flatten } from "./flat-schema.ts";
import type { Direction, FlatSchema } from "./flat-schema.ts";
import type { Description, Located } from "./references.ts";
import { exampleFor, fits, maxExampleValues } from "./schema-example.ts";
import { bounded, toObject } from "./values.ts";
import type { JsonObject } from "./values.ts";

/** A schema that samples are made from: a tree without references, alternatives or `allOf`. */
export type SampleSchema = JsonObject;

/** Values in a sample at most, as far as they are not required; and where all are. */
const maxValues = { request: 40, response: 80 };
const maxRequired = 800;
/** Depth of a sample. */
const maxDepth = 12;
/** Depths down to which properties that are not required are in a sample, the first that fits. */
const optionalDepths = [6, 4, 3, 2, 1, 0];
/** Keywords that decide what a sample is. */
const kept: readonly string[] =
  "format enum const default pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minProperties maxProperties xml".split(
    " ",
  );

class TooLarge extends Error {}

/**
 * The tree of a schema as samples of one direction need it: of a large schema all that is required, and as deep as they fit
 * the properties that are not. Undefined where there is no schema, or it is circular through what it requires.
 */
export function toSampleSchema(
  description: Description,
  schema: Located,
  direction: Direction,
): SampleSchema | undefined {
  for (const optional of optionalDepths) {
    try {
      const limit = optional === 0 ? maxRequired : maxValues[direction];
      const tree = createBuild(description, direction, { limit, optional, cut: false })(schema, 0, []);
      if (optional > 0 || tree?.["type"] !== "object" || Object.keys(toObject(tree["properties"])).length > 0)
        return tree;
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
    }
  }
  return createBuild(description, direction, { limit: maxValues[direction], optional: 1, cut: true })(schema, 0, []);
}

interface BuildOptions {
  readonly limit: number;
  /** Depth down to which properties that are not required are taken. */
  readonly optional: number;
  /** What is beyond the limit is left out, instead of an error. */
  readonly cut: boolean;
}

type Build = (schema: Located, depth: number, above: readonly object[]) => SampleSchema | undefined;

function createBuild(description: Description, direction: Direction, { limit, optional, cut }: BuildOptions): Build {
  let values = 0;

  const build: Build = (schema, depth, above) => {
    values += 1;
    if (values > limit && !cut) throw new TooLarge();
    if (depth > maxDepth || values > limit) return undefined;
    const flat = flatten(description, schema, above);
    if (flat === undefined) return undefined;
    const tree: Record<string, unknown> = keywordsOf(description, flat);
    // An example stands for everything below it.
    if (tree["example"] !== undefined || tree["const"] !== undefined || tree["enum"] !== undefined) return tree;
    const inside = [...above, ...flat.parts];
    if (flat.type === "array") return withItems(tree, flat, depth, inside);
    if (flat.type !== "object") return tree;
    const properties: Record<string, SampleSchema> = {};
    const missing: string[] = [];
    for (const [name, property] of flat.properties) {
      if (!property.required && (depth >= optional || (cut && values >= limit))) continue;
      const found = build(property, depth + 1, inside);
      if (isOfOtherDirection(found, direction) || (!property.required && isBesidePattern(found))) continue;
      if (found !== undefined) properties[name] = found;
      else if (property.required) missing.push(name);
    }
    // Without all that it requires it would be no sample of its schema.
    if (missing.length > 0 && depth > 0) return undefined;
    tree["properties"] = properties;
    if (flat.additional !== undefined && flat.properties.size === 0 && depth < Math.max(optional, 1)) {
      const additional = build(flat.additional, depth + 1, inside);
      if (additional !== undefined) tree["additionalProperties"] = additional;
    }
    return tree;
  };

  const withItems = (
    tree: Record<string, unknown>,
    { items, keywords }: FlatSchema,
    depth: number,
    inside: readonly object[],
  ): SampleSchema | undefined => {
    const found = items && build(items, depth + 1, inside);
    if (found !== undefined) return { ...tree, items: found };
    return typeof keywords["minItems"] === "number" && keywords["minItems"] > 0 ? undefined : tree;
  };

  return build;
}

function keywordsOf(description: Description, flat: FlatSchema): Record<string, unknown> {
  const { keywords, type } = flat;
  const tree: Record<string, unknown> = {};
  if (type !== "") tree["type"] = type === "file" ? "string" : type;
  for (const key of kept) if (keywords[key] !== undefined) tree[key] = bounded(keywords[key], maxExampleValues);
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

function isOfOtherDirection(tree: SampleSchema | undefined, direction: Direction): boolean {
  return tree?.[direction === "request" ? "readOnly" : "writeOnly"] === true;
}

/** True for a text without an example that fits its pattern: what is made for it would not. */
function isBesidePattern(tree: SampleSchema | undefined): boolean {
  return (
    tree?.["pattern"] !== undefined && !["example", "default", "enum", "const"].some((key) => tree[key] !== undefined)
  );
}
