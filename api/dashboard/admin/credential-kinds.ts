import { everyForm } from "../../forms/index.ts";
import { fieldsOfSchema } from "../adding/schema-fields.ts";
import { entriesOf } from "../views/fields.ts";
import type { CredentialKind } from "../views/credentials.ts";

/** The kinds of source with credentials, and the fields of their data, from the form of each kind. */
export function credentialKinds(): readonly CredentialKind[] {
  return everyForm().flatMap(([kind, { credential }]) =>
    credential === null
      ? []
      : [{ kind, hasTenant: credential.tenant !== undefined, fields: fieldsOfSchema(credential.data) }],
  );
}

/** The data of a credential from the values of a form. */
export function dataOf(kind: string, typed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const fields = credentialKinds().find((one) => one.kind === kind)?.fields ?? [];
  return Object.fromEntries(
    fields.map(({ name, type }) => {
      const value = typed[`data.${name}`];
      return [name, type === "headers" && typeof value === "string" ? mapOf(value) : value];
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
