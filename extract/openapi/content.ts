import { addressOf, below, entriesOf, itemsOf, type Located } from "./located.ts";
import type { Cutting } from "./cutting.ts";
import { fieldsOf, typeIn } from "./fields.ts";
import { flatten } from "./flat-schema.ts";
import type { Direction } from "./merged-schema.ts";
import type { Content, Example } from "./part.ts";
import { follow } from "./references.ts";
import { toSampleSchema } from "./sample-schema.ts";
import { bounded, toText } from "./values.ts";
import { isObject, objectOf } from "../json.ts";

/** Maximum number of examples of one body, of values in one example, and its maximum length in characters. */
const maxExamples = 3;
const maxExampleValues = 2000;
const maxExampleLength = 6000;

/** Media types by preference. A body is shown in the first one that it has. */
const preferred: readonly RegExp[] = [
  /^application\/json\b/i,
  /^[^;]*\+json\b/i,
  /json/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^multipart\/form-data\b/i,
  /^(?:application|text)\/xml\b|\+xml\b/i,
  /^text\//i,
];

/** The preferred media type, or `standard` without any, and the others. */
export function chooseMediaType(names: readonly string[], standard = ""): Pick<Content, "mediaType" | "others"> {
  const [first] = preferred.flatMap((pattern) => names.filter((name) => pattern.test(name)));
  const mediaType = (first ?? names[0]) || standard;
  return { mediaType, others: names.filter((name) => name !== mediaType) };
}

/** True for a media type whose bodies are JSON, and for ranges of media types. */
export function isJsonType(mediaType: string): boolean {
  return /json|^\*\/\*|^application\/\*/i.test(mediaType) && !/seq|ndjson|jsonl/i.test(mediaType);
}

/** The content in a map of media types (OpenAPI 3); undefined for an empty map. */
export function readContent(cutting: Cutting, map: Located, direction: Direction): Content | undefined {
  const types = new Map(entriesOf(map));
  const chosen = chooseMediaType([...types.keys()]);
  const type = types.get(chosen.mediaType);
  const at = type && follow(cutting.description, type);
  if (at === undefined) return undefined;
  const { schema, itemSchema, encoding } = objectOf(at.value);
  const key = schema === undefined && itemSchema !== undefined ? "itemSchema" : "schema";
  const content = toContent(cutting, at, below(at, key), direction, { ...chosen, examples: examplesOf(cutting, at) });
  return { ...content, ...(isObject(encoding) && { encoding: objectOf(bounded(encoding, maxExampleValues)) }) };
}

/** The content in one media type; `at` is its place. */
export function toContent(
  { description }: Cutting,
  at: Located,
  schema: Located,
  direction: Direction,
  { mediaType, others, examples }: Pick<Content, "mediaType" | "others" | "examples">,
): Content {
  const flat = flatten(description, schema);
  const sampled = flat && toSampleSchema(description, schema, direction, mediaType);
  return {
    mediaType,
    others,
    type: flat === undefined ? "" : typeIn(description, flat),
    fields: fieldsOf(description, schema, direction),
    ...(sampled && { schema: sampled }),
    examples: examples.slice(0, maxExamples),
    from: addressOf(at),
  };
}

/** The examples next to the schema of a media type. */
function examplesOf(cutting: Cutting, at: Located): Example[] {
  const { example } = objectOf(at.value);
  if (example !== undefined) return toExample(cutting, below(at, "example"));
  return entriesOf(below(at, "examples")).flatMap(([name, one]) => {
    const target = follow(cutting.description, one);
    if (target === undefined || !isObject(target.value)) return [];
    const { serializedValue, dataValue, summary } = target.value;
    const key = serializedValue !== undefined ? "serializedValue" : dataValue !== undefined ? "dataValue" : "value";
    return toExample(cutting, below(target, key), name, toText(summary));
  });
}

/** The example of a schema: its `example`, or the first of its `examples` (since 3.1). */
export function examplesOfSchema(cutting: Cutting, schema: Located): Example[] {
  const target = follow(cutting.description, schema);
  if (target === undefined) return [];
  const [first] = itemsOf(below(target, "examples"));
  const example = below(target, "example");
  return toExample(cutting, example.value === undefined && first ? first : example);
}

/** The example at a place; empty for one that is too large. */
export function toExample(cutting: Cutting, at: Located, name = "", summary = ""): Example[] {
  const { value } = at;
  if (value === undefined) return [];
  const about = { name, summary, from: addressOf(at) };
  if (typeof value === "string") return value.length > maxExampleLength ? [] : [{ ...about, value }];
  const copy = bounded(value, maxExampleValues);
  if (copy === undefined || (JSON.stringify(copy)?.length ?? 0) > maxExampleLength) return [];
  const example = { ...about, value: copy };
  cutting.examples.push({ at, example });
  return [example];
}
