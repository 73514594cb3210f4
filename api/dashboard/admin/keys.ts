import * as z from "zod";

import { fieldsOf } from "../fields.ts";
import { form, page } from "../page.ts";
import type { Described, Shown, Visit } from "../page.ts";
import { sectionPath } from "../views/administration.ts";
import { entriesOf } from "../views/fields.ts";
import { keysView, newKeyFields } from "../views/keys.ts";
import type { CreatedKey, KeyForm, Keys } from "../views/keys.ts";
import { adminContext } from "./context.ts";

const path = "/-/admin/keys";
const text = z.string().optional();

/** The administration starts with the keys. */
export const administrationPage: Described = page({
  path: "/-/admin",
  entry: "Administration",
  scope: "admin",
  show: async () => ({ goTo: path }),
});

/** The keys of a teamspace. */
export const keysPage: Described = page({
  path,
  scope: "admin",
  parameters: z.object({ teamspace: z.string().max(100).optional() }),
  show: (visit) => showKeys(visit, visit.parameters.teamspace),
});

/** Creates a key, and shows it once. */
export const newKeyForm: Described = form({
  path,
  scope: "admin",
  body: fieldsOf(newKeyFields, ["scopes"]),
  async submit(visit, typed) {
    const { name = "", scopes, user, teamspace, expires } = typed;
    const body = {
      name,
      scopes,
      libraries: entriesOf(typed.libraries),
      groups: entriesOf(typed.groups),
      user,
      teamspace,
      // A day ends in UTC.
      expiresAt: expires === undefined ? undefined : `${expires}T23:59:59Z`,
    };
    const { body: made, failure, status } = await visit.tell<CreatedKey>("POST", "/v2/keys", { body });
    if (failure) return showKeys(visit, teamspace, { typed, problem: failure.message, status });
    return showKeys(visit, teamspace, { made });
  },
});

/** Revokes a key. */
export const revokeKeyForm: Described = form({
  path: `${path}/revoke`,
  scope: "admin",
  body: fieldsOf(z.object({ id: z.string(), teamspace: text, name: text })),
  async submit(visit, { id, teamspace, name = "" }) {
    const { failure, status } = await visit.tell("DELETE", "/v2/keys", { query: { id } });
    if (failure) return showKeys(visit, teamspace, { problem: failure.message, status });
    return { goTo: sectionPath("keys", { teamspace }), said: `The key ${name} was revoked.` };
  },
});

async function showKeys(visit: Visit, teamspace: string | undefined, form: KeyForm = {}): Promise<Shown> {
  const [keys, context] = await Promise.all([
    visit.ask<Keys>("/v2/keys", { teamspace }),
    adminContext(visit, teamspace),
  ]);
  return { title: "Keys", main: keysView(keys, context, form), status: form.status ?? 200 };
}
