import { html, nothing } from "../html.ts";
import type { Html } from "../html.ts";
import type { Run, Status } from "../../answer-types.ts";
import { actLink } from "./acts.ts";
import { age, badge, count, empty, table } from "../views/parts.ts";
import type { Tone } from "../views/parts.ts";
import { phaseName, progressView } from "./progress.ts";
import type { LibraryTab } from "./tab.ts";

/** The latest runs, and acts on the open one. */
export const runsTab: LibraryTab = {
  name: "runs",
  label: "Runs",
  count: ({ runs }) => runs.length,
  show: async (_visit, status, id) => runsView(status, id, Date.now()),
};

const reasons: Readonly<Record<Run["reason"], string>> = {
  submit: "Was submitted",
  refresh: "Refresh was asked for",
  version: "Version was asked for",
  publish: "Publish of what was held",
  import: "Import",
  sweep: "Refresh was due",
};

const outcomes: Readonly<Record<string, readonly [Tone, string]>> = {
  published: ["good", "Published"],
  unchanged: ["plain", "Nothing new"],
  held: ["warn", "Held"],
  superseded: ["plain", "Superseded"],
  failed: ["bad", "Failed"],
  cancelled: ["plain", "Cancelled"],
};

/** The runs of a library. */
export function runsView(status: Status, id: string, now: number): Html {
  const { runs, openRun, live } = status;
  const buttons = [
    openRun === null || openRun.failure !== null ? actLink("refresh", id, status) : nothing,
    openRun === null ? nothing : actLink("cancel", id, status),
    live === null ? nothing : actLink("rollback", id, status),
  ];
  return html`<div class="actions">${buttons}</div>
    ${progressView(status, id, now)}
    ${
      runs.length === 0
        ? empty("No run yet")
        : table(
            "Runs",
            ["Why", "Outcome", "Asked for", "Took", "Attempt", "Pages"],
            runs.map((run) => rowOf(run, now)),
          )
    }`;
}

function rowOf(run: Run, now: number) {
  const { reason, createdAt, startedAt, closedAt, attempt, progress } = run;
  return [
    html`<span>${reasons[reason]}</span>`,
    outcomeView(run),
    html`<span class="nowrap">${age(createdAt, now)}</span>`,
    html`<span class="nowrap">${tookOf(startedAt, closedAt, now)}</span>`,
    count(attempt),
    progress.pagesDone === undefined ? "" : count(progress.pagesDone),
  ];
}

function outcomeView({ state, outcome, phase, failure, lastFailure }: Run): Html {
  const [tone, label] =
    state === "open"
      ? failure
        ? (["warn", "Suspended"] as const)
        : (["busy", phaseName(phase)] as const)
      : (outcomes[outcome ?? ""] ?? (["plain", outcome ?? "Closed"] as const));
  const why = failure ?? (state === "open" ? lastFailure : null);
  return html`<div class="stack tight">
    <span>${badge(tone, label)}</span>${
      why === null
        ? nothing
        : html`<span class="small"><bdi>${why.message}</bdi> <code class="muted">${why.error}</code></span>`
    }
  </div>`;
}

/** Duration of a run so far. */
function tookOf(from: string | null, to: string | null, now: number): Html {
  if (from === null) return html`<span class="muted">${to === null ? "waits" : "did not begin"}</span>`;
  const seconds = Math.max(0, ((to === null ? now : Date.parse(to)) - Date.parse(from)) / 1000);
  const shown =
    seconds < 10
      ? `${seconds.toFixed(1)} s`
      : seconds < 120
        ? `${Math.round(seconds)} s`
        : seconds < 7200
          ? `${Math.round(seconds / 60)} min`
          : `${Math.round(seconds / 3600)} h`;
  return html`<span title="${from}">${shown}</span>`;
}
