import * as z from "zod";
import { Failure } from "../../../domain/failures.ts";
import { everyForm } from "../../forms/index.ts";
import type { credentialSchema, testSchema } from "../../routes/credentials.ts";
import { fieldsOf } from "../form-bodies.ts";
import { html, nothing, type Html, type Part } from "../html.ts";
import { form, page, type Described, type PageResult, type Visit } from "../page.ts";
import { fieldsOfSchema, fieldView, headersOf, type Field } from "../schema-fields.ts";
import { libraryPath } from "../views/addresses.ts";
import { field } from "../views/fields.ts";
import { age, badge, counted, currentPage, empty, hiddenFields, notice, table } from "../views/parts.ts";
import { kindName } from "../views/states.ts";
import {
  adminContext,
  administration,
  confirmed,
  endOfDay,
  sectionPath,
  teamspaceChoice,
  type AdminContext,
  type FormState,
} from "./administration.ts";

/** A credential in the answer of `GET /api/v2/credentials`. */
export type Credential = z.infer<typeof credentialSchema>;

type Tested = z.infer<typeof testSchema>;

/** A kind of source that takes credentials. */
interface CredentialKind {
  readonly kind: string;
  /** Its hosts serve several tenants, so credentials can name one. */
  readonly hasTenant: boolean;
  readonly fields: readonly Field[];
}

/** The state of the forms: the values of a refused one, or the result of a test. */
interface CredentialForms extends FormState<Readonly<Record<string, string | undefined>>> {
  readonly kind?: string | undefined;
  readonly tested?: Tested & { readonly id: string };
}

/** Credentials of a teamspace, each with a test, and a form for a new one. */
function credentialsView(
  credentials: readonly Credential[],
  kinds: readonly CredentialKind[],
  context: AdminContext,
  shown: CredentialForms,
): Html {
  const { teamspace, choices, caller, formToken } = context;
  const { tested, problem } = shown;
  const rows = credentials.map((one) => rowOf(one, context, tested?.id === one.id ? tested : undefined));
  const list =
    rows.length === 0
      ? empty("No shared credentials yet", "All private libraries of the teamspace can use a shared credential.")
      : table("Credentials", ["Credential", "Sent to", "Used by", "Created", "Test", "Delete"], rows);
  const chosen = kinds.find(({ kind }) => kind === shown.kind);
  const chips = kinds.map(
    ({ kind }) =>
      html`<a
        class="chip"
        href="${sectionPath("credentials", { teamspace, kind })}#new"
        ${currentPage(kind === chosen?.kind, "true")}
        >${kindName(kind)}</a
      >`,
  );
  const content = html`${teamspaceChoice("/-/admin/credentials", choices, teamspace)} ${list}
    <section class="card" id="new" aria-labelledby="new-head">
      <h2 id="new-head">Create a credential</h2>
      <nav class="row" aria-label="Kind of source">For ${chips}</nav>
      ${chosen === undefined ? nothing : newView(chosen, teamspace, formToken, shown.typed ?? {})}
    </section>`;
  return administration(caller, "credentials", "Credentials", content, {
    problem,
    about: html`Shared by the private libraries of the teamspace <bdi>${teamspace}</bdi>. They are stored encrypted,
      sent only to their host, and never shown.`,
  });
}

function rowOf(one: Credential, { teamspace, formToken, now }: AdminContext, tested?: Tested): readonly Part[] {
  const { id, name, kind, host, tenant, createdAt, expiresAt, warning, libraries, uses } = one;
  const hidden = uses - libraries.length;
  const test = html`<form class="stack tight" method="post" action="/-/admin/credentials/test">
    ${hiddenFields(formToken, ["id", id], ["teamspace", teamspace])}
    <span class="row nowrap"
      ><input
        name="address"
        aria-label="Address to test ${name} with"
        placeholder="${host.includes("://") ? "" : "https://"}${host}/…"
      /><button class="button">Test</button></span
    >${tested === undefined ? nothing : notice(tested.ok ? "good" : "bad", tested.message)}
  </form>`;
  return [
    html`<div class="stack tight">
      <strong><bdi>${name}</bdi></strong
      ><span class="muted small">${kindName(kind)}</span>${
        warning === undefined
          ? nothing
          : html`<span class="small">${badge("warn", "Check it")} <bdi>${warning}</bdi></span>`
      }
    </div>`,
    html`<div class="stack tight">
      <code>${host}</code>${tenant === undefined ? nothing : html`<code class="muted">${tenant}</code>`}
    </div>`,
    uses === 0
      ? html`<span class="muted">nothing</span>`
      : html`<div class="stack tight">
          ${libraries.slice(0, 5).map((library) => html`<a href="${libraryPath(library)}"><bdi>${library}</bdi></a>`)}${
            libraries.length > 5 ? html`<span class="muted">and ${libraries.length - 5} more</span>` : nothing
          }${hidden > 0 ? html`<span class="muted">${counted(hidden, "library", "libraries")} that you cannot see</span>` : nothing}
        </div>`,
    html`<div class="stack tight">
      ${age(createdAt, now)}${expiresAt === undefined ? nothing : html`<span class="small">expires ${age(expiresAt, now)}</span>`}
    </div>`,
    test,
    confirmed("/-/admin/credentials/delete", formToken, {
      label: "Delete",
      question:
        uses === 0
          ? html`Delete <bdi>${name}</bdi>? No library uses it.`
          : html`${counted(uses, "library", "libraries")} cannot be refreshed without <bdi>${name}</bdi>.`,
      fields: { id, name, teamspace },
    }),
  ];
}

function newView(
  { kind, hasTenant, fields }: CredentialKind,
  teamspace: string,
  formToken: string,
  typed: Readonly<Record<string, string | undefined>>,
): Html {
  return html`<form class="stack" method="post" action="${sectionPath("credentials")}" autocomplete="off">
    ${hiddenFields(formToken, ["kind", kind], ["teamspace", teamspace])}
    <div class="columns">
      ${field("Name", "name", { value: typed["name"], required: true, maxLength: 100 })}
      ${field("Host", "host", {
        value: typed["host"],
        required: true,
        placeholder: hostExamples[kind] ?? "docs.example.com",
        hint: "A host name or an address on it. The credential is sent only to this host.",
      })}
      ${field("Expires", "expires", { type: "date", value: typed["expires"], hint: "When its token does; you are warned before. Empty: unknown." })}
      ${hasTenant ? field("Workspace", "tenant", { value: typed["tenant"], hint: "The workspace on that host." }) : nothing}
      ${fields.map((one) => {
        // A secret by its type or name; a false match only hides the input.
        const secret = one.secret || one.type === "headers" || /token|secret|password/i.test(one.name);
        return fieldView({ ...one, secret }, `data.${one.name}`, typed[`data.${one.name}`]);
      })}
    </div>
    <div class="actions"><button class="button primary">Create the credential</button></div>
  </form>`;
}

const path = "/-/admin/credentials";
const hostExamples: Readonly<Record<string, string>> = {
  git: "git.example.com",
  confluence: "acme.atlassian.net",
  notion: "api.notion.com",
};
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
  body: fieldsOf(
    z.object({ kind: text, name: text, host: text, tenant: text, expires: text, teamspace: text }).catchall(z.string()),
  ),
  async submit(visit, typed) {
    const { kind = "", name = "", host = "", tenant, expires, teamspace } = typed;
    const data = dataOf(kind, typed);
    if (typeof data === "string") return showCredentials(visit, teamspace, { kind, typed, problem: data, status: 400 });
    const body = { kind, name, host, tenant, expiresAt: endOfDay(expires), teamspace, data };
    const { body: made, failure, status } = await visit.call<Credential>("POST", "/v2/credentials", { body });
    if (failure) return showCredentials(visit, teamspace, { kind, typed, problem: failure.message, status });
    const flash = `The credential ${made.name} was created. It is sent only to ${made.host}.`;
    return { goTo: sectionPath("credentials", { teamspace }), flash };
  },
});

/** Tests a credential, and shows the result. */
export const testCredentialForm: Described = form({
  path: `${path}/test`,
  scope: "admin",
  body: fieldsOf(z.object({ id: z.string(), address: text, teamspace: text })),
  async submit(visit, { id, address, teamspace }) {
    const path = `/v2/credentials/${encodeURIComponent(id)}/test`;
    const { body, failure, status } = await visit.call<Tested>("POST", path, { body: { address } });
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
    const { failure, status } = await visit.call("DELETE", `/v2/credentials/${encodeURIComponent(id)}`);
    if (failure) return showCredentials(visit, teamspace, { problem: failure.message, status });
    return { goTo: sectionPath("credentials", { teamspace }), flash: `The credential ${name} was deleted.` };
  },
});

async function showCredentials(
  visit: Visit,
  teamspace: string | undefined,
  shown: CredentialForms,
): Promise<PageResult> {
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

/** The data of a credential from the values of its form, or the error of the form. */
function dataOf(kind: string, typed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | string {
  const fields = credentialKinds().find((one) => one.kind === kind)?.fields ?? [];
  try {
    return Object.fromEntries(
      fields.map(({ name, type }) => {
        const value = typed[`data.${name}`];
        return [name, type === "headers" && typeof value === "string" ? headersOf(value) : value];
      }),
    );
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}
