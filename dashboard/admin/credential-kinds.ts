import * as z from "zod";

import type { CredentialForm, KindForms } from "../../api/forms/form.ts";
import { forms } from "../../api/forms/index.ts";
import { entriesOf } from "../views/fields.ts";
import type { CredentialKind, DataField } from "../views/credentials.ts";

/** A JSON schema of an object. */
interface Schema {
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** What it says of a field. */
interface Described {
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly type?: string;
}

/** Every kind of source that takes credentials, and what one of it holds, from the form of the kind. */
export function credentialKinds(): readonly CredentialKind[] {
  return Object.entries(forms).flatMap(([kind, of]: [string, KindForms<object>]) =>
    of.credential === null
      ? []
      : [{ kind, hasTenant: of.credential.tenant !== undefined, fields: fieldsOf(of.credential) }],
  );
}

/** What a form was sent with, as the data of a credential of the kind. */
export function dataOf(kind: string, typed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const fields = credentialKinds().find((one) => one.kind === kind)?.fields ?? [];
  return Object.fromEntries(
    fields.map(({ name, isMap }) => {
      const value = typed[`data.${name}`];
      return [name, isMap && typeof value === "string" ? mapOf(value) : value];
    }),
  );
}

/** Lines such as `Authorization: Bearer …` as names with their values. */
function mapOf(lines: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    entriesOf(lines).map((line) => {
      const [name = "", ...value] = line.split(":");
      return [name.trim(), value.join(":").trim()];
    }),
  );
}

function fieldsOf({ data }: CredentialForm<object>): readonly DataField[] {
  const whole = z.toJSONSchema(data, { io: "input", unrepresentable: "any" }) as Schema;
  // A schema with a name stands among the definitions.
  const { properties = {}, required = [] } = Object.values(whole.$defs ?? {})[0] ?? whole;
  return Object.entries(properties).map(([name, { description = "", enum: values, format, type }]) => ({
    name,
    description,
    isRequired: required.includes(name),
    // A secret by its name: what is none would only be hidden while it is typed.
    isSecret: /token|secret|password/i.test(name),
    isDate: format === "date",
    // Names and their values, which are judged before they are typed.
    isMap: values === undefined && type !== "string",
    ...(values && { values }),
  }));
}
