import { inlineCode, leftOutWords } from "./description-text.ts";
import { addressOf, below, entriesOf, itemsOf, type Description, type Located } from "./located.ts";
import type { Cutting } from "./cutting.ts";
import { fits } from "./fits.ts";
import { aboutSchema, shapeOf, type Field } from "./fields.ts";
import type { Direction } from "./merged-schema.ts";
import type { Content, Example } from "./part.ts";
import { follow } from "./references.ts";
import { toSampleSchema } from "./sample-schema.ts";
import { bounded, joined, toText } from "./values.ts";
import { isObject, objectOf } from "../json.ts";

/** Maximum number of examples of one body, of values in one example, and its maximum length in characters. */
const maxExamples = 3;
const maxExampleValues = 2000;
const maxExampleLength = 6000;

/** Maximum number of media types of one body. */
const maxMediaTypes = 20;

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

/** The content in a map of media types (OpenAPI 3); undefined for an empty map. Samples are made only of what is shown. */
export function readContent(
  cutting: Cutting,
  map: Located,
  direction: Direction,
  isShown: boolean,
): Content | undefined {
  const all = entriesOf(map);
  const entries = all.slice(0, maxMediaTypes);
  const types = entries.flatMap(([name, type]) => {
    const at = follow(cutting.description, type);
    if (at === undefined) return [];
    const { schema, itemSchema } = objectOf(at.value);
    const key = schema === undefined && itemSchema !== undefined ? "itemSchema" : "schema";
    const schemaAt = below(at, key);
    return [{ name, at, schema: schemaAt, text: entries.length > 1 ? JSON.stringify(schemaAt.value) : "" }];
  });
  const bySchema = Map.groupBy(types, ({ text }) => text);
  const { mediaType: first } = chooseMediaType(types.map(({ name }) => name));
  const contents = [...bySchema.values()].flatMap((group) => {
    const { mediaType, others } = chooseMediaType(group.map(({ name }) => name));
    const chosen = group.find(({ name }) => name === mediaType);
    if (chosen === undefined) return [];
    const { at, schema } = chosen;
    const examples = examplesOf(cutting, at);
    const isMain = mediaType === first;
    const content = toContent(cutting, at, schema, direction, isShown && isMain, { mediaType, others, examples });
    const { encoding } = objectOf(at.value);
    const written = isObject(encoding) && { encoding: objectOf(bounded(encoding, maxExampleValues)) };
    const given = below(at, "example").value === undefined ? entriesOf(below(at, "examples")).length : 1;
    const notes = [...encodingsIn(cutting, at), ...leftOutWords(given - content.examples.length, "example")];
    return [{ ...content, ...written, notes }];
  });
  const main = contents.find(({ mediaType }) => mediaType === first);
  if (main === undefined) return undefined;
  const notes = [...main.notes, ...leftOutWords(all.length - maxMediaTypes, "media type")];
  return { ...main, notes, variants: contents.filter((content) => content !== main) };
}

/** Sentences about how the fields of a form are sent. */
function encodingsIn({ description }: Cutting, at: Located): string[] {
  return entriesOf(below(at, "encoding")).flatMap(([name, encoding]) => {
    const type = toText(objectOf(encoding.value)["contentType"]);
    const headers = headersOf(description, below(encoding, "headers")).map(
      ({ name: header, meaning = "" }) => `${inlineCode(header)}${meaning === "" ? "" : ` (${meaning})`}`,
    );
    const facts = [
      type === "" ? "" : ` as ${inlineCode(type)}`,
      headers.length === 0 ? "" : ` with ${headers.join(", ")}`,
    ];
    return facts.join("") === "" ? [] : [`${inlineCode(name)} is sent${facts.join("")}.`];
  });
}

/** The headers in a map, as fields. */
export function headersOf(description: Description, map: Located): Field[] {
  return entriesOf(map).flatMap(([name, at]) => {
    const header = follow(description, at);
    if (header === undefined) return [];
    const { required, deprecated, description: text, schema } = objectOf(header.value);
    const [media] = entriesOf(below(header, "content"));
    const place = schema === undefined && media ? media[1] : header;
    // In Swagger 2.0 a header is a schema itself.
    const { inside = [], ...about } = aboutSchema(
      description,
      description.version === "2.0" ? place : below(place, "schema"),
      name,
    );
    const meaning = joined([text, about.meaning]);
    const facts = { ...(deprecated === true && { deprecated: true as const }), ...(meaning !== "" && { meaning }) };
    return [{ ...about, name, required: required === true, ...facts }, ...inside];
  });
}

/** The content in one media type; `at` is its place. */
export function toContent(
  { description }: Cutting,
  at: Located,
  schema: Located,
  direction: Direction,
  isShown: boolean,
  { mediaType, others, examples }: Pick<Content, "mediaType" | "others" | "examples">,
): Content {
  const sampled = isShown ? toSampleSchema(description, schema, direction, mediaType) : undefined;
  const shape = shapeOf(description, schema, direction);
  const fitting = examples.findIndex(({ value }) => fits(description, parsed(value), schema, direction));
  return {
    mediaType,
    others,
    ...shape,
    ...(sampled && { schema: sampled }),
    examples: examples.slice(0, maxExamples),
    ...(fitting >= 0 && fitting < maxExamples && { fitting }),
    notes: [],
    variants: [],
    from: addressOf(at),
  };
}

/** The value of an example, which may be JSON that is written as text. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** The examples next to the schema of a media type. */
function examplesOf(cutting: Cutting, at: Located): Example[] {
  const { example } = objectOf(at.value);
  if (example !== undefined) return toExample(cutting, below(at, "example"));
  return entriesOf(below(at, "examples")).flatMap(([name, one]) => {
    const target = follow(cutting.description, one);
    if (target === undefined || !isObject(target.value)) return [];
    const { serializedValue, dataValue, summary, description } = target.value;
    const key = serializedValue !== undefined ? "serializedValue" : dataValue !== undefined ? "dataValue" : "value";
    return toExample(cutting, below(target, key), name, joined([summary, description], ": "));
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
