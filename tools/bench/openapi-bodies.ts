import { Ajv2020 } from "ajv/dist/2020.js";
import AjvDraft4 from "ajv-draft-04";
import { bodiesOf } from "../../extract/openapi/bodies.ts";
import type { Content, OperationPart } from "../../extract/openapi/part.ts";
import { isObject } from "../../extract/openapi/values.ts";

/** Numbers of bodies of a description's operations. */
export interface BodyFigures {
  /** Shown by an example of the description. */
  examples: number;
  /** Made of a schema. */
  made: number;
  /** Of those, valid by ajv. */
  valid: number;
  /** Of those that are not valid, the ones whose schema has examples or defaults: most of these contradict it. */
  contradicted: number;
  /** Made of a schema that ajv cannot compile. */
  unchecked: number;
}

type Direction = "request" | "response";

/** Validates the JSON bodies that are made from an OpenAPI 3 description against its own schemas. */
export function checkBodies(text: string, operations: readonly OperationPart[]): BodyFigures {
  const figures = { examples: 0, made: 0, valid: 0, contradicted: 0, unchecked: 0 };
  const validators = { request: createValidator(text, "request"), response: createValidator(text, "response") };
  for (const { body, responses, kind } of operations) {
    const good = responses.find(({ status, content }) => status.startsWith("2") && content !== undefined);
    const [sent, received]: Direction[] = kind === "path" ? ["request", "response"] : ["response", "request"];
    for (const [direction, content] of [
      [sent, body?.content],
      [received, good?.content],
    ] as const) {
      if (direction === undefined || content === undefined || !/json/i.test(content.mediaType)) continue;
      if (content.examples.length > 0) figures.examples++;
      else count(content, validators[direction], figures);
    }
  }
  return figures;
}

function count(content: Content, isValid: Validator, figures: BodyFigures): void {
  const [body] = bodiesOf(content);
  if (body === undefined) return;
  figures.made++;
  const valid = isValid(`${content.from.split("#")[1] ?? ""}/schema`, JSON.parse(body.text));
  if (valid === undefined) figures.unchecked++;
  else if (valid) figures.valid++;
  else if (/"(?:example|default)":/.test(JSON.stringify(content.schema))) figures.contradicted++;
}

/** Whether a value is one of the schema at a pointer; undefined where ajv cannot compile that. */
type Validator = (pointer: string, value: unknown) => boolean | undefined;

function createValidator(text: string, direction: Direction): Validator {
  const description: unknown = JSON.parse(text);
  prepare(description, description, direction);
  const isOld = isObject(description) && String(description["openapi"]).startsWith("3.0");
  // Without the flag `u` needless escapes such as `\-` stand for themselves, as everywhere else.
  const options = { strict: false, validateFormats: false, logger: false, unicodeRegExp: false } as const;
  const ajv = isOld ? new AjvDraft4.default(options) : new Ajv2020(options);
  ajv.addSchema(description as object, "https://bench.example/");
  return (pointer, value) => {
    try {
      return ajv.compile({ $ref: `https://bench.example/#${pointer}` })(value);
    } catch {
      return undefined;
    }
  };
}

/** Reduces `required` to what counts in a direction (OpenAPI, Schema Object), and removes what ajv understands differently. */
function prepare(value: unknown, root: unknown, direction: Direction): void {
  if (typeof value !== "object" || value === null) return;
  const schema = value as Record<string, unknown>;
  const { required, properties } = schema;
  if (Array.isArray(required) && isObject(properties)) {
    const hidden = direction === "request" ? "readOnly" : "writeOnly";
    const left = required.filter((name: string) => !isHidden(properties[name], root, hidden));
    if (left.length > 0) schema["required"] = left;
    else delete schema["required"];
  }
  if (schema["type"] === undefined) delete schema["nullable"];
  const { pattern } = schema;
  // As other languages write the ends of a text.
  if (typeof pattern === "string") schema["pattern"] = pattern.replace(/^\\A/, "^").replace(/\\[zZ]$/, "$");
  if (isObject(schema["discriminator"])) delete schema["discriminator"];
  for (const key of ["$id", "id"]) if (typeof schema[key] === "string") delete schema[key];
  for (const child of Object.values(schema)) prepare(child, root, direction);
}

function isHidden(property: unknown, root: unknown, keyword: string): boolean {
  if (!isObject(property)) return false;
  const ref = property["$ref"];
  if (typeof ref !== "string" || !ref.startsWith("#/")) return property[keyword] === true;
  const keys = ref
    .slice(2)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const target = keys.reduce<unknown>((one, key) => (isObject(one) ? one[key] : undefined), root);
  return isObject(target) && target[keyword] === true;
}
