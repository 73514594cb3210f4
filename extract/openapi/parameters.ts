import type { Cutting } from "./cutting.ts";
import { aboutSchema } from "./fields.ts";
import type { Field } from "./fields.ts";
import { flatten } from "./flat-schema.ts";
import type { FlatSchema } from "./flat-schema.ts";
import type { Parameter } from "./part.ts";
import { below, entriesOf, follow, itemsOf } from "./references.ts";
import type { Located } from "./references.ts";
import { bounded, toObject, toText } from "./values.ts";
import type { JsonObject } from "./values.ts";

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
    if (parameter !== undefined) found.set(`${parameter.in} ${parameter.name}`, parameter);
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
  // What these headers say is said by security and content (OpenAPI, Parameter Object).
  if (place === "header" && /^(?:accept|content-type|authorization)$/i.test(name)) return undefined;
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

function explodes(said: JsonObject, { description }: Cutting, style: string): boolean {
  if (description.version === "2.0") return said["collectionFormat"] === "multi";
  return typeof said["explode"] === "boolean" ? said["explode"] : style === "form";
}

function toField(cutting: Cutting, name: string, at: Located): Field {
  const said = toObject(at.value);
  const flat = flatten(cutting.description, schemaOf(cutting, at));
  const meaning = toText(said["description"]);
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
  const [first] = entriesOf(below(at, "content"));
  const media = first && follow(description, first[1]);
  return media ? below(media, "schema") : below(at, "schema");
}

/** The value to show; of a required parameter also one that its schema allows. */
function exampleOf({ description }: Cutting, at: Located, flat: FlatSchema | undefined, required: boolean): unknown {
  const said = toObject(at.value);
  if (said["example"] !== undefined) return said["example"];
  if (said["x-example"] !== undefined) return said["x-example"];
  const [first] = entriesOf(below(at, "examples"));
  const example = first && toObject(follow(description, first[1])?.value);
  const value = example?.["value"] ?? example?.["dataValue"];
  if (value !== undefined) return value;
  const { example: own, examples, default: standard, enum: values, const: only } = flat?.keywords ?? {};
  if (own !== undefined) return own;
  if (Array.isArray(examples) && examples.length > 0) return examples[0] as unknown;
  if (!required) return undefined;
  return only ?? standard ?? (Array.isArray(values) ? (values[0] as unknown) : undefined);
}
