import * as z from "zod";
import { fieldsOf } from "../form-bodies.ts";
import { form, page } from "../page.ts";
import type { Described, Shown, Visit } from "../page.ts";
import { sectionPath, adminContext } from "./administration.ts";
import { credentialsView } from "../views/credentials.ts";
import type { Credential, CredentialForms, Tested, CredentialKind } from "../views/credentials.ts";
import { everyForm } from "../../forms/index.ts";
import { fieldsOfSchema } from "../schema-fields.ts";
import { entriesOf } from "../views/fields.ts";

const path = "/-/admin/credentials";
const text = z.string().optional();

/** Shared credentials of a teamspace, without their data. */
export const credentialsPage: Described = page({
  path,
  scope: "admin",
  parameters: z.object({ teamspace: z.string().max(100).optional(), kind: z.string().max(40).optional() }),
  show: (visit) => showCredentials(visit, visit.parameters.teamspace, { kind: visit.parameters.kind }),
});

/** Creates a credential. */
export const newCredentialForm: Described = form({
  path,
  scope: "admin",
  body: fieldsOf(z.object({ kind: text, name: text, host: text, tenant: text, teamspace: text }).catchall(z.string())),
  async submit(visit, typed) {
    const { kind = "git", name = "", host = "", tenant, teamspace } = typed;
    const body = { kind, name, host, tenant, teamspace, data: dataOf(kind, typed) };
    const { body: made, failure, status } = await visit.tell<Credential>("POST", "/v2/credentials", { body });
    if (failure) return showCredentials(visit, teamspace, { kind, typed, problem: failure.message, status });
    const said = `The credential ${made.name} was made. It is sent to ${made.host} only.`;
    return { goTo: sectionPath("credentials", { teamspace }), said };
  },
});

/** Tests a credential, and shows the result. */
export const testCredentialForm: Described = form({
  path: `${path}/test`,
  scope: "admin",
  body: fieldsOf(z.object({ id: z.string(), address: text, teamspace: text })),
  async submit(visit, { id, address, teamspace }) {
    const path = `/v2/credentials/${encodeURIComponent(id)}/test`;
    const { body, failure, status } = await visit.tell<Tested>("POST", path, { body: { address } });
    if (failure) return showCredentials(visit, teamspace, { problem: failure.message, status });
    return showCredentials(visit, teamspace, { tested: { id, ...body } });
  },
});

/** Deletes a credential. */
export const deleteCredentialForm: Described = form({
  path: `${path}/delete`,
  scope: "admin",
  body: fieldsOf(z.object({ id: z.string(), name: text, teamspace: text })),
  async submit(visit, { id, name = "", teamspace }) {
    const { failure, status } = await visit.tell("DELETE", `/v2/credentials/${encodeURIComponent(id)}`);
    if (failure) return showCredentials(visit, teamspace, { problem: failure.message, status });
    return { goTo: sectionPath("credentials", { teamspace }), said: `The credential ${name} was deleted.` };
  },
});

async function showCredentials(visit: Visit, teamspace: string | undefined, shown: CredentialForms): Promise<Shown> {
  const [{ credentials }, context] = await Promise.all([
    visit.ask<{ credentials: readonly Credential[] }>("/v2/credentials", { teamspace }),
    adminContext(visit, teamspace),
  ]);
  const main = credentialsView(credentials, credentialKinds(), context, shown);
  return { title: "Credentials", main, status: shown.status ?? 200 };
}

/** The kinds of source with credentials, and the fields of their data, from the form of each kind. */
function credentialKinds(): readonly CredentialKind[] {
  return everyForm().flatMap(([kind, { credential }]) =>
    credential === null
      ? []
      : [{ kind, hasTenant: credential.tenant !== undefined, fields: fieldsOfSchema(credential.data) }],
  );
}

/** The data of a credential from the values of a form. */
function dataOf(kind: string, typed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
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
