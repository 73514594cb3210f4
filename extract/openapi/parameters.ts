import type { Cutting } from "./cutting.ts";
import { aboutSchema, maxMeaning } from "./fields.ts";
import type { Field } from "./fields.ts";
import { flatten } from "./flat-schema.ts";
import type { FlatSchema } from "./merged-schema.ts";
import type { Parameter } from "./part.ts";
import { follow } from "./references.ts";
import { bounded, toObject, toText } from "./values.ts";
import type { JsonObject } from "./values.ts";
import { below, entriesOf, itemsOf } from "./located.ts";
import type { Description, Located } from "./located.ts";

/** Parameters of one operation that are looked at. */
const maxParameters = 200;
/** Values of an example. */
const maxExampleValues = 50;

const places = ["path", "query", "header", "cookie", "querystring"] as const;

/** The parameters of an operation and of its path, of which the operation's come first. Bodies of Swagger 2.0 are not among them. */
export function readParameters(cutting: Cutting, item: Located, operation: Located): Parameter[] {
  const found = new Map<string, Parameter>();
  const all = [...itemsOf(below(item, "parameters")), ...itemsOf(below(operation, "parameters"))];
  for (const at of all.slice(0, maxParameters)) {
    const parameter = toParameter(cutting, at);
    for (const one of parameter === undefined ? [] : inProperties(cutting, at, parameter))
      found.set(`${one.in} ${one.name}`, one);
  }
  const ofOperation = (place: Parameter["in"]): number => places.indexOf(place);
  return [...found.values()].toSorted((one, two) => ofOperation(one.in) - ofOperation(two.in));
}

/** Headers of a response, as fields. */
export function headersOf(cutting: Cutting, all: Located): Field[] {
  return entriesOf(all).flatMap(([name, at]) => {
    const found = follow(cutting.description, at);
    return found === undefined ? [] : [toField(cutting, name, found)];
  });
}

function toParameter(cutting: Cutting, at: Located): Parameter | undefined {
  const found = follow(cutting.description, at);
  const said = toObject(found?.value);
  const name = toText(said["name"]);
  const place = places.find((one) => one === said["in"]);
  if (found === undefined || name === "" || place === undefined) return undefined;
  if (place === "header" && isSaidElsewhere(name, said, cutting)) return undefined;
  const field = toField(cutting, name, found);
  const flat = flatten(cutting.description, schemaOf(cutting, found));
  const example = exampleOf(cutting, found, flat, field.required || place === "path");
  const style = toText(said["style"]) || (place === "query" || place === "cookie" ? "form" : "simple");
  const old = toText(said["collectionFormat"]);
  return {
    ...field,
    required: field.required || place === "path",
    in: place,
    style: old === "pipes" ? "pipeDelimited" : old === "ssv" ? "spaceDelimited" : style,
    explode: explodes(said, cutting, style),
    ...(example !== undefined && { example: bounded(example, maxExampleValues) }),
  };
}

/**
 * The properties of an object that is written into the address as parameters of their own (style `form` that explodes, and `deepObject`);
 * else the parameter as it is, as for one that has an example.
 */
function inProperties(cutting: Cutting, at: Located, parameter: Parameter): readonly Parameter[] {
  const { name, in: place, style, explode, example, required } = parameter;
  const found = follow(cutting.description, at);
  const isSpread = style === "deepObject" || (style === "form" && explode);
  if (place !== "query" || !isSpread || example !== undefined || found === undefined) return [parameter];
  const said = toObject(found.value);
  const flat = said["content"] === undefined ? flatten(cutting.description, schemaOf(cutting, found)) : undefined;
  if (flat?.type !== "object" || flat.properties.size === 0 || flat.alternatives.length > 1) return [parameter];
  return [...flat.properties].slice(0, maxParameters).map(([property, located]): Parameter => {
    const own = flatten(cutting.description, located, flat.parts);
    const isRequired = required && located.required;
    const shown = exampleOfSchema(own, isRequired);
    return {
      name: style === "deepObject" ? `${name}[${property}]` : property,
      ...(own ? aboutSchema(cutting.description, own) : { type: "" }),
      required: isRequired,
      in: place,
      style: "form",
      explode,
      ...(shown !== undefined && { example: bounded(shown, maxExampleValues) }),
    };
  });
}

/** What these headers say is said by security and content since 3.0 (Parameter Object); what has to be accepted is not. */
function isSaidElsewhere(name: string, said: JsonObject, { description: { version } }: Cutting): boolean {
  if (version === "2.0") return false;
  return /^(?:content-type|authorization)$/i.test(name) || (/^accept$/i.test(name) && said["required"] !== true);
}

function explodes(said: JsonObject, { description }: Cutting, style: string): boolean {
  if (description.version === "2.0") return said["collectionFormat"] === "multi";
  return typeof said["explode"] === "boolean" ? said["explode"] : style === "form";
}

function toField(cutting: Cutting, name: string, at: Located): Field {
  const said = toObject(at.value);
  const flat = flatten(cutting.description, schemaOf(cutting, at));
  const meaning = toText(said["description"]).slice(0, maxMeaning);
  return {
    name,
    ...(flat ? aboutSchema(cutting.description, flat) : { type: "" }),
    required: said["required"] === true,
    ...(said["deprecated"] === true && { deprecated: true as const }),
    ...(meaning !== "" && { meaning }),
  };
}

/** The schema of a parameter or header; in Swagger 2.0 it is one itself. */
function schemaOf({ description }: Cutting, at: Located): Located {
  if (description.version === "2.0") {
    const { required: _required, in: _in, name: _name, ...schema } = toObject(at.value);
    return { ...at, value: schema };
  }
  const { schema } = toObject(at.value);
  if (schema !== undefined) return below(at, "schema");
  const media = mediaOf(description, at);
  return media ? below(media, "schema") : below(at, "schema");
}

/** How a parameter is written that has a media type; undefined for one that has not. */
function mediaOf(description: Description, at: Located): Located | undefined {
  const [first] = entriesOf(below(at, "content"));
  return first && follow(description, first[1]);
}

/** The value to show; of a required parameter also one that its schema allows. */
function exampleOf({ description }: Cutting, at: Located, flat: FlatSchema | undefined, required: boolean): unknown {
  const media = mediaOf(description, at);
  const inMedia = ownExample(description, media);
  // What has a media type is sent as that.
  const asMedia =
    typeof inMedia === "object" && inMedia !== null ? JSON.stringify(bounded(inMedia, maxExampleValues)) : inMedia;
  const own = ownExample(description, at) ?? asMedia;
  return own === undefined ? exampleOfSchema(flat, required) : own;
}

/** The example of a schema; of one whose value has to be there also one that it allows. */
function exampleOfSchema(flat: FlatSchema | undefined, required: boolean): unknown {
  const { example, examples, default: standard, enum: values, const: only } = flat?.keywords ?? {};
  if (example !== undefined) return example;
  if (Array.isArray(examples) && examples.length > 0) return examples[0] as unknown;
  if (!required) return undefined;
  return only ?? standard ?? (Array.isArray(values) ? (values[0] as unknown) : undefined);
}

/** The example that a parameter, or its media type, has beside its schema. */
function ownExample(description: Description, at: Located | undefined): unknown {
  if (at === undefined) return undefined;
  const { example, "x-example": vendor } = toObject(at.value);
  const [first] = entriesOf(below(at, "examples"));
  const named = first && toObject(follow(description, first[1])?.value);
  return example ?? vendor ?? named?.["value"] ?? named?.["dataValue"];
}
