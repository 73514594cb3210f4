import * as z from "zod";

import type { CredentialChoice } from "../../domain/credentials.ts";
import { Failure } from "../../domain/failures.ts";
import { kindOf, kinds } from "../../domain/kinds/index.ts";
import type { Kind, SourceSpec } from "../../domain/kinds/index.ts";
import { parseFields } from "../parameters.ts";
import type { settingsSchema } from "../schemas/settings.ts";
import { credentialId, oneCredential } from "./form.ts";
import type { KindForms } from "./form.ts";
import { forms } from "./index.ts";

type SourceOption = z.infer<typeof settingsSchema>["options"][number];
type Fields = Readonly<Record<string, unknown>>;

/** Fields of every kind's options, for the body that changes a library: all may be absent, and null is the default. */
export const optionFields: Readonly<Record<string, z.ZodType>> = joined((kind) =>
  Object.entries(formsOf(kind).options?.fields ?? {}).map(([name, schema]) => {
    const described = `${schema.description ?? ""} null: the default.`.trim();
    return [name, bare(schema).nullable().optional().describe(described)];
  }),
);

/** Fields of every kind's secret, for the body that refreshes a library. */
export const secretFields: Readonly<Record<string, z.ZodType>> = joined((kind) => {
  const { credential } = formsOf(kind);
  const name = kinds[kind].credential?.field;
  return credential && name !== undefined ? [[name, credential.own.optional()]] : [];
});

/** The same source with the given options. @throws Failure validation_error for an unknown or invalid option */
export function changeOptions(source: SourceSpec, given: Fields): SourceSpec {
  const { options } = formsOf(source.kind);
  const names = Object.keys(given);
  const schemas = options?.fields ?? {};
  const foreign = names.filter((name) => !Object.hasOwn(schemas, name));
  if (!options || foreign.length > 0) {
    const has = Object.keys(schemas).join(", ");
    const message = `${foreign.join(", ")} is no option of a ${noun(source.kind)}. It has ${has === "" ? "none" : has}.`;
    throw new Failure("validation_error", message);
  }
  const wanted = z.object(Object.fromEntries(names.map((name) => [name, schemas[name] ?? z.never()])));
  // What is taken back is as if it had not been submitted.
  const kept = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const parsed: Fields = parseFields(wanted, kept);
  return options.change(source, Object.fromEntries(names.map((name) => [name, parsed[name]])));
}

/** The options that can be changed of a source, each with what it is now and the JSON Schema of its values. */
export function optionsOf(source: SourceSpec): SourceOption[] {
  const { options } = formsOf(source.kind);
  if (!options) return [];
  const now = options.read(source);
  return Object.entries(options.fields).map(([name, schema]) => {
    const { $schema: _, description, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
    return { name, description: description ?? "", schema: rest, value: now[name] ?? null };
  });
}

/**
 * What a body says of the credential of a source: what the library's own is to hold, or the ID of a shared one; undefined: nothing.
 * @throws Failure validation_error for what is of another kind, or wrong
 */
export function chooseSecret(source: SourceSpec, given: Fields): CredentialChoice | undefined {
  const { kind } = source;
  const { credential } = formsOf(kind);
  const own = kindOf(source).credential?.field;
  const names = Object.keys(secretFields).filter((name) => given[name] !== undefined);
  const foreign = names.filter((name) => name !== own).join(", ");
  if (foreign !== "") {
    const message =
      own === undefined
        ? `A ${noun(kind)} takes no credential. Leave out ${foreign}.`
        : `${foreign} is not for a ${noun(kind)}, which takes ${own}. Leave it out.`;
    throw new Failure("validation_error", message);
  }
  const shared = parseFields(z.object({ credential: credentialId.optional() }), given).credential;
  if (!credential || own === undefined) return shared === undefined ? undefined : { id: shared };
  const data = parseFields(z.object({ [own]: credential.own.optional() }), given)[own];
  return oneCredential(own, data, shared);
}

/** The kinds whose forms have a field for what a person may fill in, for a sentence. */
export function kindsWith(field: keyof KindForms["fields"]): string {
  return everyKind()
    .filter((kind) => formsOf(kind).fields[field] !== undefined)
    .map((kind) => formsOf(kind).plural)
    .join(" and ");
}

/** Fields of all kinds by name; where two kinds mean different things by one, either is good, and the kind's own is asked later. */
function joined(fieldsOf: (kind: Kind) => readonly (readonly [string, z.ZodType])[]): Record<string, z.ZodType> {
  const found = new Map<string, z.ZodType[]>();
  for (const [name, schema] of everyKind().flatMap(fieldsOf)) {
    const known = found.get(name) ?? [];
    const same = JSON.stringify(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
    if (known.some((one) => JSON.stringify(z.toJSONSchema(one, { io: "input", unrepresentable: "any" })) === same))
      continue;
    found.set(name, [...known, schema]);
  }
  return Object.fromEntries(
    [...found].map(([name, [first = z.never(), ...others]]) => [
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

function everyKind(): readonly Kind[] {
  return Object.keys(forms) as Kind[];
}

function formsOf(kind: Kind): KindForms {
  return forms[kind];
}

function noun(kind: Kind): string {
  return formsOf(kind).noun;
}
