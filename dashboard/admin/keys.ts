import * as z from "zod";

import { fieldsOf } from "../fields.ts";
import { form, page } from "../page.ts";
import type { Described, Shown, Visit } from "../page.ts";
import { sectionPath } from "../views/administration.ts";
import { entriesOf } from "../views/fields.ts";
import { keysView } from "../views/keys.ts";
import type { Key, NewKey } from "../views/keys.ts";
import { chosenTeamspace } from "./teamspace-choice.ts";

const path = "/-/admin/keys";
const text = z.string().optional();

const newKey = z.object({
  name: text,
  scopes: z.array(z.string()).default([]),
  libraries: text,
  user: text,
  groups: text,
  expires: text,
  teamspace: text,
});

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
  body: fieldsOf(newKey, ["scopes"]),
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
    const { body: made, failure, status } = await visit.tell<Key & { key: string }>("POST", "/v2/keys", { body });
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

async function showKeys(
  visit: Visit,
  asked: string | undefined,
  shown: {
    readonly typed?: NewKey;
    readonly problem?: string;
    readonly status?: number;
    readonly made?: Key & { readonly key: string };
  } = {},
): Promise<Shown> {
  const { ask, caller, formToken } = visit;
  const [{ keys }, { teamspace, choices }] = await Promise.all([
    ask<{ keys: readonly Key[] }>("/v2/keys", { teamspace: asked }),
    chosenTeamspace(visit, asked),
  ]);
  const main = keysView({ ...shown, keys, teamspace, choices, caller, formToken, now: Date.now() });
  return { title: "Keys", main, status: shown.status ?? 200 };
}
