import * as z from "zod";

import { Failure } from "../../domain/failures.ts";

/** How a field is filled in. A `truth` is a box; a `choice` without a default can be left to the server. */
type FieldType = "text" | "number" | "list" | "truth" | "choice" | "headers" | "group";

/** A field of a form, made of the schema of an operation's body. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly type: FieldType;
  readonly required: boolean;
  /** It is never sent back. */
  readonly secret: boolean;
  readonly choices: readonly string[];
  readonly standard: unknown;
  readonly least?: number;
  readonly most?: number;
  /** Of a group. */
  readonly fields: readonly Field[];
}

/** What is used of JSON Schema. */
interface Described {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Described>>;
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Described[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly writeOnly?: boolean;
  readonly deprecated?: boolean;
}

/** The fields of a body, in the order of its schema. What is taken for the sake of other clients is left out. */
export function fieldsOfSchema(schema: z.ZodType): readonly Field[] {
  const described = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Described;
  const shape = schema instanceof z.ZodObject ? (schema.shape as Readonly<Record<string, z.ZodType>>) : {};
  // JSON Schema does not have the defaults of what is prepared before it is checked.
  return fieldsIn(described, described.$defs ?? {}).map((field) => ({
    ...field,
    standard: field.standard ?? shape[field.name]?.safeParse(undefined).data,
  }));
}

function fieldsIn(schema: Described, all: Readonly<Record<string, Described>>): readonly Field[] {
  const { properties = {}, required = [] } = resolved(schema, all);
  return Object.entries(properties).flatMap(([name, given]) => {
    const one = { ...resolved(given, all), ...given };
    return one.deprecated === true ? [] : [toField(name, one, required.includes(name), all)];
  });
}

function resolved(schema: Described, all: Readonly<Record<string, Described>>): Described {
  const name = schema.$ref?.slice(schema.$ref.lastIndexOf("/") + 1);
  return name === undefined ? schema : (all[name] ?? schema);
}

function toField(name: string, schema: Described, required: boolean, all: Readonly<Record<string, Described>>): Field {
  const { minimum: least, maximum = schema.maxLength } = schema;
  const type = typeOf(schema);
  return {
    name,
    label: labelOf(name),
    help: (schema.description ?? "").replaceAll("`", ""),
    type,
    required,
    secret: schema.writeOnly === true,
    choices: schema.type === "boolean" ? ["true", "false"] : (schema.enum ?? []),
    standard: schema.default,
    ...(least !== undefined && { least }),
    ...(maximum !== undefined && { most: maximum }),
    fields: type === "group" ? fieldsIn(schema, all) : [],
  };
}

function typeOf(schema: Described): FieldType {
  const { type, default: standard, enum: choices, properties, anyOf } = schema;
  if (type === undefined && anyOf?.[0]) return typeOf(anyOf[0]);
  // Where the server decides what is not said, a box would say something.
  if (type === "boolean") return standard === undefined ? "choice" : "truth";
  if (type === "array") return "list";
  if (type === "integer" || type === "number") return "number";
  if (type === "object") return properties === undefined ? "headers" : "group";
  return choices === undefined ? "text" : "choice";
}

/** `excludeFolders` as "Exclude folders". */
function labelOf(name: string): string {
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  if (words === "openapi") return "OpenAPI";
  const label = words.replace(/\b(?:id|ids|url|urls)\b/g, (word) =>
    word.startsWith("id") ? word.replace("id", "ID") : word.replace("url", "URL"),
  );
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/** What a form sent, by the names of its controls. */
export type Sent = Readonly<Record<string, string | undefined>>;

/** Name of the control of a field; fields of a group stand behind its name. */
export function controlOf(name: string, group?: string): string {
  return group === undefined ? `o.${name}` : `o.${group}.${name}`;
}

/** The fields that a form filled in, as the operation takes them. @throws Failure validation_error for headers that are none */
export function toBody(fields: readonly Field[], sent: Sent, group?: string): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    const value = valueOf(field, sent, sent[controlOf(field.name, group)]?.trim() ?? "");
    if (value !== undefined) body[field.name] = value;
  }
  return body;
}

function valueOf(field: Field, sent: Sent, given: string): unknown {
  const { type, name, standard, choices } = field;
  if (type === "group") {
    const inner = toBody(field.fields, sent, name);
    // Kinds of a credential are chosen before it is typed: without its secret there is none.
    return field.fields.some((one) => one.secret && inner[one.name] !== undefined) ? inner : undefined;
  }
  if (type === "truth") return (given !== "") === standard ? undefined : given !== "";
  if (given === "") return undefined;
  if (type === "list") return given.split(/\r?\n/).flatMap((line) => line.trim() || []);
  if (type === "headers") return headersOf(given);
  if (type === "number" && /^\d{1,9}$/.test(given)) return Number(given);
  return choices[0] === "true" && type === "choice" ? given === "true" : given;
}

function headersOf(text: string): Record<string, string> {
  const pairs = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  return Object.fromEntries(
    pairs.map((line) => {
      const at = line.indexOf(":");
      if (at > 0) return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      throw new Failure("validation_error", "Write each header on a line of its own, as Name: value.");
    }),
  );
}
