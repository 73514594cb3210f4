import * as z from "zod";
import { forms } from "../api/forms/index.ts";
import type { KindForms } from "../api/forms/form.ts";
import { Failure } from "../domain/failures.ts";
import type { Kind } from "../domain/kinds/index.ts";
import { optionName } from "./command.ts";
import type { Given, Option } from "./command.ts";
import { toKebab } from "./command-words.ts";

/** An option for a field of some kinds of source, with the possible values. */
interface KindOption extends Option {
  readonly field: string;
  readonly type: "text" | "list" | "number" | "truth";
  readonly kinds: readonly Kind[];
}

/** The used members of the JSON Schema of a field. */
interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly FieldSchema[];
}

/** The options of all kinds, generated from the fields of their forms; a field of several kinds is one option. */
export const kindOptions: readonly KindOption[] = joined();

/** The fields of the options. */
export const kindFields: readonly string[] = kindOptions.map(({ field }) => field);

/** The given options as fields of the form of a kind. @throws Failure validation_error for an option that the kind lacks */
export function kindBody(kind: Kind, given: Given): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const option of kindOptions) {
    const name = optionName(option);
    if (!given.given(name)) continue;
    if (!option.kinds.includes(kind))
      throw new Failure("validation_error", `--${name} is for ${option.kinds.map(pluralOf).join(" and ")} only.`);
    body[option.field] = valueOf(option, name, given);
  }
  return body;
}

function valueOf({ type }: KindOption, name: string, given: Given): unknown {
  if (type === "truth") return !name.startsWith("no-");
  if (type === "list") return given.texts(name);
  const text = given.text(name);
  if (type === "text") return text;
  if (text === undefined || !/^\d{1,9}$/.test(text))
    throw new Failure("validation_error", `--${name} takes a whole number, not ${text}.`);
  return Number(text);
}

function joined(): readonly KindOption[] {
  const found = new Map<string, KindOption>();
  for (const [kind, { options }] of Object.entries<KindForms>(forms) as [Kind, KindForms][]) {
    for (const [field, schema] of Object.entries(options?.fields ?? {})) {
      const made = toOption(field, kind, schema);
      const known = found.get(made.flag);
      found.set(made.flag, known ? { ...known, kinds: [...known.kinds, kind] } : made);
    }
  }
  return [...found.values()].map((option) => ({ ...option, about: `${option.about} (${nounsOf(option)})` }));
}

function toOption(field: string, kind: Kind, schema: z.ZodType): KindOption {
  const described = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as FieldSchema;
  const { type, choices } = typeOf(described);
  const name = type === "truth" && described.default === true ? `no-${toKebab(field)}` : toKebab(field);
  const about = (described.description ?? "").replaceAll("`", "");
  const told = name.startsWith("no-") ? `Switches off: ${about}` : about;
  const value = { text: " TEXT", list: " TEXT", number: " N", truth: "" }[type];
  return {
    flag: `--${name}${choices ? ` ${choices.join("|").length > 40 ? "NAME" : choices.join("|")}` : value}`,
    about: type === "list" ? `${told} May be given several times.` : told,
    ...(choices && { choices }),
    ...(type === "list" && { many: true }),
    field,
    type,
    kinds: [kind],
  };
}

function typeOf({ type, enum: choices, anyOf }: FieldSchema): {
  readonly type: KindOption["type"];
  readonly choices?: readonly string[];
} {
  if (type === undefined && anyOf?.[0]) return typeOf(anyOf[0]);
  if (type === "boolean") return { type: "truth" };
  if (type === "array") return { type: "list" };
  if (type === "integer" || type === "number") return { type: "number" };
  return { type: "text", ...(choices && { choices }) };
}

function nounsOf({ kinds }: KindOption): string {
  return kinds.map(pluralOf).join(", ");
}

function pluralOf(kind: Kind): string {
  return (forms[kind] as KindForms).plural;
}
