import * as z from "zod";
import { sourceTypeFacts, sourceTypes as allTypes } from "../../../domain/kinds/index.ts";
import { fieldsOf } from "../form-bodies.ts";
import { form, page, type Described, type PageResult, type Visit } from "../page.ts";
import {
  sectionPath,
  adminContext,
  administration,
  teamspaceChoice,
  type FormState,
  type AdminContext,
} from "./administration.ts";
import { entriesOf, choice, field, lines, tick } from "../views/fields.ts";
import type { policySchema } from "../../routes/policies.ts";
import { html, nothing, type Html } from "../html.ts";
import { count, counted, hiddenFields } from "../views/parts.ts";

type Policy = z.infer<typeof policySchema>;

const text = z.string().optional();
const texts = z.array(z.string()).default([]);
const numbers = {
  minTrustScore: text,
  maxAgeDays: text,
  minStars: text,
  minBacklinks: text,
  minReferringDomains: text,
  minOrganicTraffic: text,
};

/** Fields of the form. Entries to remove are ticked, new ones typed. */
const policyFields = z.object({
  teamspace: text,
  tag: text,
  types: texts,
  mode: text,
  requireVerified: text,
  ...numbers,
  "add.blockedLibraries": text,
  "add.exceptedLibraries": text,
  "add.allowedLicenses": text,
  "add.allowedLibraries": text,
  "remove.blockedLibraries": texts,
  "remove.exceptedLibraries": texts,
  "remove.allowedLicenses": texts,
  "remove.allowedLibraries": texts,
});

type TypedPolicy = z.infer<typeof policyFields>;

type NumberName = keyof typeof numbers;
type ListName = "blockedLibraries" | "exceptedLibraries" | "allowedLicenses" | "allowedLibraries";

const listed = 200;

const modes = [
  ["", "No filter: every public library"],
  ["quality", "Quality: libraries that fulfil the numbers and lists below"],
  ["select", "Selection: only the libraries listed below"],
] as const;

/** The policy of a teamspace as a form. After a conflict it shows the input, with the saved values next to it. */
function policyView(
  policy: Policy | undefined,
  context: AdminContext,
  form: FormState<TypedPolicy> & { readonly tag?: string },
): Html {
  const { teamspace, choices, caller } = context;
  const about =
    policy === undefined
      ? html`The policy of the teamspace <bdi>${teamspace}</bdi>.`
      : html`The libraries that callers of the teamspace <bdi>${teamspace}</bdi> can read. At present:
          <strong>${counted(policy.accessibleLibraryCount, "public library", "public libraries")}</strong>. Changes take
          effect with the next request.`;
  const content = html`${teamspaceChoice("/-/admin/policies", choices, teamspace)}
  ${policy === undefined ? nothing : formView(policy, context, form)}`;
  return administration(caller, "policies", "Policy", content, { problem: form.problem, about });
}

function formView(
  { sourceTypes, libraryFilters }: Policy,
  { teamspace, formToken }: AdminContext,
  { typed, tag = "" }: Parameters<typeof policyView>[2],
): Html {
  const { quality, select } = libraryFilters;
  const saved: Readonly<Record<NumberName, number | null>> = {
    minTrustScore: quality.minTrustScore,
    maxAgeDays: quality.maxAgeDays,
    minStars: quality.repoFilters.minStars,
    ...quality.websiteFilters,
  };
  const number = (label: string, name: NumberName, hint: string): Html => {
    const now = saved[name] === null ? "" : String(saved[name]);
    const value = typed === undefined ? now : (typed[name] ?? "");
    const isOther = typed !== undefined && value !== now;
    return field(label, name, {
      value,
      hint: isOther ? html`${hint} <strong>Saved: ${now === "" ? "any" : now}.</strong>` : hint,
    });
  };
  const isOn = (type: string): boolean =>
    typed?.types.includes(type) ?? sourceTypes[type as keyof typeof sourceTypes].enabled;
  const types = allTypes.map((type) => {
    const { enabled } = sourceTypes[type];
    const other =
      isOn(type) === enabled ? nothing : html` <strong class="small">Saved: ${enabled ? "on" : "off"}.</strong>`;
    return tick(html`${sourceTypeFacts[type].label}${other}`, "types", { value: type, isTicked: isOn(type) });
  });
  const savedMode = libraryFilters.mode ?? "";
  const mode = typed === undefined ? savedMode : (typed.mode ?? "");
  const modeHint = mode === savedMode ? {} : { hint: `Saved: ${savedMode === "" ? "no filter" : savedMode}.` };
  const list = (label: string, name: ListName, entries: readonly string[], hint: string) =>
    listView({ label, name, entries, hint, typed });
  return html`<form class="stack policy" method="post" action="${sectionPath("policies")}">
    ${hiddenFields(formToken, ["teamspace", teamspace], ["tag", tag])}
    <fieldset class="card">
      <legend>Kinds of source</legend>
      <p class="muted small">Libraries of other kinds cannot be read, not even private ones.</p>
      <div class="grid">${types}</div>
    </fieldset>
    <fieldset class="card">
      <legend>Public libraries</legend>
      ${choice("Filter", "mode", modes, { value: mode, ...modeHint })}
    </fieldset>
    <fieldset class="card">
      <legend>Quality</legend>
      ${tick("Only verified libraries", "requireVerified", {
        isTicked: typed === undefined ? quality.requireVerified : typed.requireVerified !== undefined,
      })}
      <div class="grid">
        ${number("Trust score, at least", "minTrustScore", "0 to 10. Empty: any.")}
        ${number("Age in days, at most", "maxAgeDays", "Since the source was read. Empty: any.")}
        ${number("Stars, at least", "minStars", "Of repositories. Empty: any.")}
        ${number("Backlinks, at least", "minBacklinks", "Of websites. Empty: any.")}
        ${number("Referring domains, at least", "minReferringDomains", "Of websites. Empty: any.")}
        ${number("Monthly traffic, at least", "minOrganicTraffic", "Of websites. Empty: any.")}
      </div>
      <div class="columns">
        ${list("Licences", "allowedLicenses", quality.repoFilters.allowedLicenses, "SPDX identifiers, such as MIT. No entries: any licence.")}
        ${list("Always excluded", "blockedLibraries", quality.blockedLibraries, "/org/repo, /org, or a domain.")}
        ${list("Always allowed", "exceptedLibraries", quality.exceptedLibraries, "Even if other settings of the policy exclude them.")}
      </div>
    </fieldset>
    <fieldset class="card">
      <legend>Selection</legend>
      ${list("Allowed libraries", "allowedLibraries", select.allowedLibraries, "/org/repo, /org, or a domain. No other public libraries can be read.")}
    </fieldset>
    <div class="actions"><button class="button primary">Save the policy</button></div>
  </form>`;
}

/** A list: entries to tick for removal, and a field for new ones. */
function listView({
  label,
  name,
  entries,
  hint,
  typed,
}: {
  readonly label: string;
  readonly name: ListName;
  readonly entries: readonly string[];
  readonly hint: string;
  readonly typed: TypedPolicy | undefined;
}): Html {
  const removed = typed?.[`remove.${name}`] ?? [];
  const rest = entries.length - listed;
  const boxes = entries
    .slice(0, listed)
    .map((one) => tick(html`<code>${one}</code>`, `remove.${name}`, { value: one, isTicked: removed.includes(one) }));
  const shown =
    entries.length === 0
      ? html`<p class="muted small">No entries.</p>`
      : html`<div class="stack tight" role="group" aria-label="${label}: tick to remove">
          <span class="hint">Tick to remove</span>${boxes}${
            rest > 0 ? html`<span class="muted small">and ${count(rest)} more; the API lists all</span>` : nothing
          }
        </div>`;
  return html`<div class="stack">
    <p><strong>${label}</strong></p>
    ${shown}
    ${lines(`Add to: ${label.toLowerCase()}`, `add.${name}`, { value: typed?.[`add.${name}`], hint: `One per line. ${hint}` })}
  </div>`;
}

const path = "/-/admin/policies";
/** The policy of a teamspace as a form. */
export const policyPage: Described = page({
  path,
  scope: "admin",
  parameters: z.object({ teamspace: z.string().max(100).optional() }),
  show: (visit) => showPolicy(visit, visit.parameters.teamspace),
});

/** Changes the policy. If it was changed meanwhile, the page shows the conflict and keeps the input. */
export const policyForm: Described = form({
  path,
  scope: "admin",
  body: fieldsOf(policyFields, [
    "types",
    ...Object.keys(policyFields.shape).filter((name) => name.startsWith("remove.")),
  ]),
  async submit(visit, typed) {
    const { teamspace, tag } = typed;
    const before = await visit.ask<Policy>("/v2/policies", { teamspace });
    const asked = { query: { teamspace }, body: changeOf(typed, Object.keys(before.sourceTypes)), ifMatch: tag };
    const { body, failure, status } = await visit.call<Policy>("PATCH", "/v2/policies", asked);
    if (!failure) {
      const flash = `The policy was changed. ${counted(body.accessibleLibraryCount, "public library", "public libraries")} can be read.`;
      return { goTo: sectionPath("policies", { teamspace }), flash };
    }
    const problem =
      status === 412
        ? "Someone else changed the policy meanwhile. Your input is still here, with the saved values next to it. Save again to apply yours."
        : failure.message;
    return showPolicy(visit, teamspace, { typed, problem, status });
  },
});

async function showPolicy(
  visit: Visit,
  requested: string | undefined,
  form: FormState<TypedPolicy> = {},
): Promise<PageResult> {
  const context = await adminContext(visit, requested);
  const { body, etag, failure, status } = await visit.call<Policy>("GET", "/v2/policies", {
    query: { teamspace: requested },
  });
  const title = "Policy";
  if (failure) return { title, main: policyView(undefined, context, { problem: failure.message }), status };
  const main = policyView(body, context, { ...form, ...(etag !== undefined && { tag: etag }) });
  return { title, main, status: form.status ?? 200 };
}

/** A typed number; the API refuses invalid ones. */
function numberOf(typed: string | undefined): number | string | null {
  if (typed === undefined) return null;
  return /^\d{1,15}$/.test(typed.trim()) ? Number(typed) : typed;
}

function changeOf(typed: TypedPolicy, types: readonly string[]): object {
  const list = (name: ListName) => ({
    add: entriesOf(typed[`add.${name}`]),
    remove: typed[`remove.${name}`],
  });
  return {
    sourceTypes: {
      enable: types.filter((one) => typed.types.includes(one)),
      disable: types.filter((one) => !typed.types.includes(one)),
    },
    libraryFilters: {
      mode: typed.mode ?? null,
      quality: {
        requireVerified: typed.requireVerified !== undefined,
        minTrustScore: numberOf(typed.minTrustScore),
        maxAgeDays: numberOf(typed.maxAgeDays),
        blockedLibraries: list("blockedLibraries"),
        exceptedLibraries: list("exceptedLibraries"),
        repoFilters: { minStars: numberOf(typed.minStars), allowedLicenses: list("allowedLicenses") },
        websiteFilters: {
          minBacklinks: numberOf(typed.minBacklinks),
          minReferringDomains: numberOf(typed.minReferringDomains),
          minOrganicTraffic: numberOf(typed.minOrganicTraffic),
        },
      },
      select: { allowedLibraries: list("allowedLibraries") },
    },
  };
}
