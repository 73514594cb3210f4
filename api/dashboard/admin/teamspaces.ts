import * as z from "zod";

import { ownTeamspace } from "../../teamspace.ts";
import { may } from "../../../domain/authorizing.ts";
import { fieldsOf } from "../fields.ts";
import { form, page } from "../page.ts";
import type { Described, Shown, Visit } from "../page.ts";
import { sectionPath } from "../views/administration.ts";
import { entriesOf } from "../views/fields.ts";
import { rulesView, teamspacesView } from "../views/teamspaces.ts";
import type { Access, Teamspace } from "../views/teamspaces.ts";

const path = "/-/admin/teamspaces";
const text = z.string().optional();
const id = z.string().max(100).optional();

/** All teamspaces with their rules, for administrators of the instance; for others their own. */
export const teamspacesPage: Described = page({
  path,
  scope: "admin",
  parameters: z.object({ id }),
  show: async (visit) => (visit.parameters.id === undefined ? showAll(visit) : showRules(visit, visit.parameters.id)),
});

/** Creates a teamspace. */
export const newTeamspaceForm: Described = form({
  path,
  scope: "admin",
  body: fieldsOf(z.object({ id: text, title: text })),
  async submit(visit, typed) {
    const body = { id: typed.id ?? "", title: typed.title };
    const { failure, status } = await visit.tell("POST", "/v2/teamspaces", { body });
    if (failure) return showAll(visit, { typed, problem: failure.message, status });
    return { goTo: path, said: `The teamspace ${body.id} was made.` };
  },
});

/** Deletes a teamspace. */
export const deleteTeamspaceForm: Described = form({
  path: `${path}/delete`,
  scope: "admin",
  body: fieldsOf(z.object({ id: z.string() })),
  async submit(visit, { id: which }) {
    const { failure, status } = await visit.tell("DELETE", "/v2/teamspaces", { query: { id: which } });
    if (failure) return showAll(visit, { problem: failure.message, status });
    return { goTo: path, said: `The teamspace ${which} was deleted.` };
  },
});

/** Changes the rules of a teamspace: for every answer, or for those of a library. */
export const rulesForm: Described = form({
  path: `${path}/rules`,
  scope: "admin",
  body: fieldsOf(z.object({ id: z.string(), library: text, rules: text })),
  async submit(visit, { id: which, library, rules }) {
    const entries = entriesOf(rules);
    const body = { rules: library === undefined ? { global: entries } : { libraries: { [library]: entries } } };
    const { failure, status } = await visit.tell("PATCH", `/v2/teamspaces/${encodeURIComponent(which)}`, { body });
    if (failure) return showRules(visit, which, { typed: { library, rules }, problem: failure.message, status });
    return { goTo: sectionPath("teamspaces", { id: which }), said: "The rules were changed." };
  },
});

async function showAll(visit: Visit, form: Parameters<typeof teamspacesView>[2] = {}): Promise<Shown> {
  const { ask, caller } = visit;
  if (form.problem === undefined && !may(caller, "teamspaces")) return showRules(visit, ownTeamspace(caller));
  const { teamspaces } = await ask<{ teamspaces: readonly Teamspace[] }>("/v2/teamspaces");
  const main = teamspacesView(teamspaces, { ...visit, now: Date.now() }, form);
  return { title: "Teamspaces", main, status: form.status ?? 200 };
}

async function showRules(visit: Visit, which: string, form: Parameters<typeof rulesView>[2] = {}): Promise<Shown> {
  const access = await visit.ask<Access>(`/v2/teamspaces/${encodeURIComponent(which)}`);
  const main = rulesView(access, { ...visit, now: Date.now() }, form);
  return { title: `Rules of ${which}`, main, status: form.status ?? 200 };
}
