import * as z from "zod";

import { Failure } from "../../../domain/failures.ts";

/** The control of a field. A `truth` is a check box; a `choice` without a default can be left to the server. */
type FieldType = "text" | "date" | "number" | "list" | "truth" | "choice" | "headers" | "group";

/** A field of a form, from the schema of a request body. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly type: FieldType;
  readonly required: boolean;
  /** Its value is never rendered. */
  readonly secret: boolean;
  readonly choices: readonly string[];
  readonly standard: unknown;
  readonly least?: number;
  readonly most?: number;
  /** Fields of a group. */
  readonly fields: readonly Field[];
}

/** The used members of a JSON Schema. */
interface Described {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Described>>;
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Described[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly writeOnly?: boolean;
  readonly deprecated?: boolean;
}

/** The fields of a body, in the order of its schema, without aliases for other clients. */
export function fieldsOfSchema(schema: z.ZodType): readonly Field[] {
  const described = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Described;
  const shape = schema instanceof z.ZodObject ? (schema.shape as Readonly<Record<string, z.ZodType>>) : {};
  // JSON Schema lacks the defaults of preprocessed fields.
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
  // A check box always has a value, but here the server decides about an absent one.
  if (type === "boolean") return standard === undefined ? "choice" : "truth";
  if (type === "array") return "list";
  if (type === "integer" || type === "number") return "number";
  if (schema.format === "date") return "date";
  if (type === "object") return properties === undefined ? "headers" : "group";
  return choices === undefined ? "text" : "choice";
}

/** The label of a field name: "excludeFolders" is "Exclude folders". */
export function labelOf(name: string): string {
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  if (words === "openapi") return "OpenAPI";
  const label = words.replace(/\b(?:id|ids|url|urls)\b/g, (word) =>
    word.startsWith("id") ? word.replace("id", "ID") : word.replace("url", "URL"),
  );
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/** The values of a form, by control name. */
export type Sent = Readonly<Record<string, string | undefined>>;

/** Name of the control of a field, with the name of its group as prefix. */
export function controlOf(name: string, group?: string): string {
  return group === undefined ? `o.${name}` : `o.${group}.${name}`;
}

/** The body of the operation from the values of a form. @throws Failure validation_error for invalid headers */
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
    // The kind of a credential is always chosen: without its secret there is no credential.
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
