import type { Cutting } from "./cutting.ts";
import { aboutSchema } from "./fields.ts";
import { flatten } from "./flat-schema.ts";
import { below, entriesOf, itemsOf, type Description, type Located } from "./located.ts";
import type { FlatSchema } from "./merged-schema.ts";
import type { Parameter } from "./part.ts";
import { follow } from "./references.ts";
import { bounded, toText } from "./values.ts";
import { type Json, objectOf } from "../json.ts";

/** Maximum number of parameters of one operation. */
const maxParameters = 200;
/** Maximum number of values in an example. */
const maxExampleValues = 50;

const places = ["path", "query", "header", "cookie", "querystring"] as const;

/** The parameters of an operation and of its path, sorted by place. Those of the operation have precedence. */
export function readParameters(cutting: Cutting, item: Located, operation: Located): Parameter[] {
  const byName = new Map<string, Parameter>();
  const all = [...itemsOf(below(item, "parameters")), ...itemsOf(below(operation, "parameters"))];
  for (const at of all.slice(0, maxParameters))
    for (const one of toParameters(cutting, at)) byName.set(`${one.in} ${one.name}`, one);
  return [...byName.values()].toSorted((one, two) => places.indexOf(one.in) - places.indexOf(two.in));
}

/** A parameter, or one per property; empty for anything else, such as bodies of Swagger 2.0 and implied headers. */
function toParameters({ description }: Cutting, at: Located): readonly Parameter[] {
  const target = follow(description, at);
  const fields = objectOf(target?.value);
  const name = toText(fields["name"]);
  const place = places.find((one) => one === fields["in"]);
  if (target === undefined || name === "" || place === undefined) return [];
  if (place === "header" && isImplied(name, fields, description)) return [];
  const schema = schemaOf(description, target);
  const flat = flatten(description, schema);
  const required = fields["required"] === true || place === "path";
  const example = exampleOf(description, target, flat, required);
  const style = toText(fields["style"]) || (place === "query" || place === "cookie" ? "form" : "simple");
  const oldStyle = toText(fields["collectionFormat"]);
  const meaning = toText(fields["description"]);
  const parameter: Parameter = {
    name,
    ...aboutSchema(description, schema, name),
    required,
    ...(fields["deprecated"] === true && { deprecated: true }),
    ...(meaning !== "" && { meaning }),
    in: place,
    style: oldStyle === "pipes" ? "pipeDelimited" : oldStyle === "ssv" ? "spaceDelimited" : style,
    explode: explodes(fields, description, style),
    ...(example !== undefined && { example: bounded(example, maxExampleValues) }),
  };
  return fields["content"] === undefined ? inProperties(description, parameter, flat) : [parameter];
}

/**
 * The properties of an object as parameters, if each is one in the address (exploded `form`, and `deepObject`); else the parameter
 * itself, as for one with an example.
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
    const schema = flatten(description, located, flat.parts);
    const isRequired = required && located.required;
    const shown = exampleOfSchema(schema, isRequired);
    const called = style === "deepObject" ? `${name}[${property}]` : property;
    return {
      name: called,
      ...aboutSchema(description, located, called),
      required: isRequired,
      in: place,
      style: "form",
      explode,
      ...(shown !== undefined && { example: bounded(shown, maxExampleValues) }),
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
function schemaOf(description: Description, at: Located): Located {
  if (description.version === "2.0") {
    const { required: _required, in: _in, name: _name, ...schema } = objectOf(at.value);
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

/** The value to show: an example, or for a required parameter any value that its schema allows. */
function exampleOf(description: Description, at: Located, flat: FlatSchema | undefined, required: boolean): unknown {
  const media = mediaOf(description, at);
  const inMedia = ownExample(description, media);
  // The value of a media type is sent as JSON.
  const asMedia =
    typeof inMedia === "object" && inMedia !== null ? JSON.stringify(bounded(inMedia, maxExampleValues)) : inMedia;
  const own = ownExample(description, at) ?? asMedia;
  return own === undefined ? exampleOfSchema(flat, required) : own;
}

/** The example of a schema; for a required value any value that it allows. */
function exampleOfSchema(flat: FlatSchema | undefined, required: boolean): unknown {
  const { example, examples, default: standard, enum: values, const: only } = flat?.keywords ?? {};
  if (example !== undefined) return example;
  if (Array.isArray(examples) && examples.length > 0) return examples[0] as unknown;
  if (!required) return undefined;
  return only ?? standard ?? (Array.isArray(values) ? (values[0] as unknown) : undefined);
}

/** The example of a parameter, or of its media type, next to the schema. */
function ownExample(description: Description, at: Located | undefined): unknown {
  if (at === undefined) return undefined;
  const { example, "x-example": vendor } = objectOf(at.value);
  const [first] = entriesOf(below(at, "examples"));
  const named = first && objectOf(follow(description, first[1])?.value);
  return example ?? vendor ?? named?.["value"] ?? named?.["dataValue"];
}
