import { html, nothing, type Html } from "../html.ts";
import type { Run, Status } from "../../answer-types.ts";
import { actLink } from "./acts.ts";
import { age, badge, empty, table, type Tone } from "../views/parts.ts";
import { phaseName, progressView } from "./progress.ts";
import type { LibraryTab } from "./tab.ts";

/** The latest runs, and actions on them. */
export const runsTab: LibraryTab = {
  name: "runs",
  label: "Runs",
  count: ({ runs }) => runs.length,
  show: async (_visit, status, id) => runsView(status, id, Date.now()),
};

const reasons: Readonly<Record<Run["reason"], string>> = {
  submit: "Submitted",
  refresh: "Refresh requested",
  version: "Version requested",
  publish: "Held generation published",
  import: "Import",
  push: "Changed at its host",
  sweep: "Scheduled refresh",
};

const outcomes: Readonly<Record<string, readonly [Tone, string]>> = {
  published: ["good", "Published"],
  unchanged: ["plain", "No changes"],
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
        ? empty("No runs yet")
        : table(
            "Runs",
            ["Reason", "Outcome", "Requested", "Duration", "Attempts", "Pages"],
            runs.map((run) => rowOf(run, now)),
          )
    }`;
}

function rowOf(run: Run, now: number) {
  const { reason, createdAt, startedAt, closedAt, attempt, progress } = run;
  return [
    html`<span class="nowrap">${reasons[reason]}</span>`,
    outcomeView(run),
    age(createdAt, now),
    html`<span class="nowrap">${tookOf(startedAt, closedAt, now)}</span>`,
    attempt,
    progress.pagesDone,
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

/** The duration of a run, up to now if it is open. */
function tookOf(from: string | null, to: string | null, now: number): Html {
  if (from === null) return html`<span class="muted">${to === null ? "waiting" : "not started"}</span>`;
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
