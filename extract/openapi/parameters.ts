import type { Cutting } from "./cutting.ts";
import { aboutSchema, maxMeaning } from "./fields.ts";
import { flatten } from "./flat-schema.ts";
import { below, entriesOf, itemsOf } from "./located.ts";
import type { Description, Located } from "./located.ts";
import type { FlatSchema } from "./merged-schema.ts";
import type { Parameter } from "./part.ts";
import { follow } from "./references.ts";
import { bounded, toObject, toText } from "./values.ts";
import type { JsonObject } from "./values.ts";

/** Maximum number of parameters of one operation. */
const maxParameters = 200;
/** Maximum number of values in an example. */
const maxExampleValues = 50;

const places = ["path", "query", "header", "cookie", "querystring"] as const;

/**
 * The parameters of an operation and of its path, by where they are sent; the operation's take the place of the path's. Bodies of
 * Swagger 2.0 are not among them.
 */
export function readParameters(cutting: Cutting, item: Located, operation: Located): Parameter[] {
  const found = new Map<string, Parameter>();
  const all = [...itemsOf(below(item, "parameters")), ...itemsOf(below(operation, "parameters"))];
  for (const at of all.slice(0, maxParameters))
    for (const one of toParameters(cutting, at)) found.set(`${one.in} ${one.name}`, one);
  return [...found.values()].toSorted((one, two) => places.indexOf(one.in) - places.indexOf(two.in));
}

/** A parameter, or those that its properties are; none for what is no parameter, or is not shown as one. */
function toParameters({ description }: Cutting, at: Located): readonly Parameter[] {
  const found = follow(description, at);
  const said = toObject(found?.value);
  const name = toText(said["name"]);
  const place = places.find((one) => one === said["in"]);
  if (found === undefined || name === "" || place === undefined) return [];
  if (place === "header" && isSaidElsewhere(name, said, description)) return [];
  const flat = flatten(description, schemaOf(description, found));
  const required = said["required"] === true || place === "path";
  const example = exampleOf(description, found, flat, required);
  const style = toText(said["style"]) || (place === "query" || place === "cookie" ? "form" : "simple");
  const old = toText(said["collectionFormat"]);
  const meaning = toText(said["description"]).slice(0, maxMeaning);
  const parameter: Parameter = {
    name,
    ...aboutSchema(description, flat),
    required,
    ...(said["deprecated"] === true && { deprecated: true }),
    ...(meaning !== "" && { meaning }),
    in: place,
    style: old === "pipes" ? "pipeDelimited" : old === "ssv" ? "spaceDelimited" : style,
    explode: explodes(said, description, style),
    ...(example !== undefined && { example: bounded(example, maxExampleValues) }),
  };
  return said["content"] === undefined ? inProperties(description, parameter, flat) : [parameter];
}

/**
 * The properties of an object that is written into the address as parameters of their own (style `form` that explodes, and `deepObject`);
 * else the parameter as it is, as for one that has an example.
 */
function inProperties(
  description: Description,
  parameter: Parameter,
  flat: FlatSchema | undefined,
): readonly Parameter[] {
  const { name, in: place, style, explode, example, required } = parameter;
  const isSpread = place === "query" && (style === "deepObject" || (style === "form" && explode));
  if (!isSpread || example !== undefined) return [parameter];
  if (flat?.type !== "object" || flat.properties.size === 0 || flat.alternatives.length > 1) return [parameter];
  return [...flat.properties].slice(0, maxParameters).map(([property, located]): Parameter => {
    const own = flatten(description, located, flat.parts);
    const isRequired = required && located.required;
    const shown = exampleOfSchema(own, isRequired);
    return {
      name: style === "deepObject" ? `${name}[${property}]` : property,
      ...aboutSchema(description, own),
      required: isRequired,
      in: place,
      style: "form",
      explode,
      ...(shown !== undefined && { example: bounded(shown, maxExampleValues) }),
    };
  });
}

/** True for headers that security and content describe since 3.0 (Parameter Object); a required `Accept` stays. */
function isSaidElsewhere(name: string, said: JsonObject, { version }: Description): boolean {
  if (version === "2.0") return false;
  return /^(?:content-type|authorization)$/i.test(name) || (/^accept$/i.test(name) && said["required"] !== true);
}

function explodes(said: JsonObject, { version }: Description, style: string): boolean {
  if (version === "2.0") return said["collectionFormat"] === "multi";
  return typeof said["explode"] === "boolean" ? said["explode"] : style === "form";
}

/** The schema of a parameter; in Swagger 2.0 it is one itself. */
function schemaOf(description: Description, at: Located): Located {
  if (description.version === "2.0") {
    const { required: _required, in: _in, name: _name, ...schema } = toObject(at.value);
    return { ...at, value: schema };
  }
  const own = below(at, "schema");
  const media = own.value === undefined ? mediaOf(description, at) : undefined;
  return media === undefined ? own : below(media, "schema");
}

/** The media type of a parameter that has `content`; undefined for any other. */
function mediaOf(description: Description, at: Located): Located | undefined {
  const [first] = entriesOf(below(at, "content"));
  return first && follow(description, first[1]);
}

/** The value to show; of a required parameter also one that its schema allows. */
function exampleOf(description: Description, at: Located, flat: FlatSchema | undefined, required: boolean): unknown {
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
