import { html, nothing, type Html } from "../html.ts";
import type { Run, Status } from "../../answer-types.ts";
import { withQuery } from "../../request.ts";
import { age, badge, count, facts, notice, size } from "../views/parts.ts";
import * as z from "zod";
import { page, type Described } from "../page.ts";
import { serverSentEvent } from "../../routes/status.ts";

const phases: Readonly<Record<string, string>> = {
  queued: "Waiting",
  resolving: "Checking the source",
  collecting: "Reading pages",
  assessing: "Comparing with the live generation",
  loading: "Loading the index",
  publishing: "Publishing",
  announcing: "Updating the search for libraries",
  retiring: "Retiring old generations",
};

/** The display name of a phase. */
export function phaseName(phase: string): string {
  return phases[phase] ?? phase.replace(/^./, (first) => first.toUpperCase());
}

/** The progress of the open run, if any. With scripts it updates live. */
export function progressView(status: Status, id: string, now: number): Html {
  if (!status.openRun) return nothing;
  const live = withQuery("/-/live", { id });
  return html`<section class="card" aria-labelledby="progress" hx-ext="sse" sse-connect="${live}" sse-close="over">
    <div id="live" sse-swap="progress" aria-live="polite">${runView(status.openRun, now)}</div>
  </section>`;
}

/** An open run: phase, figures and problems. */
function runView(run: Run, now: number): Html {
  const {
    pagesKnown,
    pagesDone = 0,
    pagesFailed = 0,
    snippets,
    bytes,
    loaded,
    answers,
    waiting: silent,
  } = run.progress;
  const waiting = pagesKnown === undefined ? undefined : Math.max(0, pagesKnown - pagesDone);
  const bar =
    pagesKnown === undefined || pagesKnown === 0
      ? html`<progress aria-label="Pages read"></progress>`
      : html`<progress aria-label="Pages read" value="${pagesDone}" max="${pagesKnown}"></progress>`;
  return html`<div class="stack">
    <div class="between">
      <h2 id="progress">${phaseName(run.phase)}</h2>
      <span class="muted small"
        >requested ${age(run.createdAt, now)}${run.attempt > 1 ? html` · attempt ${run.attempt}` : nothing}</span
      >
    </div>
    ${run.startedAt === null ? nothing : bar}
    ${facts([
      ["Pages found", pagesKnown],
      ["Read", pagesKnown === undefined ? undefined : pagesDone],
      ["Waiting", waiting],
      ["Failed", pagesFailed === 0 ? undefined : badge("bad", count(pagesFailed))],
      ["Passages", snippets],
      ["Size", bytes === undefined ? undefined : size(bytes)],
      ["Loaded into the index", loaded],
      ["Last progress", run.progressAt === null ? undefined : age(run.progressAt, now)],
    ])}
    ${answersView(answers ?? {})}
    ${silent ? notice("warn", html`No response from ${silent.host}. The wait began ${age(silent.since, now)}. Request: ${silent.request}`) : nothing}
    ${run.failure ? notice("bad", html`<strong>Suspended.</strong> ${run.failure.message}`) : nothing}
    ${run.lastFailure && !run.failure ? notice("warn", html`The last attempt failed: ${run.lastFailure.message}`) : nothing}
  </div>`;
}

/** Number of responses of a website by HTTP status. */
function answersView(answers: Readonly<Record<string, number>>): Html {
  const all = Object.entries(answers);
  if (all.length === 0) return nothing;
  const tone = (status: string) => (/^[23]/.test(status) ? "good" : /^[45]|none/.test(status) ? "warn" : "plain");
  return html`<p class="row small">
    <span class="muted">Responses of the host:</span> ${all.map(([status, times]) =>
      badge(tone(status), `${status === "none" ? "no response" : status} × ${count(times)}`),
    )}
  </p>`;
}

/** The progress of an open run as events with markup, from the status stream of the API. */
export const livePage: Described = page({
  path: "/-/live",
  scope: "read",
  parameters: z.object({ id: z.string().max(500) }),
  isPolled: true,
  async show({ stream, request, dashboard, parameters: { id } }) {
    const isOver = async () => (await dashboard.sessions.withoutEnded(request)) !== request;
    return { events: progressEvents(await stream("/v2/libs/status/stream", { libraryId: id }), isOver) };
  },
});

async function* progressEvents(
  statuses: AsyncIterable<string>,
  isOver: () => Promise<boolean>,
): AsyncGenerator<string, void, undefined> {
  for await (const event of statuses) {
    if (await isOver()) return yield over;
    const [, name = "", data = ""] = /^event: (\w+)\ndata: (.*)\n\n$/s.exec(event) ?? [];
    if (name === "") yield event;
    else if (name !== "status") yield over;
    else {
      const { openRun } = JSON.parse(data) as Status;
      if (!openRun) return yield over;
      yield serverSentEvent("progress", runView(openRun, Date.now()).toString());
    }
  }
}

/** The last event: the browser closes the stream, and reloads the page (static/lectern.js). */
const over = serverSentEvent("over", "");
