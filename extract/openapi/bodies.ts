import { sample } from "openapi-sampler";
import { isJsonType } from "./content.ts";
import type { Content, Example } from "./part.ts";
import { valueIn, type SampleSchema } from "./sample-schema.ts";
import { joined } from "./values.ts";
import { isObject, objectOf } from "../json.ts";

/** A body to show: an example from the description, or a sample made from its schema. */
export interface ShownBody {
  readonly text: string;
  /** Language of the text, "" for none. */
  readonly language: string;
  /** Name of the example; "" without. */
  readonly name: string;
  /** The place that it was made from; absent for verbatim text from the description. */
  readonly madeFrom?: string;
}

/** Maximum length of a sample, in characters. */
const maxLength = 20_000;

/** The bodies to show for some content: its examples, or a sample of its schema if it has none. */
export function bodiesOf(content: Pick<Content, "mediaType" | "schema" | "examples" | "from">): ShownBody[] {
  const { mediaType, schema, from } = content;
  const examples = content.examples.flatMap((example) => exampleBody(mediaType, example));
  if (examples.length > 0 || schema === undefined) return examples;
  const text = sampleText(mediaType, schema);
  return text === "" || text.length > maxLength
    ? []
    : [{ text, language: languageOf(mediaType), name: "", madeFrom: from }];
}

/** The value of a body that is not sent as JSON; undefined if unknown. */
export function sampleValue({ examples, schema }: Content): unknown {
  return examples.find(({ value }) => value !== undefined)?.value ?? (schema && valueIn(schema));
}

/** Language of a media type's bodies. */
function languageOf(mediaType: string): string {
  if (/json/i.test(mediaType) || isJsonType(mediaType)) return "json";
  if (/xml/i.test(mediaType)) return "xml";
  if (/ya?ml/i.test(mediaType)) return "yaml";
  return /html/i.test(mediaType) ? "html" : "text";
}

function exampleBody(mediaType: string, { name, summary, text, value, from }: Example): ShownBody[] {
  const shown = { language: languageOf(mediaType), name: joined([name, summary], ": ") };
  if (text !== undefined && typeof value !== "string") return [{ ...shown, text }];
  // Text is a body verbatim, including JSON that is written as text.
  if (typeof value === "string" && (shown.language !== "json" || /^\s*[[{"]/.test(value)))
    return value.trim() === "" ? [] : [{ ...shown, text: value }];
  const json = JSON.stringify(value, null, 2);
  if (json === undefined || (shown.language !== "json" && isObject(value) && shown.language !== "text")) return [];
  return [{ ...shown, language: shown.language === "text" ? "json" : shown.language, text: json, madeFrom: from }];
}

/** A body made from a schema; "" if none can be made. */
function sampleText(mediaType: string, schema: SampleSchema): string {
  const language = languageOf(mediaType);
  const value = valueIn(schema);
  if (language === "json") {
    const isEmpty = isObject(value) && Object.keys(value).length === 0;
    return isEmpty ? "" : JSON.stringify(value, null, /seq|ndjson|jsonl/i.test(mediaType) ? 0 : 2);
  }
  if (language === "xml" && isObject(value)) {
    const { name } = objectOf(schema["xml"]);
    // Without an element around it the first field would be the root.
    const element = { type: "object" as const, properties: { [typeof name === "string" ? name : "root"]: schema } };
    return String(sample(element, { quiet: true, format: "xml" })).trim();
  }
  return language === "text" && typeof value === "string" && /^text\//i.test(mediaType) ? value : "";
}
