import * as z from "zod";
import { Failure } from "../../domain/failures.ts";
import { html, nothing } from "./html.ts";
import type { Html } from "./html.ts";

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
function controlOf(name: string, group?: string): string {
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

/** Fields of a schema as controls with their previous values; secrets are not rendered. */
export function fieldsView(fields: readonly Field[], sent: Sent, group?: string): Html {
  return html`<div class="options">${fields.map((field) => fieldView(field, sent, group))}</div>`;
}

function fieldView(field: Field, sent: Sent, group: string | undefined): Html {
  const { name, label, help, type, required } = field;
  const control = controlOf(name, group);
  if (type === "group")
    return html`<fieldset class="field wide">
      <legend>${label}</legend>
      <p class="hint">${help}</p>
      ${fieldsView(field.fields, sent, name)}
    </fieldset>`;
  const hint = help === "" ? nothing : html`<span class="hint" id="${control}-help">${help}</span>`;
  if (type === "truth")
    return html`<div class="field">
      <label class="check" for="${control}">${controlView(field, control, sent[control])} ${label}</label>${hint}
    </div>`;
  const mark = required && group === undefined ? html` <span class="muted">(needed)</span>` : nothing;
  return html`<div class="field">
    <label for="${control}">${label}${mark}</label>${controlView(field, control, sent[control])}${hint}
  </div>`;
}

function controlView(field: Field, control: string, sent: string | undefined): Html {
  const { type, secret, choices, standard, help, least, most, required } = field;
  const value = secret ? "" : (sent ?? "");
  const described = help === "" ? nothing : html` aria-describedby="${control}-help"`;
  const own = html`id="${control}" name="${control}" ${described}`;
  if (type === "truth")
    return html`<input type="checkbox" ${own} value="on" ${isTicked(value, standard) ? "checked" : ""} />`;
  if (type === "list" || type === "headers") {
    const example = type === "list" ? "One a line" : "Authorization: Bearer …";
    return html`<textarea ${own} rows="2" placeholder="${example}" spellcheck="false" autocomplete="off">
${value}</textarea>`;
  }
  if (type === "choice") {
    const names: Readonly<Record<string, string>> = { true: "Yes", false: "No" };
    const left = standard === undefined ? html`<option value="">As the server decides</option>` : nothing;
    const chosen = value === "" ? standard : value;
    return html`<select ${own}>
      ${left}${choices.map(
        (one) => html`<option value="${one}" ${one === chosen ? "selected" : ""}>${names[one] ?? one}</option>`,
      )}
    </select>`;
  }
  if (type === "number")
    return html`<input
      type="number"
      placeholder="${typeof standard === "number" ? standard : ""}"
      ${own}
      value="${value}"
      min="${least ?? 0}"
      ${most === undefined ? nothing : html`max="${most}"`}
    />`;
  if (secret) return html`<input type="password" ${own} autocomplete="off" spellcheck="false" />`;
  const limit = most === undefined ? nothing : html` maxlength="${most}"`;
  return html`<input ${own} value="${value}" ${limit} ${required ? "required" : ""} spellcheck="false" />`;
}

/** The sent value, else the default: an unchecked box is not sent. */
function isTicked(value: string, standard: unknown): boolean {
  return value === "" ? standard === true : value === "on";
}
