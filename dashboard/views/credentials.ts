import type { Caller } from "../../domain/access.ts";
import { html, nothing } from "../html.ts";
import type { Html, Part } from "../html.ts";
import { libraryPath } from "./addresses.ts";
import { administration, confirmed, sectionPath, teamspaceChoice } from "./administration.ts";
import { choice, field, lines } from "./fields.ts";
import { age, badge, counted, empty, notice, table, tokenField } from "./parts.ts";
import { kindName } from "./states.ts";

/** A credential in the answer of `GET /api/v2/credentials`. */
export interface Credential {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly host: string;
  readonly tenant?: string;
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly warning?: string;
  readonly libraries: readonly string[];
  readonly uses: number;
}

/** The result of a test. */
export interface Tested {
  readonly ok: boolean;
  readonly message: string;
}

/** A field of the data of a credential. */
export interface DataField {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly isDate: boolean;
  /** Lines of name and value, all of it secret. */
  readonly isMap: boolean;
  readonly values?: readonly string[];
}

/** A kind of source that takes credentials. */
export interface CredentialKind {
  readonly kind: string;
  /** Its hosts serve several tenants, so credentials can name one. */
  readonly hasTenant: boolean;
  readonly fields: readonly DataField[];
}

/** Credentials of a teamspace, each with a test, and a form for a new one. */
export function credentialsView(shown: {
  readonly credentials: readonly Credential[];
  readonly kinds: readonly CredentialKind[];
  readonly teamspace: string;
  readonly choices: readonly string[];
  readonly caller: Caller;
  readonly formToken: string;
  readonly now: number;
  readonly kind?: string | undefined;
  readonly typed?: Readonly<Record<string, string>>;
  readonly problem?: string;
  readonly tested?: Tested & { readonly id: string };
}): Html {
  const { credentials, kinds, teamspace, choices, caller, formToken, now, tested, problem } = shown;
  const rows = credentials.map((one) =>
    rowOf(one, { teamspace, formToken, now, ...(tested?.id === one.id && { tested }) }),
  );
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
        ${kind === chosen?.kind ? html` aria-current="true"` : nothing}
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

function rowOf(
  one: Credential,
  {
    teamspace,
    formToken,
    now,
    tested,
  }: { readonly teamspace: string; readonly formToken: string; readonly now: number; readonly tested?: Tested },
): readonly Part[] {
  const { id, name, kind, host, tenant, createdAt, expiresAt, warning, libraries, uses } = one;
  const hidden = uses - libraries.length;
  const test = html`<form class="stack tight" method="post" action="/-/admin/credentials/test">
    ${tokenField(formToken)}<input type="hidden" name="id" value="${id}" /><input
      type="hidden"
      name="teamspace"
      value="${teamspace}"
    />
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
  typed: Readonly<Record<string, string>>,
): Html {
  return html`<form class="stack" method="post" action="${sectionPath("credentials")}" autocomplete="off">
    ${tokenField(formToken)}<input type="hidden" name="kind" value="${kind}" /><input
      type="hidden"
      name="teamspace"
      value="${teamspace}"
    />
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

function dataView(
  { name, description, isRequired, isSecret, isDate, isMap, values }: DataField,
  value: string | undefined,
): Html {
  const label =
    name.charAt(0).toUpperCase() + name.slice(1).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const hint = description.replaceAll("`", "");
  const id = `data.${name}`;
  if (isMap) return lines(label, id, { hint: `${hint} One a line, such as Authorization: Bearer …` });
  if (values)
    return choice(
      label,
      id,
      values.map((one) => [one, one] as const),
      { value, hint },
    );
  return field(label, id, {
    value,
    hint,
    type: isSecret ? "password" : isDate ? "date" : "text",
    required: isRequired,
  });
}
