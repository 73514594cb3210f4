import { flatten } from "./flat-schema.ts";
import type { Description, Located } from "./located.ts";
import type { FlatSchema } from "./merged-schema.ts";
import { isMatch, matching } from "./pattern-sample.ts";
import { bounded, isObject, toArray } from "./values.ts";

/** Maximum number of values in an example of a schema. */
export const maxExampleValues = 300;
/** Maximum depth to which an example is checked against its schema. */
const maxDepth = 8;

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
export function exampleFor(description: Description, flat: FlatSchema): unknown {
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
      : matching(pattern, typeof minLength === "number" ? minLength : 0);
  if (typeof format !== "string" || !Object.hasOwn(formats, format) || keywords["default"] !== undefined)
    return undefined;
  const standard = formats[format];
  return fits(standard, flat) ? standard : undefined;
}

/** True if a value and the values in it fit a schema. Any value fits a schema with alternatives. */
function fitsWithin(description: Description, value: unknown, flat: FlatSchema, depth: number): boolean {
  if (flat.alternatives.length > 0 || depth > maxDepth) return true;
  if (value === null) return flat.keywords["nullable"] === true || toArray(flat.keywords["type"]).includes("null");
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
export function fits(value: unknown, { keywords, type, properties }: FlatSchema): boolean {
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
