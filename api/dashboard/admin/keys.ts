import * as z from "zod";
import { fieldsOf } from "../form-bodies.ts";
import { form, page, type Described, type PageResult, type Visit } from "../page.ts";
import {
  sectionPath,
  adminContext,
  administration,
  confirmed,
  endOfDay,
  teamspaceChoice,
  type AdminContext,
  type FormState,
} from "./administration.ts";
import { entriesOf, choice, field, lines } from "../views/fields.ts";
import type { keySchema } from "../../routes/keys.ts";
import { html, nothing, type Html } from "../html.ts";
import { age, badge, empty, hiddenFields, moment, table } from "../views/parts.ts";

/** A key in the answer of `GET /api/v2/keys`. */
export type Key = z.infer<typeof keySchema>;

const newKeyFields = z.object({
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
type CreatedKey = Key & { readonly key: string };

interface Keys {
  readonly keys: readonly Key[];
}

/** The state of the form: refused, or with the created key. */
interface KeyForm extends FormState<NewKey> {
  readonly made?: CreatedKey;
}

/** The keys of a teamspace, valid ones first, and a newly created one above them. */
function keysView({ keys }: Keys, context: AdminContext, { typed, problem, made }: KeyForm): Html {
  const { teamspace, choices, caller, formToken, now } = context;
  const sorted = keys.toSorted(
    (a, b) => Number(isOver(a, now)) - Number(isOver(b, now)) || b.createdAt.localeCompare(a.createdAt),
  );
  const list =
    keys.length === 0
      ? empty("No keys yet", "Create one for each program, agent or person, so that you can revoke each on its own.")
      : table(
          "Keys",
          ["Name", "Scopes", "Libraries", "Created", "Expires", "Revoke"],
          sorted.map((key) => rowOf(key, context)),
        );
  const content = html`${made === undefined ? nothing : madeView(made)}
  ${teamspaceChoice("/-/admin/keys", choices, teamspace)} ${list}
  ${newKeyView({ scopes: ["read"], ...typed }, teamspace, formToken, typed !== undefined || keys.length === 0)}`;
  return administration(caller, "keys", "API keys", content, {
    problem,
    about: html`Keys of the teamspace <bdi>${teamspace}</bdi>. Programs and agents send them as
      <code>Authorization: Bearer …</code>`,
  });
}

function madeView({ key, name }: CreatedKey): Html {
  return html`<section class="card made" aria-labelledby="made" role="status">
    <h2 id="made">The key <bdi>${name}</bdi> was created</h2>
    <p>Copy it now: it is not shown again.</p>
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
    question: html`Revoke <bdi>${name}</bdi>? Its requests are refused from then on, and it is signed out here.`,
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
    age(createdAt, now),
    revokedAt !== null ? html`<span class="muted">revoked ${moment(revokedAt)}</span>` : age(expiresAt, now),
    revokedAt === null ? revoke : nothing,
  ];
}

function newKeyView(typed: NewKey, teamspace: string, formToken: string, isOpen: boolean): Html {
  const scope = typed.scopes[0] ?? "read";
  return html`<details class="card new" ${isOpen ? html` open` : nothing}>
    <summary><h2>Create a key</h2></summary>
    <form class="stack" method="post" action="${sectionPath("keys")}">
      ${hiddenFields(formToken, ["teamspace", teamspace])}
      <div class="columns">
        ${field("Name", "name", { value: typed.name, required: true, maxLength: 100, placeholder: "ci" })}
        ${choice(
          "Scope",
          "scopes",
          [
            ["read", "read: search and ask"],
            ["submit", "submit: also add and refresh libraries"],
            ["admin", "admin: also administer the teamspace"],
          ],
          { value: scope },
        )}
        ${field("Expires", "expires", { type: "date", value: typed.expires, hint: "At the end of that day in UTC. Empty: never." })}
      </div>
      <div class="columns">
        ${lines("Only these libraries", "libraries", {
          value: typed.libraries,
          placeholder: "/acme/*",
          hint: "Patterns, one per line; * matches anything. Empty: all libraries.",
        })}
        ${lines("Groups", "groups", {
          value: typed.groups,
          hint: "One per line. The key gets the access that access rules give these groups.",
        })}
        ${field("User", "user", { value: typed.user, hint: "The key gets the access that access rules give this user." })}
      </div>
      <div class="actions"><button class="button primary">Create the key</button></div>
    </form>
  </details>`;
}

function isOver({ expiresAt, revokedAt }: Key, now: number): boolean {
  return revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= now);
}

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
      expiresAt: endOfDay(expires),
    };
    const { body: made, failure, status } = await visit.call<CreatedKey>("POST", "/v2/keys", { body });
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
    const { failure, status } = await visit.call("DELETE", "/v2/keys", { query: { id } });
    if (failure) return showKeys(visit, teamspace, { problem: failure.message, status });
    return { goTo: sectionPath("keys", { teamspace }), flash: `The key ${name} was revoked.` };
  },
});

async function showKeys(visit: Visit, teamspace: string | undefined, form: KeyForm = {}): Promise<PageResult> {
  const [keys, context] = await Promise.all([
    visit.ask<Keys>("/v2/keys", { teamspace }),
    adminContext(visit, teamspace),
  ]);
  return { title: "Keys", main: keysView(keys, context, form), status: form.status ?? 200 };
}
