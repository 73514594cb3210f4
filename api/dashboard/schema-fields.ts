import * as z from "zod";
import { Failure } from "../../domain/failures.ts";
import { html, nothing, type Html } from "./html.ts";
import { choice, field, lines, tick } from "./views/fields.ts";

/** The type of a field. A `truth` is a check box; a `choice` without a default can stay empty. */
type FieldType = "text" | "date" | "number" | "list" | "truth" | "choice" | "headers" | "lines" | "group";

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
  readonly contentMediaType?: string;
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
  // A check box always has a value, but without a default the server decides about an absent one.
  if (type === "boolean") return standard === undefined ? "choice" : "truth";
  if (type === "array") return "list";
  if (type === "integer" || type === "number") return "number";
  if (schema.format === "date") return "date";
  if (schema.contentMediaType !== undefined) return "lines";
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

/** The values of a sent form with its unticked boxes, which browsers leave out. */
export function withUnticked(fields: readonly Field[], sent: Sent): Sent {
  const boxes = fields.filter(({ type }) => type === "truth").map(({ name }) => [controlOf(name), "off"] as const);
  return { ...Object.fromEntries(boxes), ...sent };
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
    // The form always has a kind of credential; without a secret there is no credential.
    return field.fields.some((one) => one.secret && inner[one.name] !== undefined) ? inner : undefined;
  }
  if (type === "truth") return (given === "on") === standard ? undefined : given === "on";
  if (given === "") return undefined;
  if (type === "list") return given.split(/\r?\n/).flatMap((line) => line.trim() || []);
  if (type === "headers") return headersOf(given);
  if (type === "number" && /^\d{1,9}$/.test(given)) return Number(given);
  return choices[0] === "true" && type === "choice" ? given === "true" : given;
}

/** Headers, one per line as `Name: value`. @throws Failure validation_error for a line without name, colon or value */
export function headersOf(text: string): Record<string, string> {
  const pairs = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  return Object.fromEntries(
    pairs.map((line) => {
      const at = line.indexOf(":");
      const [name, value] = [line.slice(0, Math.max(0, at)).trim(), line.slice(at + 1).trim()];
      if (name !== "" && value !== "") return [name, value];
      throw new Failure("validation_error", "Enter each header on its own line, as Name: value.");
    }),
  );
}

/** Fields of a schema as controls with their previous values; secrets are not rendered. */
export function fieldsView(fields: readonly Field[], sent: Sent, group?: string): Html {
  const views = fields.map((one) => {
    if (one.type === "group")
      return html`<fieldset class="field wide">
        <legend>${one.label}</legend>
        <p class="hint">${one.help}</p>
        ${fieldsView(one.fields, sent, one.name)}
      </fieldset>`;
    const control = controlOf(one.name, group);
    const mark = one.required && group === undefined ? html` <span class="muted">(required)</span>` : nothing;
    // A credential is optional as a whole, so the browser must not require its fields.
    return fieldView({ ...one, required: one.required && group === undefined }, control, sent[control], mark);
  });
  return html`<div class="options">${views}</div>`;
}

/** A field of a schema as a control. `mark` follows its label. */
export function fieldView(one: Field, control: string, sent: string | undefined, mark: Html = nothing): Html {
  const { type, secret, choices, standard, help, least, most, required } = one;
  const label = html`${one.label}${mark}`;
  const hint = help === "" ? undefined : help;
  const common = { value: secret ? "" : sent, hint, required };
  if (type === "truth") {
    const isTicked = sent === undefined || sent === "" ? standard === true : sent === "on";
    return html`<div class="field">
      ${tick(label, control, { isTicked, describedBy: `${control}-hint` })}
      <span class="hint" id="${control}-hint">${help}</span>
    </div>`;
  }
  if (type === "lines") return lines(label, control, common);
  if (type === "list") return lines(label, control, { ...common, placeholder: "One per line" });
  if (type === "headers") return lines(label, control, { ...common, placeholder: "Authorization: Bearer …" });
  if (type === "choice") {
    const names: Readonly<Record<string, string>> = { true: "Yes", false: "No" };
    const listed = choices.map((value) => [value, names[value] ?? value] as const);
    const value = sent || (typeof standard === "string" ? standard : "");
    return choice(label, control, standard === undefined ? [["", "Default"], ...listed] : listed, { ...common, value });
  }
  if (type === "number") {
    const placeholder = typeof standard === "number" ? String(standard) : "";
    const limits = { min: least ?? 0, ...(most !== undefined && { max: most }) };
    return field(label, control, { ...common, type, placeholder, ...limits });
  }
  const plain = type === "date" ? "date" : "text";
  return field(label, control, { ...common, type: secret ? "password" : plain, maxLength: most });
}
