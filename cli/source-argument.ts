import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Typed, TypedFields } from "../api/forms/form.ts";
import { everyForm, fileForm, typedAddress, likelyAddress, unambiguousAddress, forms } from "../api/forms/index.ts";
import { Failure } from "../domain/failures.ts";
import { isKind, type Kind } from "../domain/kinds/index.ts";
import { optionName, toKebab, type Given, type Option } from "./command.ts";
import * as z from "zod";

/** The source argument of a command, with the options of its kind. */
export interface TypedSource extends Typed {
  readonly kind: Kind;
  readonly fields: TypedFields;
  /** A local file to upload. */
  readonly file?: { readonly path: string; readonly field: string; readonly title: string };
}

/** The request for the source in the first argument. @throws Failure validation_error if no kind of source matches */
export async function typedSource(given: Given): Promise<TypedSource> {
  const [location = ""] = given.words;
  const name = given.text("as");
  const kind = name !== undefined && isKind(name) ? name : undefined;
  const address = await addressOf(location);
  const typed = address === undefined ? await typedPath(location) : typedAddress(address, kind);
  if (typed === undefined) {
    const as = kind === undefined ? "" : ` as ${kind}`;
    throw new Failure("validation_error", `Lectern cannot read ${location}${as}.`);
  }
  return { ...typed, body: { ...typed.body, ...kindBody(typed.kind, given) } };
}

async function typedPath(path: string): Promise<TypedSource | undefined> {
  const entry = await stat(path).catch(() => undefined);
  if (entry?.isDirectory()) return typedAddress(resolve(path));
  if (!entry?.isFile())
    throw new Failure(
      "validation_error",
      `${path} is neither an address nor a folder or file on this machine. Give the whole address, such as https://git.example.com/owner/name, or the path of a folder.`,
    );
  const form = fileForm(path);
  if (form === undefined) return undefined;
  const { field, title, kind } = form;
  return { path: form.path, body: {}, fields: {}, kind, file: { path, field, title } };
}

/**
 * The address of a location: one of http or SSH, `git@host:owner/name`, `host/owner/name`, or `owner/name` of
 * github.com. Undefined for a local path: an existing one, or one that begins with `.`, `/`, `~` or the name of an existing folder.
 */
export async function addressOf(location: string): Promise<string | undefined> {
  const sure = unambiguousAddress(location);
  if (sure !== undefined) return sure;
  if (/^[.~/]/.test(location) || (await exists(location))) return undefined;
  const likely = likelyAddress(location);
  if (likely === undefined || likely === `https://${location}`) return likely;
  const [owner = ""] = location.split("/");
  return (await exists(owner)) ? undefined : likely;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** An option for a field of some kinds of source, with the possible values. */
interface KindOption extends Option {
  readonly field: string;
  readonly type: "text" | "list" | "number" | "truth";
  readonly kinds: readonly Kind[];
}

/** The members of a field's JSON Schema that are used. */
interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly FieldSchema[];
}

/** The options of all kinds, generated from the fields of their forms; a field of several kinds is one option. */
export const kindOptions: readonly KindOption[] = joinedOptions();

/** The given options as fields of the form of a kind. @throws Failure validation_error for an option that the kind lacks */
export function kindBody(kind: Kind, given: Given): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const option of kindOptions) {
    const name = optionName(option);
    if (!given.given(name)) continue;
    if (!option.kinds.includes(kind))
      throw new Failure(
        "validation_error",
        `--${name} is for ${option.kinds.map((one) => forms[one].plural).join(" and ")} only.`,
      );
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

function joinedOptions(): readonly KindOption[] {
  const byFlag = new Map<string, KindOption>();
  for (const [kind, { options }] of everyForm()) {
    for (const [field, schema] of Object.entries(options?.fields ?? {})) {
      const option = toOption(field, kind, schema);
      const known = byFlag.get(option.flag);
      byFlag.set(option.flag, known ? { ...known, kinds: [...known.kinds, kind] } : option);
    }
  }
  return [...byFlag.values()].map((option) => ({
    ...option,
    about: `${option.about} (${option.kinds.map((one) => forms[one].plural).join(", ")})`,
  }));
}

function toOption(field: string, kind: Kind, schema: z.ZodType): KindOption {
  const described = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as FieldSchema;
  const { type, choices } = typeOf(described);
  const name = type === "truth" && described.default === true ? `no-${toKebab(field)}` : toKebab(field);
  const description = (described.description ?? "").replaceAll("`", "");
  const about = name.startsWith("no-") ? `Switches off: ${description}` : description;
  const value = { text: " TEXT", list: " TEXT", number: " N", truth: "" }[type];
  return {
    flag: `--${name}${choices ? ` ${choices.join("|").length > 40 ? "NAME" : choices.join("|")}` : value}`,
    about: type === "list" ? `${about} May be given several times.` : about,
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
