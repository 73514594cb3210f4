import { below, entriesOf, itemsOf, textsOf } from "./located.ts";
import type { Located } from "./located.ts";
import { chooseMediaType, toContent, toExample } from "./content.ts";
import type { Cutting } from "./cutting.ts";
import type { Body, Content } from "./part.ts";
import { follow } from "./references.ts";
import { toObject, toText } from "./values.ts";

/**
 * The body of an operation of Swagger 2.0, which is among its parameters. Descriptions of 2.0 are read as they are rather than
 * converted first: pointers have to be those of the file.
 */
export function readOldBody(cutting: Cutting, item: Located, operation: Located): Body | undefined {
  const { description } = cutting;
  const all = [...itemsOf(below(operation, "parameters")), ...itemsOf(below(item, "parameters"))].flatMap((at) => {
    const found = follow(description, at);
    return found === undefined ? [] : [found];
  });
  const types = mediaTypes(operation, "consumes", cutting.consumes);
  const body = all.find(({ value }) => toObject(value)["in"] === "body");
  if (body !== undefined) {
    const { required, description: about } = toObject(body.value);
    const examples = entriesOf(below(body, "x-examples")).flatMap(([name, at]) => toExample(cutting, at, name));
    const content = toContent(cutting, body, below(body, "schema"), "request", {
      ...chooseMediaType(types, "application/json"),
      examples,
    });
    return { required: required === true, description: toText(about), content };
  }
  const form = all.filter(({ value }) => toObject(value)["in"] === "formData");
  if (form.length === 0) return undefined;
  const hasFile = form.some(({ value }) => toObject(value)["type"] === "file");
  const forms = types.filter((type) => /form/i.test(type) && (!hasFile || /multipart/i.test(type)));
  const chosen = chooseMediaType(forms, hasFile ? "multipart/form-data" : "application/x-www-form-urlencoded");
  const at = below(operation, "parameters");
  const content = toContent(cutting, at, { ...at, value: formSchema(form) }, "request", { ...chosen, examples: [] });
  return { required: form.some(({ value }) => toObject(value)["required"] === true), description: "", content };
}

/** What a response of Swagger 2.0 sends; undefined for nothing. */
export function readOldResponse(cutting: Cutting, response: Located, operation: Located): Content | undefined {
  const { schema, examples } = toObject(response.value);
  if (schema === undefined && examples === undefined) return undefined;
  const given = entriesOf(below(response, "examples"));
  const types = mediaTypes(operation, "produces", cutting.produces);
  const chosen = chooseMediaType(types.length > 0 ? types : given.map(([type]) => type), "application/json");
  const shown = given.find(([type]) => type === chosen.mediaType) ?? given.find(([type]) => type.includes("json"));
  return toContent(cutting, response, below(response, "schema"), "response", {
    ...chosen,
    examples: shown === undefined ? [] : toExample(cutting, shown[1]),
  });
}

/** The media types that an operation names, or `all` that the description does. */
function mediaTypes(operation: Located, key: string, all: readonly string[]): readonly string[] {
  const own = below(operation, key);
  return own.value === undefined ? all : textsOf(own);
}

/** Fields of a form as the object that they make. */
function formSchema(form: readonly Located[]): object {
  const fields = form.map(({ value }) => toObject(value)).filter(({ name }) => toText(name) !== "");
  const properties = fields.map(({ in: _in, required: _required, name, ...schema }) => [toText(name), schema] as const);
  const required = fields.filter((field) => field["required"] === true).map(({ name }) => toText(name));
  return { type: "object", properties: Object.fromEntries(properties), required };
}
