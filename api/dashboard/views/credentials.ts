import type * as z from "zod";

import type { credentialSchema, testSchema } from "../../routes/credentials.ts";
import type { Field } from "../schema-fields.ts";
import { html, nothing } from "../html.ts";
import type { Html, Part } from "../html.ts";
import { libraryPath } from "./addresses.ts";
import { administration, confirmed, sectionPath, teamspaceChoice } from "../admin/administration.ts";
import type { AdminContext, FormState } from "../admin/administration.ts";
import { choice, field, lines } from "./fields.ts";
import { age, badge, counted, currentPage, empty, hiddenFields, notice, table } from "./parts.ts";
import { kindName } from "./states.ts";

/** A credential in the answer of `GET /api/v2/credentials`. */
export type Credential = z.infer<typeof credentialSchema>;

/** The result of a test. */
export type Tested = z.infer<typeof testSchema>;

/** A kind of source that takes credentials. */
export interface CredentialKind {
  readonly kind: string;
  /** Its hosts serve several tenants, so credentials can name one. */
  readonly hasTenant: boolean;
  readonly fields: readonly Field[];
}

/** What was done with a form: the values of a refused one, or the result of a test. */
export interface CredentialForms extends FormState<Readonly<Record<string, string | undefined>>> {
  /** The kind of the new credential. */
  readonly kind?: string | undefined;
  readonly tested?: Tested & { readonly id: string };
}

/** Credentials of a teamspace, each with a test, and a form for a new one. */
export function credentialsView(
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
      ? empty("No shared credential yet", "One is used by all private libraries of the teamspace that need it.")
      : table("Credentials", ["Credential", "Sent to", "Used by", "Made", "Test", "Delete"], rows);
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
      <h2 id="new-head">Make a credential</h2>
      <nav class="row" aria-label="Kind of source">For ${chips}</nav>
      ${chosen === undefined ? nothing : newView(chosen, teamspace, formToken, shown.typed ?? {})}
    </section>`;
  return administration(caller, "credentials", "Credentials", content, {
    problem,
    about: html`Shared by private libraries of the teamspace <bdi>${teamspace}</bdi>. They are kept encrypted, sent to
      their host only, and never shown.`,
  });
}

function rowOf(one: Credential, { teamspace, formToken, now }: AdminContext, tested?: Tested): readonly Part[] {
  const { id, name, kind, host, tenant, createdAt, expiresAt, warning, libraries, uses } = one;
  const hidden = uses - libraries.length;
  const test = html`<form class="stack tight" method="post" action="/-/admin/credentials/test">
    ${hiddenFields(formToken, ["id", id], ["teamspace", teamspace])}
    <span class="row nowrap"
      ><input name="address" aria-label="Address to read with ${name}" placeholder="https://${host}/…" /><button
        class="button"
      >
        Test
      </button></span
    >${tested === undefined ? nothing : notice(tested.ok ? "good" : "bad", tested.message)}
  </form>`;
  return [
    html`<div class="stack tight">
      <strong><bdi>${name}</bdi></strong
      ><span class="muted small">${kindName(kind)}</span>${
        warning === undefined
          ? nothing
          : html`<span class="small">${badge("warn", "Look after it")} <bdi>${warning}</bdi></span>`
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
          }${hidden > 0 ? html`<span class="muted">${counted(hidden, "library", "libraries")} that you may not see</span>` : nothing}
        </div>`,
    html`<div class="stack tight nowrap">
      ${age(createdAt, now)}${expiresAt === undefined ? nothing : html`<span class="small">ends ${age(expiresAt, now)}</span>`}
    </div>`,
    test,
    confirmed("/-/admin/credentials/delete", formToken, {
      label: "Delete",
      question:
        uses === 0
          ? html`<bdi>${name}</bdi> is forgotten.`
          : html`${counted(uses, "library", "libraries")} can be read no more without <bdi>${name}</bdi>.`,
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
        placeholder: "git.example.com",
        hint: "The only host that it is sent to, or an address on it.",
      })}
      ${hasTenant ? field("Workspace", "tenant", { value: typed["tenant"], hint: "Whose part of the host it is for." }) : nothing}
      ${fields.map((one) => dataView(one, typed[`data.${one.name}`]))}
    </div>
    <div class="actions"><button class="button primary">Make the credential</button></div>
  </form>`;
}

function dataView({ name, label, help, type, required, choices }: Field, value: string | undefined): Html {
  const id = `data.${name}`;
  if (type === "headers") return lines(label, id, { hint: `${help} One a line, such as Authorization: Bearer …` });
  if (type === "choice")
    return choice(
      label,
      id,
      choices.map((one) => [one, one]),
      { value, hint: help },
    );
  // A secret by its name; a false match only hides the input.
  const isSecret = /token|secret|password/i.test(name);
  return field(label, id, {
    value,
    hint: help,
    type: isSecret ? "password" : type === "date" ? "date" : "text",
    required,
  });
}
