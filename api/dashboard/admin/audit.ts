import * as z from "zod";
import { auditActions, auditOutcomes } from "../../../domain/audit.ts";
import { textOf } from "../form-bodies.ts";
import { page, type Described } from "../page.ts";
import { adminContext, administration, sectionPath, type AdminContext } from "./administration.ts";
import type { auditRecordSchema } from "../../routes/audit.ts";
import { html, nothing, type Html, type Part } from "../html.ts";
import { choice, field } from "../views/fields.ts";
import { age, badge, empty, more, table, type Tone } from "../views/parts.ts";

type AuditRecord = z.infer<typeof auditRecordSchema>;

interface AuditPage {
  readonly records: readonly AuditRecord[];
  readonly next: string | null;
}

const outcomes: Readonly<Record<AuditRecord["outcome"], readonly [Tone, string]>> = {
  begun: ["busy", "Started"],
  done: ["good", "Done"],
  refused: ["warn", "Refused"],
  failed: ["bad", "Failed"],
};

function auditView(
  context: AdminContext,
  shown: {
    readonly list?: AuditPage;
    readonly filter: Readonly<Record<string, string | undefined>>;
    readonly problem?: string;
  },
): Html {
  const { list, filter, problem } = shown;
  const { cursor: _cursor, ...asked } = filter;
  const isFiltered = Object.values(asked).some((value) => value !== undefined);
  const records =
    list === undefined
      ? nothing
      : list.records.length === 0
        ? empty(
            isFiltered ? "No records match" : "No records yet",
            isFiltered ? html`<a href="/-/admin/audit">Clear filters</a>` : nothing,
          )
        : table(
            "Audit records",
            ["Time", "Action", "Target", "Outcome", "Key or user", "Address"],
            list.records.map((record) => rowOf(record, asked, context.now)),
          );
  const next = list?.next ?? null;
  const content = html`${filtersView(context, filter)} ${records}
  ${more(next === null ? null : sectionPath("audit", { ...asked, cursor: next }), "Older records")}`;
  return administration(context.caller, "audit", "Audit", content, {
    problem,
    about: "Administrative actions and submissions, both done and refused, newest first. Times are in UTC.",
  });
}

function filtersView({ choices }: AdminContext, filter: Readonly<Record<string, string | undefined>>): Html {
  const ofTeamspace =
    choices.length < 2
      ? nothing
      : choice("Teamspace", "teamspace", [["", "All"], ...choices.map((one) => [one, one] as const)], {
          value: filter["teamspace"],
        });
  return html`<form class="card" action="/-/admin/audit" role="search" aria-label="Filter">
    <div class="grid">
      ${choice("Action", "action", [["", "Any"], ...Object.entries(auditActions)], { value: filter["action"] })}
      ${field("Target", "target", { value: filter["target"], placeholder: "/acme/widgets" })}
      ${choice("Outcome", "outcome", [["", "Any"], ...auditOutcomes.map((one) => [one, outcomes[one][1]] as const)], {
        value: filter["outcome"],
      })}
      ${field("Key ID", "key", { value: filter["key"] })}
      ${field("From day", "since", { type: "date", value: filter["since"]?.slice(0, 10) })}
      ${field("To day", "until", { type: "date", value: filter["until"]?.slice(0, 10) })} ${ofTeamspace}
    </div>
    <div class="actions">
      <button class="button primary">Filter</button><a class="button quiet" href="/-/admin/audit">Clear filters</a>
    </div>
  </form>`;
}

function rowOf(
  { time, action, target, outcome, error, key, subject, teamspace, address, requestId }: AuditRecord,
  asked: Readonly<Record<string, string | undefined>>,
  now: number,
): readonly Part[] {
  const [tone, label] = outcomes[outcome];
  const only = (name: string, value: string, shown: Part): Html =>
    html`<a href="${sectionPath("audit", { ...asked, [name]: value })}">${shown}</a>`;
  return [
    age(time, now),
    only("action", action, html`<code>${action}</code>`),
    target === null ? nothing : only("target", target, html`<bdi>${target}</bdi>`),
    html`<div class="stack tight">
      <span>${badge(tone, label)}</span>${error === null ? nothing : html`<code class="muted">${error}</code>`}
    </div>`,
    html`<div class="stack tight">
      <span
        >${subject === null ? nothing : html`<bdi>${subject}</bdi> `}${
          key === null
            ? subject === null
              ? html`<span class="muted">unknown</span>`
              : nothing
            : only("key", key, html`<code>${key}</code>`)
        }</span
      >${teamspace === null ? nothing : html`<span class="muted small">${teamspace}</span>`}
    </div>`,
    html`<span title="${requestId === null ? "" : `Request ${requestId}`}">${address}</span>`,
  ];
}

const text = textOf(500);

const listed = 50;

/** The audit log, latest first. */
export const auditPage: Described = page({
  path: "/-/admin/audit",
  scope: "admin",
  parameters: z.object({
    key: text,
    action: text,
    target: text,
    outcome: text,
    since: text,
    until: text,
    teamspace: text,
    cursor: text,
  }),
  async show(visit) {
    const filter = visit.parameters;
    const { until } = filter;
    const query = {
      ...filter,
      // The day itself is included.
      until: until !== undefined && /^\d{4}-\d\d-\d\d$/.test(until) ? `${until}T23:59:59.999Z` : until,
      limit: String(listed),
    };
    const context = await adminContext(visit, undefined);
    const { body, failure, status } = await visit.call<AuditPage>("GET", "/v2/audit", { query });
    const main = auditView(context, { filter, ...(failure ? { problem: failure.message } : { list: body }) });
    return { title: "Audit", main, status: failure ? status : 200 };
  },
});
