import { addressOf, below, entriesOf, itemsOf } from "./located.ts";
import type { Located } from "./located.ts";
import type { Cutting } from "./cutting.ts";
import { fieldsOf, typeIn } from "./fields.ts";
import { flatten } from "./flat-schema.ts";
import type { Direction } from "./merged-schema.ts";
import type { Content, Example } from "./part.ts";
import { follow } from "./references.ts";
import { toSampleSchema } from "./sample-schema.ts";
import { bounded, isObject, toObject, toText } from "./values.ts";

/** Maximum number of examples of one body, of values in one, and of its characters. */
const maxExamples = 3;
const maxExampleValues = 2000;
const maxExampleLength = 6000;

/** Media types by preference: of a body the first that it has is shown. */
const preferred: readonly RegExp[] = [
  /^application\/json\b/i,
  /^[^;]*\+json\b/i,
  /json/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^multipart\/form-data\b/i,
  /^(?:application|text)\/xml\b|\+xml\b/i,
  /^text\//i,
];

/** The preferred one of some media types, or `standard` where there is none, and the others. */
export function chooseMediaType(names: readonly string[], standard = ""): Pick<Content, "mediaType" | "others"> {
  const [first] = preferred.flatMap((pattern) => names.filter((name) => pattern.test(name)));
  const mediaType = (first ?? names[0]) || standard;
  return { mediaType, others: names.filter((name) => name !== mediaType) };
}

/** True for a media type whose bodies are JSON; ranges of media types are taken for such. */
export function isJsonType(mediaType: string): boolean {
  return /json|^\*\/\*|^application\/\*/i.test(mediaType) && !/seq|ndjson|jsonl/i.test(mediaType);
}

/** The content that a map of media types (OpenAPI 3) describes; undefined where it has none. */
export function readContent(cutting: Cutting, map: Located, direction: Direction): Content | undefined {
  const types = new Map(entriesOf(map));
  const chosen = chooseMediaType([...types.keys()]);
  const found = types.get(chosen.mediaType);
  const at = found && follow(cutting.description, found);
  if (at === undefined) return undefined;
  const { schema, itemSchema } = toObject(at.value);
  const key = schema === undefined && itemSchema !== undefined ? "itemSchema" : "schema";
  return toContent(cutting, at, below(at, key), direction, { ...chosen, examples: examplesOf(cutting, at) });
}

/** What is sent in one media type, `at` its place. */
export function toContent(
  { description }: Cutting,
  at: Located,
  schema: Located,
  direction: Direction,
  { mediaType, others, examples }: Pick<Content, "mediaType" | "others" | "examples">,
): Content {
  const flat = flatten(description, schema);
  const sampled = flat && toSampleSchema(description, schema, direction);
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

/** The examples that a media type has of its own. */
function examplesOf(cutting: Cutting, at: Located): Example[] {
  const { example } = toObject(at.value);
  if (example !== undefined) return toExample(cutting, below(at, "example"));
  return entriesOf(below(at, "examples")).flatMap(([name, one]) => {
    const found = follow(cutting.description, one);
    if (found === undefined || !isObject(found.value)) return [];
    const { serializedValue, dataValue, summary } = found.value;
    const key = serializedValue !== undefined ? "serializedValue" : dataValue !== undefined ? "dataValue" : "value";
    return toExample(cutting, below(found, key), name, toText(summary));
  });
}

/** The examples of a schema: its `example`, or those that it has since 3.1. */
export function examplesOfSchema(cutting: Cutting, schema: Located): Example[] {
  const found = follow(cutting.description, schema);
  if (found === undefined) return [];
  const [first] = itemsOf(below(found, "examples"));
  const own = below(found, "example");
  return toExample(cutting, own.value === undefined && first ? first : own);
}

/** An example by its place; none for one that is too large to be shown. */
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
