import { ownTeamspace } from "../../routes/teamspaces.ts";
import type { Caller } from "../../../domain/access.ts";
import { may } from "../../../domain/authorizing.ts";
import { html, nothing, type Html, type Part } from "../html.ts";
import { withQuery, type Query } from "../../request.ts";
import { optionViews } from "../views/fields.ts";
import { currentPage, hiddenFields, notice } from "../views/parts.ts";
import type { Visit } from "../page.ts";

/** The sections, and who sees each; the API checks each request. */
const sections = [
  ["keys", "Keys", (caller, teamspace) => may(caller, "keys", { teamspace, libraries: caller.libraries })],
  ["credentials", "Credentials", (caller, teamspace) => may(caller, "credentials", { teamspace })],
  ["manifests", "Manifests", (caller, teamspace) => may(caller, "manifests", { teamspace })],
  ["receivers", "Receivers", (caller, teamspace) => may(caller, "receivers", { teamspace })],
  ["teamspaces", "Teamspaces", (caller, teamspace) => may(caller, "policies", { teamspace })],
  ["policies", "Policy", (caller, teamspace) => may(caller, "policies", { teamspace })],
  ["audit", "Audit", (caller, teamspace) => may(caller, "audit", { teamspace })],
  ["system", "System", (caller) => may(caller, "scrape")],
] as const satisfies readonly (readonly [string, string, (caller: Caller, teamspace: string) => boolean])[];

/** Context of the pages of the administration. */
export interface AdminContext {
  readonly caller: Caller;
  readonly formToken: string;
  readonly now: number;
  /** The shown teamspace, and those that the caller can choose. */
  readonly teamspace: string;
  readonly choices: readonly string[];
}

/** The state of a form. A refused one has its values, the error message and the status of the page; an unsent one is empty. */
export interface FormState<Typed> {
  readonly typed?: Typed;
  readonly problem?: string;
  readonly status?: number;
}

/** Path segments of the sections. */
export type Section = (typeof sections)[number][0];

/** A page of the administration: navigation, heading, error and content. */
export function administration(
  caller: Caller,
  current: Section,
  heading: string,
  content: Part,
  { problem, about }: { readonly problem?: string | undefined; readonly about?: Part } = {},
): Html {
  const own = ownTeamspace(caller);
  const links = sections
    .filter(([, , isFor]) => isFor(caller, own))
    .map(([path, label]) => html`<a href="/-/admin/${path}" ${currentPage(path === current)}>${label}</a>`);
  return html`<nav class="tabs" aria-label="Administration">${links}</nav>
    <div class="head">
      <h1>${heading}</h1>
      ${about === undefined ? nothing : html`<p class="muted">${about}</p>`}
    </div>
    ${problem === undefined ? nothing : notice("bad", problem)} ${content}`;
}

/** A selection of the teamspace, for callers with several. */
export function teamspaceChoice(path: string, teamspaces: readonly string[], current: string): Html {
  if (teamspaces.length < 2) return nothing;
  return html`<form class="row" action="${path}" data-submit-on-change>
    <label for="teamspace">Teamspace</label
    ><select id="teamspace" name="teamspace">
      ${optionViews(
        teamspaces.map((one) => [one, one]),
        current,
      )}</select
    ><button class="button">Show</button>
  </form>`;
}

/** The path of a section with a query. */
export function sectionPath(section: Section, query: Query = {}): string {
  return withQuery(`/-/admin/${section}`, query);
}

/** A button with a confirmation, which works without scripts. */
export function confirmed(
  path: string,
  formToken: string,
  {
    label,
    question,
    fields,
  }: { readonly label: string; readonly question: Part; readonly fields: Readonly<Record<string, string>> },
): Html {
  return html`<details class="confirm">
    <summary class="button danger">${label}…</summary>
    <form method="post" action="${path}">
      ${hiddenFields(formToken, ...Object.entries(fields))}
      <p>${question}</p>
      <button class="button danger">${label}</button>
    </form>
  </details>`;
}

/** The context of a page about a teamspace: the requested one, else the caller's own. */
export async function adminContext(
  { ask, caller, formToken }: Visit,
  requested: string | undefined,
): Promise<AdminContext> {
  const teamspace = requested ?? ownTeamspace(caller);
  const context = { caller, formToken, teamspace, now: Date.now() };
  if (!may(caller, "teamspaces")) return { ...context, choices: [teamspace] };
  const { teamspaces } = await ask<{ teamspaces: readonly { readonly id: string }[] }>("/v2/teamspaces");
  return { ...context, choices: teamspaces.map(({ id }) => id) };
}

/** The end of a day in UTC, from the value of a date field; undefined without one. */
export function endOfDay(day: string | undefined): string | undefined {
  return day === undefined ? undefined : `${day}T23:59:59Z`;
}
