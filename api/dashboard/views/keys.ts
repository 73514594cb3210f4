import * as z from "zod";

import type { keySchema } from "../../routes/keys.ts";
import { html, nothing } from "../html.ts";
import type { Html } from "../html.ts";
import { administration, confirmed, sectionPath, teamspaceChoice } from "./administration.ts";
import type { AdminContext, FormState } from "./administration.ts";
import { choice, field, lines } from "./fields.ts";
import { age, badge, empty, hiddenFields, moment, table } from "./parts.ts";

/** A key in the answer of `GET /api/v2/keys`. */
export type Key = z.infer<typeof keySchema>;

/** Fields of the form for a new key. */
export const newKeyFields = z.object({
  name: z.string().optional(),
  scopes: z.array(z.string()).default([]),
  libraries: z.string().optional(),
  user: z.string().optional(),
  groups: z.string().optional(),
  expires: z.string().optional(),
  teamspace: z.string().optional(),
});
type NewKey = z.infer<typeof newKeyFields>;

/** A key with its text. */
export type CreatedKey = Key & { readonly key: string };

/** The answer of `GET /api/v2/keys`. */
export interface Keys {
  readonly keys: readonly Key[];
}

/** What was done with the form: it was refused, or a key was made. */
export interface KeyForm extends FormState<NewKey> {
  readonly made?: CreatedKey;
}

/** The keys of a teamspace, valid ones first, below a newly created one. */
export function keysView({ keys }: Keys, context: AdminContext, { typed, problem, made }: KeyForm): Html {
  const { teamspace, choices, caller, formToken, now } = context;
  const sorted = keys.toSorted(
    (a, b) => Number(isOver(a, now)) - Number(isOver(b, now)) || b.createdAt.localeCompare(a.createdAt),
  );
  const list =
    keys.length === 0
      ? empty("No key yet", "Make one for each program, agent or person, so that each can be revoked alone.")
      : table(
          "Keys",
          ["Name", "May", "Libraries", "Made", "Expires", "Revoke"],
          sorted.map((key) => rowOf(key, context)),
        );
  const content = html`${made === undefined ? nothing : madeView(made)}
  ${teamspaceChoice("/-/admin/keys", choices, teamspace)} ${list}
  ${newKeyView({ scopes: ["read"], ...typed }, teamspace, formToken, typed !== undefined || keys.length === 0)}`;
  return administration(caller, "keys", "API keys", content, {
    problem,
    about: html`Of the teamspace <bdi>${teamspace}</bdi>. Programs and agents send them as
      <code>Authorization: Bearer …</code>`,
  });
}

function madeView({ key, name }: CreatedKey): Html {
  return html`<section class="card made" aria-labelledby="made" role="status">
    <h2 id="made">The key <bdi>${name}</bdi> was made</h2>
    <p>Copy it now: it is shown only this once.</p>
    <input class="secret" aria-label="The new key" value="${key}" readonly autofocus />
    <p><a class="button" href="/-/admin/keys">I have copied it</a></p>
  </section>`;
}

function rowOf(key: Key, { teamspace, formToken, now }: AdminContext) {
  const { id, name, hint, scopes, libraries, user, groups, createdAt, expiresAt, revokedAt } = key;
  const whose = [...(user === undefined ? [] : [user]), ...groups];
  const state = revokedAt !== null ? badge("plain", "Revoked") : isOver(key, now) ? badge("warn", "Expired") : nothing;
  const revoke = confirmed("/-/admin/keys/revoke", formToken, {
    label: "Revoke",
    question: html`Requests with <bdi>${name}</bdi> are refused from now on, and its sessions here end.`,
    fields: { id, name, teamspace },
  });
  return [
    html`<div class="stack tight">
      <span class="badges"
        ><strong><bdi>${name}</bdi></strong> ${state}</span
      ><code class="muted">${hint}…</code>${
        whose.length === 0 ? nothing : html`<span class="muted small">as <bdi>${whose.join(", ")}</bdi></span>`
      }
    </div>`,
    scopes.join(", "),
    libraries.length === 0
      ? html`<span class="muted">all</span>`
      : html`<div class="stack tight">${libraries.map((one) => html`<code>${one}</code>`)}</div>`,
    html`<span class="nowrap">${age(createdAt, now)}</span>`,
    revokedAt !== null
      ? html`<span class="muted">revoked ${moment(revokedAt)}</span>`
      : html`<span class="nowrap">${age(expiresAt, now)}</span>`,
    revokedAt === null ? revoke : nothing,
  ];
}

function newKeyView(typed: NewKey, teamspace: string, formToken: string, isOpen: boolean): Html {
  const scope = typed.scopes[0] ?? "read";
  return html`<details class="card new" ${isOpen ? html` open` : nothing}>
    <summary><h2>Make a key</h2></summary>
    <form class="stack" method="post" action="${sectionPath("keys")}">
      ${hiddenFields(formToken, ["teamspace", teamspace])}
      <div class="columns">
        ${field("Name", "name", { value: typed.name, required: true, maxLength: 100, placeholder: "ci" })}
        ${choice(
          "May",
          "scopes",
          [
            ["read", "read: search and answers"],
            ["submit", "submit: also add and refresh libraries"],
            ["admin", "admin: also administrate the teamspace"],
          ],
          { value: scope },
        )}
        ${field("Expires", "expires", { type: "date", value: typed.expires, hint: "At the end of that day, UTC. Empty: never." })}
      </div>
      <div class="columns">
        ${lines("Only these libraries", "libraries", {
          value: typed.libraries,
          placeholder: "/acme/*",
          hint: "Patterns, one a line; * stands for anything. Empty: all.",
        })}
        ${lines("Groups", "groups", {
          value: typed.groups,
          hint: "One a line: what access rules open to them is open to the key.",
        })}
        ${field("User", "user", { value: typed.user, hint: "Whom access rules take it for." })}
      </div>
      <div class="actions"><button class="button primary">Make the key</button></div>
    </form>
  </details>`;
}

function isOver({ expiresAt, revokedAt }: Key, now: number): boolean {
  return revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= now);
}
