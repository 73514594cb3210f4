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

/** The schema of a field. */
interface Described {
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly type?: string;
}

/** The kinds of source with credentials, and the fields of their data, from the form of each kind. */
export function credentialKinds(): readonly CredentialKind[] {
  return Object.entries(forms).flatMap(([kind, of]: [string, KindForms<object>]) =>
    of.credential === null
      ? []
      : [{ kind, hasTenant: of.credential.tenant !== undefined, fields: fieldsOf(of.credential) }],
  );
}

/** The data of a credential from the values of a form. */
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
  // A named schema is among the definitions.
  const { properties = {}, required = [] } = Object.values(whole.$defs ?? {})[0] ?? whole;
  return Object.entries(properties).map(([name, { description = "", enum: values, format, type }]) => ({
    name,
    description,
    isRequired: required.includes(name),
    // A secret by its name; a false match only hides the input.
    isSecret: /token|secret|password/i.test(name),
    isDate: format === "date",
    // Names with values.
    isMap: values === undefined && type !== "string",
    ...(values && { values }),
  }));
}
