import { isJsonType } from "./content.ts";
import type { Cutting } from "./cutting.ts";
import { leftOutWords, valueCode } from "./description-text.ts";
import { aboutSchema } from "./fields.ts";
import { fits } from "./fits.ts";
import { flatten, variantsOf } from "./flat-schema.ts";
import { below, entriesOf, itemsOf, type Description, type Located } from "./located.ts";
import type { FlatSchema } from "./merged-schema.ts";
import type { OperationPart, Parameter } from "./part.ts";
import { follow } from "./references.ts";
import { toSampleSchema, valueIn } from "./sample-schema.ts";
import { textOf } from "./styles.ts";
import { bounded, joined, toText } from "./values.ts";
import { isObject, type Json, listOf, objectOf } from "../json.ts";

/** Maximum number of parameters of one operation. */
const maxParameters = 200;
/** Maximum number of values in an example. */
const maxExampleValues = 50;

const places = ["path", "query", "header", "cookie", "querystring"] as const;

/**
 * The parameters of an operation and of its path, sorted by place, and sentences about those that are left out. Parameters of the operation
 * have precedence.
 */
export function readParameters(
  { description }: Cutting,
  item: Located,
  operation: Located,
): Pick<OperationPart, "parameters" | "leftOut"> {
  const byName = new Map<string, Parameter>();
  const all = [...itemsOf(below(item, "parameters")), ...itemsOf(below(operation, "parameters"))];
  let left = Math.max(0, all.length - maxParameters);
  const leaveOut = (count: number): void => {
    left += count;
  };
  for (const at of all.slice(0, maxParameters))
    for (const one of toParameters(description, at, leaveOut)) byName.set(`${one.in} ${one.name}`, one);
  return {
    parameters: [...byName.values()].toSorted((one, two) => places.indexOf(one.in) - places.indexOf(two.in)),
    leftOut: leftOutWords(left, "parameter"),
  };
}

/** A parameter, or one per property; empty for anything else, such as bodies of Swagger 2.0 and implied headers. */
function toParameters(description: Description, at: Located, leaveOut: (count: number) => void): readonly Parameter[] {
  const target = follow(description, at);
  const fields = objectOf(target?.value);
  const name = toText(fields["name"]);
  const place = places.find((one) => one === fields["in"]);
  if (target === undefined || name === "" || place === undefined) return [];
  if (place === "header" && isImplied(name, fields, description)) return [];
  const media = mediaOf(description, target);
  const schema = schemaOf(description, target, media);
  const flat = flatten(description, schema);
  const required = fields["required"] === true || place === "path";
  const isJson = media !== undefined && isJsonType(media.type);
  const example = exampleOf(description, [target, media], schema, required);
  const style = toText(fields["style"]) || (place === "query" || place === "cookie" ? "form" : "simple");
  const made = required && example === undefined ? madeFor(description, schema, isJson) : undefined;
  const meaning = joined([fields["description"], examplesIn(description, target)]);
  const parameter: Parameter = {
    name,
    ...aboutSchema(description, schema, name),
    required,
    ...(fields["deprecated"] === true && { deprecated: true }),
    ...(meaning !== "" && { meaning }),
    in: place,
    style: fields["collectionFormat"] === undefined ? style : styleOf(fields["collectionFormat"]),
    explode: explodes(fields, description, style),
    ...(fields["allowReserved"] === true && { allowReserved: true }),
    ...(example !== undefined && { example: isJson ? asText(example) : bounded(example, maxExampleValues) }),
    ...(made !== undefined && { sample: isJson ? asText(made) : made }),
  };
  return media === undefined ? inProperties(description, parameter, flat, leaveOut) : [parameter];
}

/** The style that a `collectionFormat` of Swagger 2.0 is. */
export function styleOf(collectionFormat: unknown): string {
  return collectionFormat === "pipes" ? "pipeDelimited" : collectionFormat === "ssv" ? "spaceDelimited" : "form";
}

/**
 * The properties of an object as parameters, if each is one in the address (exploded `form`, and `deepObject`); else the parameter
 * itself, as for one with an example.
 */
function inProperties(
  description: Description,
  parameter: Parameter,
  flat: FlatSchema | undefined,
  leaveOut: (count: number) => void,
): readonly Parameter[] {
  const { name, in: place, style, explode, example, sample, required } = parameter;
  const isSpread = place === "query" && (style === "deepObject" || (style === "form" && explode));
  if (!isSpread || example !== undefined) return [parameter];
  if (flat?.type !== "object" || flat.properties.size === 0 || flat.choices.length > 0) return [parameter];
  const { inside: _inside, ...whole } = parameter;
  const properties = [...flat.properties].slice(0, maxParameters);
  leaveOut(flat.properties.size - properties.length);
  // A required object whose properties are all optional has one of them.
  const isLoose = required && !properties.some(([, located]) => located.required);
  const sent = isLoose ? (Object.keys(objectOf(sample))[0] ?? properties[0]?.[0]) : undefined;
  return properties.map(([property, located], at): Parameter => {
    const isRequired = required && located.required;
    const shown = exampleOf(description, [], located, isRequired);
    const called = style === "deepObject" ? `${name}[${property}]` : property;
    const isSent = property === sent;
    const made = isSent || (isRequired && shown === undefined) ? madeFor(description, located, isSent) : undefined;
    return {
      name: called,
      ...aboutSchema(description, located, called),
      required: isRequired,
      ...(at === 0 && parameter.meaning !== undefined && { above: whole }),
      in: place,
      style: "form",
      explode,
      ...(shown !== undefined && { example: bounded(shown, maxExampleValues) }),
      ...(made !== undefined && { sample: made }),
    };
  });
}

/** True for headers that security and content imply since 3.0 (Parameter Object), except for a required `Accept`. */
function isImplied(name: string, parameter: Json, { version }: Description): boolean {
  if (version === "2.0") return false;
  return /^(?:content-type|authorization)$/i.test(name) || (/^accept$/i.test(name) && parameter["required"] !== true);
}

function explodes(parameter: Json, { version }: Description, style: string): boolean {
  if (version === "2.0") return parameter["collectionFormat"] === "multi";
  return typeof parameter["explode"] === "boolean" ? parameter["explode"] : style === "form";
}

/** The schema of a parameter, which in Swagger 2.0 is the parameter itself. */
function schemaOf(description: Description, at: Located, media: Located | undefined): Located {
  if (description.version === "2.0") {
    const { required: _required, in: _in, name: _name, ...schema } = objectOf(at.value);
    return { ...at, value: schema };
  }
  return below(media ?? at, "schema");
}

/** The media type of a parameter that has `content`; undefined for any other. */
function mediaOf(description: Description, at: Located): (Located & { readonly type: string }) | undefined {
  const [first] = entriesOf(below(at, "content"));
  const media = first && follow(description, first[1]);
  return media && { ...media, type: first[0] };
}

/** A value of a parameter with a media type, as JSON. */
function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(bounded(value, maxExampleValues)) ?? "");
}

/** The value to show: an example at one of the places or of the schema, or for a required parameter any value that its schema lists. */
function exampleOf(
  description: Description,
  places: readonly (Located | undefined)[],
  schema: Located,
  required: boolean,
): unknown {
  const flat = flatten(description, schema);
  const [{ keywords = {}, type = "" } = {}] = flat === undefined ? [] : variantsOf(description, flat, []);
  const { example, examples, default: standard, enum: values, const: only } = keywords;
  const own = places.map((place) => ownExample(description, place));
  const listed = required ? [only, standard, ...listOf(values)] : [];
  return [...own, example, ...listOf(examples), ...listed].find(
    (value) =>
      value !== undefined &&
      // Arrays and objects may be texts in their style.
      ((typeof value === "string" && (type === "array" || type === "object")) ||
        [value, textOf(value), Number(value)].some((one) => fits(description, one, schema, "request"))),
  );
}

/** Maximum number of examples of a parameter that are listed. */
const maxExamples = 50;

/** A sentence with the examples of a parameter that say what they are for; "" for none. */
function examplesIn(description: Description, at: Located): string {
  const named = entriesOf(below(at, "examples"));
  const words = named.slice(0, maxExamples).flatMap(([name, place]) => {
    const { value, dataValue = value, summary, description: text } = objectOf(follow(description, place)?.value);
    const about = joined([toText(summary) || name, text], ": ");
    return dataValue === undefined ? [] : [`${valueCode(dataValue)} (${about})`];
  });
  if (words.length < 2) return "";
  return [`Examples: ${words.join("; ")}.`, ...leftOutWords(named.length - maxExamples, "example")].join(" ");
}

/** The value to send for an array, an object, or whatever `isAny`. */
function madeFor(description: Description, schema: Located, isAny: boolean): unknown {
  const { type = "", choices = [] } = flatten(description, schema) ?? {};
  if (!isAny && type !== "array" && type !== "object" && choices.length === 0) return undefined;
  const tree = toSampleSchema(description, schema, "request");
  const value = tree && valueIn(tree);
  return isAny || Array.isArray(value) || (isObject(value) && Object.keys(value).length > 0) ? value : undefined;
}

/** The example of a parameter, or of its media type, next to the schema. */
function ownExample(description: Description, at: Located | undefined): unknown {
  if (at === undefined) return undefined;
  const { example, "x-example": vendor } = objectOf(at.value);
  const [first] = entriesOf(below(at, "examples"));
  const named = first && objectOf(follow(description, first[1])?.value);
  return example ?? vendor ?? named?.["value"] ?? named?.["dataValue"];
}
