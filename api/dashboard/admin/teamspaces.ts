import * as z from "zod";
import { ownTeamspace, type teamspaceRulesSchema, type teamspaceSchema } from "../../routes/teamspaces.ts";
import { may } from "../../../domain/authorizing.ts";
import { fieldsOf } from "../form-bodies.ts";
import { form, page, type Described, type PageResult, type Visit } from "../page.ts";
import { sectionPath, administration, confirmed, type AdminContext, type FormState } from "./administration.ts";
import { entriesOf, field, lines } from "../views/fields.ts";
import { defaultTeamspace } from "../../../domain/access.ts";
import { html, nothing, type Html } from "../html.ts";
import { libraryPath } from "../views/addresses.ts";
import { age, empty, hiddenFields, table } from "../views/parts.ts";

const path = "/-/admin/teamspaces";
const text = z.string().optional();
const id = z.string().max(100).optional();

/** All teamspaces for administrators of the instance, for others the rules of their own. */
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
    const { failure, status } = await visit.call("POST", "/v2/teamspaces", { body });
    if (failure) return showAll(visit, { typed, problem: failure.message, status });
    return { goTo: path, flash: `The teamspace ${body.id} was created.` };
  },
});

/** Deletes a teamspace. */
export const deleteTeamspaceForm: Described = form({
  path: `${path}/delete`,
  scope: "admin",
  body: fieldsOf(z.object({ id: z.string() })),
  async submit(visit, { id: which }) {
    const { failure, status } = await visit.call("DELETE", "/v2/teamspaces", { query: { id: which } });
    if (failure) return showAll(visit, { problem: failure.message, status });
    return { goTo: path, flash: `The teamspace ${which} was deleted.` };
  },
});

/** Changes the rules of a teamspace for all answers, or for those of one library. */
export const rulesForm: Described = form({
  path: `${path}/rules`,
  scope: "admin",
  body: fieldsOf(z.object({ id: z.string(), library: text, rules: text })),
  async submit(visit, { id: which, library, rules }) {
    const entries = entriesOf(rules);
    const body = { rules: library === undefined ? { global: entries } : { libraries: { [library]: entries } } };
    const { failure, status } = await visit.call("PATCH", `/v2/teamspaces/${encodeURIComponent(which)}`, { body });
    if (failure) return showRules(visit, which, { typed: { library, rules }, problem: failure.message, status });
    return { goTo: sectionPath("teamspaces", { id: which }), flash: "The rules were changed." };
  },
});

async function showAll(visit: Visit, form: Parameters<typeof teamspacesView>[2] = {}): Promise<PageResult> {
  const { ask, caller } = visit;
  if (form.problem === undefined && !may(caller, "teamspaces")) return showRules(visit, ownTeamspace(caller));
  const { teamspaces } = await ask<{ teamspaces: readonly Teamspace[] }>("/v2/teamspaces");
  const main = teamspacesView(teamspaces, { ...visit, now: Date.now() }, form);
  return { title: "Teamspaces", main, status: form.status ?? 200 };
}

async function showRules(visit: Visit, which: string, form: Parameters<typeof rulesView>[2] = {}): Promise<PageResult> {
  const access = await visit.ask<Access>(`/v2/teamspaces/${encodeURIComponent(which)}`);
  const main = rulesView(access, { ...visit, now: Date.now() }, form);
  return { title: `Rules of ${which}`, main, status: form.status ?? 200 };
}

type Teamspace = z.infer<typeof teamspaceSchema>;

type Access = z.infer<typeof teamspaceRulesSchema>;

type Context = Pick<AdminContext, "caller" | "formToken" | "now">;

/** All teamspaces, and a form for a new one. */
function teamspacesView(
  teamspaces: readonly Teamspace[],
  { caller, formToken, now }: Context,
  { typed, problem }: FormState<{ readonly id?: string | undefined; readonly title?: string | undefined }>,
): Html {
  const rows = teamspaces.map(({ id, title, createdAt }) => [
    html`<div class="stack tight">
      <strong><bdi>${title}</bdi></strong
      ><code class="muted">${id}</code>
    </div>`,
    age(createdAt, now),
    html`<span class="actions"
      ><a href="${sectionPath("teamspaces", { id })}">Rules</a
      ><a href="${sectionPath("keys", { teamspace: id })}">Keys</a
      ><a href="${sectionPath("credentials", { teamspace: id })}">Credentials</a
      ><a href="${sectionPath("policies", { teamspace: id })}">Policy</a
      ><a href="${sectionPath("audit", { teamspace: id })}">Audit</a></span
    >`,
    id === defaultTeamspace
      ? html`<span class="muted small">cannot be deleted</span>`
      : confirmed("/-/admin/teamspaces/delete", formToken, {
          label: "Delete",
          question: html`Delete <bdi>${id}</bdi>? It must have no libraries and no active keys.`,
          fields: { id },
        }),
  ]);
  const content = html`${table("Teamspaces", ["Teamspace", "Created", "Open", "Delete"], rows)}
    <details class="card new" ${typed === undefined ? nothing : html` open`}>
      <summary><h2>Create a teamspace</h2></summary>
      <form class="stack" method="post" action="${sectionPath("teamspaces")}">
        ${hiddenFields(formToken)}
        <div class="columns">
          ${field("ID", "id", {
            value: typed?.id,
            required: true,
            maxLength: 63,
            placeholder: "web-team",
            hint: "Lower-case letters, digits and hyphens.",
          })}
          ${field("Title", "title", { value: typed?.title, maxLength: 100, hint: "Its display name. Empty: the ID." })}
        </div>
        <div class="actions"><button class="button primary">Create the teamspace</button></div>
      </form>
    </details>`;
  return administration(caller, "teamspaces", "Teamspaces", content, {
    problem,
    about: "Each teamspace has its own keys, credentials, private libraries, policy and rules.",
  });
}

/** The rules of a teamspace: for all answers, and for those of single libraries. */
function rulesView(
  { id, rules }: Access,
  { caller, formToken }: Context,
  { typed, problem }: FormState<{ readonly library: string | undefined; readonly rules: string | undefined }>,
): Html {
  const start = hiddenFields(formToken, ["id", id]);
  const action = "/-/admin/teamspaces/rules";
  const ofAll = typed !== undefined && typed.library === undefined ? typed.rules : rules.global.join("\n");
  const rows = Object.entries(rules.libraries).map(([library, texts]) => [
    html`<a href="${libraryPath(library)}"><bdi>${library}</bdi></a>`,
    html`<ul class="bare">
      ${texts.map((one) => html`<li><bdi>${one}</bdi></li>`)}
    </ul>`,
    html`<form class="inline" method="post" action="${action}">
      ${start}<input type="hidden" name="library" value="${library}" /><button class="button danger">Remove</button>
    </form>`,
  ]);
  const list =
    rows.length === 0
      ? empty("No library has its own rules")
      : table("Rules of libraries", ["Library", "Rules", "Remove"], rows);
  const content = html`<form class="card" method="post" action="${action}">
      ${start}
      ${lines("With every answer", "rules", { value: ofAll, hint: "One rule per line, up to 50. Empty: none." })}
      <div class="actions"><button class="button primary">Save</button></div>
    </form>
    <section class="stack" aria-labelledby="libraries">
      <h2 id="libraries">With the answers of one library</h2>
      ${list}
      <form class="card" method="post" action="${action}">
        ${start} ${field("Library", "library", { value: typed?.library, required: true, placeholder: "/acme/widgets" })}
        ${lines("Rules", "rules", {
          id: "library-rules",
          value: typed?.library === undefined ? "" : typed.rules,
          hint: "One rule per line. They replace the library's present rules here. Empty: none.",
        })}
        <div class="actions"><button class="button">Save the rules of the library</button></div>
      </form>
    </section>`;
  const back = may(caller, "teamspaces") ? html` <a href="${sectionPath("teamspaces")}">All teamspaces</a>` : nothing;
  return administration(caller, "teamspaces", `Rules of ${id}`, content, {
    problem,
    about: html`Agents with a key of this teamspace get these rules.${back}`,
  });
}
