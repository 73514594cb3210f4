import * as z from "zod";
import type { CredentialChoice } from "../../domain/credentials.ts";
import { Failure } from "../../domain/failures.ts";
import { kindOf, kinds, type Kind, type SourceSpec } from "../../domain/kinds/index.ts";
import { parseFields } from "../parameters.ts";
import { settingValues } from "../schemas/library-settings.ts";
import { credentialId, oneCredential, type KindForms } from "./form.ts";
import { everyForm, forms } from "./index.ts";

const optionSchema = z
  .object({
    name: z.string().describe("Field of the body that changes it."),
    description: z.string().describe("What it does."),
    schema: z.record(z.string(), z.unknown()).describe("JSON Schema of its values."),
    value: z.unknown().describe("Current value; null: the default."),
  })
  .meta({ id: "SourceOption" });

/** The settings of a library, as `GET /api/v2/libs/settings` answers. */
export const settingsSchema = z
  .object({
    libraryId: z.string().describe("Library ID."),
    kind: z.string().describe("Kind of its source, such as `git` or `website`."),
    ...settingValues,
    options: z.array(optionSchema).describe("Options of its kind of source."),
  })
  .meta({ id: "Settings" });

type SourceOption = z.infer<typeof settingsSchema>["options"][number];
type Fields = Readonly<Record<string, unknown>>;

/** The options of every kind, for the body that changes a library. All are optional; null is the default. */
export const optionFields: Readonly<Record<string, z.ZodType>> = mergeFields((_kind, { options }) =>
  Object.entries(options?.fields ?? {}).map(([name, schema]) => {
    const described = `${schema.description ?? ""} null: the default.`.trim();
    return [name, bare(schema).nullable().optional().describe(described)];
  }),
);

/** The credentials of every kind, for the body that refreshes a library. */
export const secretFields: Readonly<Record<string, z.ZodType>> = mergeFields((kind, { credential }) => {
  const name = kinds[kind].credential?.field;
  return credential && name !== undefined ? [[name, credential.own.optional()]] : [];
});

/** The source with the given options. @throws Failure validation_error for an unknown or invalid option */
export function changeOptions(source: SourceSpec, given: Fields): SourceSpec {
  const { options } = forms[source.kind];
  const names = Object.keys(given);
  const schemas = options?.fields ?? {};
  const foreign = names.filter((name) => !Object.hasOwn(schemas, name));
  if (!options || foreign.length > 0) {
    const has = Object.keys(schemas).join(", ");
    const message = `${foreign.join(", ")} is not an option of a ${forms[source.kind].noun}. It has ${has === "" ? "none" : has}.`;
    throw new Failure("validation_error", message);
  }
  const schema = z.object(Object.fromEntries(names.map((name) => [name, schemas[name] ?? z.never()])));
  // A reset option gets the default of a submission without it.
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const parsed: Fields = parseFields(schema, present);
  return options.change(source, Object.fromEntries(names.map((name) => [name, parsed[name]])));
}

/** The changeable options of a source, each with its current value and its JSON Schema. */
export function optionsOf(source: SourceSpec): SourceOption[] {
  const { options } = forms[source.kind];
  if (!options) return [];
  const now = options.read(source);
  return Object.entries(options.fields).map(([name, schema]) => {
    const { $schema: _, description, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
    return { name, description: description ?? "", schema: rest, value: now[name] ?? null };
  });
}

/**
 * The credential in a body: the data of the library's own, or the ID of a shared one; undefined: none.
 * @throws Failure validation_error for fields of another kind, or invalid ones
 */
export function chooseSecret(source: SourceSpec, given: Fields): CredentialChoice | undefined {
  const { kind } = source;
  const { credential } = forms[kind];
  const field = kindOf(source).credential?.field;
  const names = Object.keys(secretFields).filter((name) => given[name] !== undefined);
  const foreign = names.filter((name) => name !== field).join(", ");
  if (foreign !== "") {
    const message =
      field === undefined
        ? `A ${forms[kind].noun} takes no credential. Leave out ${foreign}.`
        : `${foreign} is not for a ${forms[kind].noun}, which takes ${field}. Leave it out.`;
    throw new Failure("validation_error", message);
  }
  const shared = parseFields(z.object({ credential: credentialId.optional() }), given).credential;
  if (!credential || field === undefined) return shared === undefined ? undefined : { id: shared };
  const data = parseFields(z.object({ [field]: credential.own.optional() }), given)[field];
  return oneCredential(field, data, shared);
}

/** The names of the kinds whose forms have a field, joined for a sentence. */
export function kindsWith(field: keyof KindForms["fields"]): string {
  return everyForm()
    .flatMap(([, { fields, plural }]) => (fields[field] === undefined ? [] : [plural]))
    .join(" and ");
}

/** The fields of all kinds by name. If kinds define a field differently, any of its schemas is accepted here. */
function mergeFields(
  fieldsOf: (kind: Kind, of: KindForms) => readonly (readonly [string, z.ZodType])[],
): Record<string, z.ZodType> {
  const byName = new Map<string, z.ZodType[]>();
  const described = (schema: z.ZodType): string =>
    JSON.stringify(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  for (const [name, schema] of everyForm().flatMap(([kind, of]) => fieldsOf(kind, of))) {
    const known = byName.get(name) ?? [];
    if (!known.some((one) => described(one) === described(schema))) byName.set(name, [...known, schema]);
  }
  return Object.fromEntries(
    [...byName].map(([name, [first = z.never(), ...others]]) => [
      name,
      others.length === 0 ? first : z.union([first, ...others]).optional(),
    ]),
  );
}

/** A field without its default. */
function bare(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodOptional
    ? bare(schema.unwrap() as z.ZodType)
    : schema;
}
