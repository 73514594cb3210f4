import type * as z from "zod";

import type { accessSchema, teamspaceSchema } from "../../routes/teamspaces.ts";
import { defaultTeamspace } from "../../../domain/access.ts";
import { may } from "../../../domain/authorizing.ts";
import { html, nothing } from "../html.ts";
import type { Html } from "../html.ts";
import { libraryPath } from "./addresses.ts";
import { administration, confirmed, sectionPath } from "./administration.ts";
import type { AdminContext, FormState } from "./administration.ts";
import { field, lines } from "./fields.ts";
import { age, empty, hiddenFields, table } from "./parts.ts";

/** A teamspace in the answer of `GET /api/v2/teamspaces`. */
export type Teamspace = z.infer<typeof teamspaceSchema>;

/** The rules of a teamspace, the answer of `GET /api/v2/teamspaces/{id}`. */
export type Access = z.infer<typeof accessSchema>;

type Context = Pick<AdminContext, "caller" | "formToken" | "now">;

/** All teamspaces, and a form for a new one. */
export function teamspacesView(
  teamspaces: readonly Teamspace[],
  { caller, formToken, now }: Context,
  { typed, problem }: FormState<{ readonly id?: string | undefined; readonly title?: string | undefined }>,
): Html {
  const rows = teamspaces.map(({ id, title, createdAt }) => [
    html`<div class="stack tight">
      <strong><bdi>${title}</bdi></strong
      ><code class="muted">${id}</code>
    </div>`,
    html`<span class="nowrap">${age(createdAt, now)}</span>`,
    html`<span class="actions"
      ><a href="${sectionPath("teamspaces", { id })}">Rules</a
      ><a href="${sectionPath("keys", { teamspace: id })}">Keys</a
      ><a href="${sectionPath("credentials", { teamspace: id })}">Credentials</a
      ><a href="${sectionPath("policies", { teamspace: id })}">Policy</a
      ><a href="${sectionPath("audit", { teamspace: id })}">Audit</a></span
    >`,
    id === defaultTeamspace
      ? html`<span class="muted small">always there</span>`
      : confirmed("/-/admin/teamspaces/delete", formToken, {
          label: "Delete",
          question: html`<bdi>${id}</bdi> is deleted once it has no library and no key that is not revoked.`,
          fields: { id },
        }),
  ]);
  const content = html`${table("Teamspaces", ["Teamspace", "Made", "Open", "Delete"], rows)}
    <details class="card new" ${typed === undefined ? nothing : html` open`}>
      <summary><h2>Make a teamspace</h2></summary>
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
          ${field("Title", "title", { value: typed?.title, maxLength: 100, hint: "What people call it. Empty: the ID." })}
        </div>
        <div class="actions"><button class="button primary">Make the teamspace</button></div>
      </form>
    </details>`;
  return administration(caller, "teamspaces", "Teamspaces", content, {
    problem,
    about: "Each has keys, credentials, private libraries, a policy and rules of its own.",
  });
}

/** The rules of a teamspace: for every answer, and for those of single libraries. */
export function rulesView(
  { id, rules }: Access,
  { caller, formToken }: Context,
  { typed, problem }: FormState<{ readonly library: string | undefined; readonly rules: string | undefined }>,
): Html {
  const start = hiddenFields(formToken, ["id", id]);
  const action = "/-/admin/teamspaces/rules";
  const ofAll = typed !== undefined && typed.library === undefined ? typed.rules : rules.global.join("\n");
  const rows = Object.entries(rules.libraries).map(([library, told]) => [
    html`<a href="${libraryPath(library)}"><bdi>${library}</bdi></a>`,
    html`<ul class="bare">
      ${told.map((one) => html`<li><bdi>${one}</bdi></li>`)}
    </ul>`,
    html`<form class="inline" method="post" action="${action}">
      ${start}<input type="hidden" name="library" value="${library}" /><button class="button danger">Remove</button>
    </form>`,
  ]);
  const list =
    rows.length === 0
      ? empty("No library has rules of its own")
      : table("Rules of libraries", ["Library", "Rules", "Remove"], rows);
  const content = html`<form class="card" method="post" action="${action}">
      ${start}
      ${lines("With every answer", "rules", { value: ofAll, hint: "One rule a line, 50 at most. Empty: none." })}
      <div class="actions"><button class="button primary">Save</button></div>
    </form>
    <section class="stack" aria-labelledby="libraries">
      <h2 id="libraries">With answers of one library</h2>
      ${list}
      <form class="card" method="post" action="${action}">
        ${start} ${field("Library", "library", { value: typed?.library, required: true, placeholder: "/acme/widgets" })}
        <div class="field">
          <label for="library-rules">Its rules</label
          ><textarea id="library-rules" name="rules" rows="3">
${typed?.library === undefined ? "" : (typed.rules ?? "")}</textarea
          ><span class="hint">One rule a line, in place of those that the library has. Empty: none.</span>
        </div>
        <div class="actions"><button class="button">Set the rules of the library</button></div>
      </form>
    </section>`;
  const back = may(caller, "teamspaces") ? html` <a href="${sectionPath("teamspaces")}">All teamspaces</a>` : nothing;
  return administration(caller, "teamspaces", `Rules of ${id}`, content, {
    problem,
    about: html`Rules for agents with a key of this teamspace.${back}`,
  });
}
