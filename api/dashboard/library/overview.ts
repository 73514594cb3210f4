import { html, nothing, type Html } from "../html.ts";
import type { Status } from "../../answer-types.ts";
import { libraryPath } from "../views/addresses.ts";
import { withQuery } from "../../request.ts";
import { age, badge, count, counted, facts, hiddenFields, notice, size } from "../views/parts.ts";
import { troubleLabels } from "../views/states.ts";
import { progressView } from "./progress.ts";
import type { LibraryTab } from "./tab.ts";

/** The overview of a library: progress, problems, live generation, trust and versions. */
export const overviewTab: LibraryTab = {
  name: "overview",
  label: "Overview",
  show: async ({ formToken }, status, id) => overviewView(status, id, formToken, Date.now()),
};

function overviewView(status: Status, id: string, formToken: string, now: number): Html {
  const { live, trust } = status;
  const isTrustKnown = trust.factors.length > 0 || trust.score !== null;
  return html`${progressView(status, id, now)} ${failedView(status, id, formToken, now)} ${troubleNotices(status, id)}
  ${askView(status, id)}
  ${
    live || isTrustKnown
      ? html`<div class="columns">
          <section class="card" aria-labelledby="served">
            <h2 id="served">Content</h2>
            ${liveView(status, now)}
          </section>
          ${isTrustKnown ? trustView(trust, now) : nothing}
        </div>`
      : nothing
  }
  ${
    live && !isTrustKnown
      ? html`<p class="muted small">Trust score unknown: no license, stars or release date found.</p>`
      : nothing
  }
  ${versionsView(status)} ${listView("Notes", status.notes, "Content that is left out, and why.")}
  ${listView("Rules for agents", status.rules, "They go with every answer.")}`;
}

/** Why the last run failed, and what the visitor can do about it. */
function failedView(status: Status, id: string, formToken: string, now: number): Html {
  const { live, openRun, runs, retryAt, permitted, libraryId } = status;
  const last = runs.find(({ state }) => state === "closed");
  if (openRun || last?.outcome !== "failed") return nothing;
  const change = html`<a class="button" href="${libraryPath(id, { tab: "settings" })}">Change</a
    ><a class="button danger" href="${withQuery("/-/library/delete", { id: libraryId })}">Delete</a>`;
  return html`<section class="notice bad stack" role="alert">
    <p>
      <strong>${live ? "The last run failed." : "It could not be read."}</strong> <bdi>${last.failure?.message}</bdi>
      ${retryAt === null ? "" : html`The next attempt starts automatically ${age(retryAt, now)}.`}
      ${live ? "Answers still come from the live generation." : ""}
    </p>
    <form class="actions" method="post" action="/-/library/act">
      ${hiddenFields(formToken, ["id", id], ["do", "refresh"])}
      ${permitted.includes("refresh") ? html`<button class="button primary">Retry</button>` : nothing}
      ${permitted.includes("change") ? change : nothing}
    </form>
  </section>`;
}

/** Notices about problems and pending decisions. */
function troubleNotices(status: Status, id: string): readonly Html[] {
  const { live, held } = status;
  const heldBack =
    held &&
    html`The last refresh is held, as it would lose too much. Answers still come from the live generation.
      <a href="${libraryPath(id, { tab: "held" })}">Compare</a>`;
  const quarantined = live && live.counts.quarantined > 0;
  return [
    live?.unindexedSince && notice("bad", troubleLabels.unindexed[2]),
    live?.damage && notice("bad", html`<strong>The live generation is damaged.</strong> ${live.damage}`),
    heldBack && notice("warn", heldBack),
    quarantined &&
      notice(
        "warn",
        html`${live.counts.quarantined === 1 ? "1 passage is" : `${count(live.counts.quarantined)} passages are`}
          quarantined: possible prompt injection. <a href="${libraryPath(id, { tab: "quarantine" })}">Review</a>`,
      ),
    live?.counts.isPartial &&
      status.unread &&
      notice(
        "warn",
        html`<strong>Partly read.</strong> Not read: ${status.unread.formats}. <bdi>${status.unread.advice}</bdi>`,
      ),
    status.redirectUrl &&
      notice(
        "plain",
        html`This library redirects to <a href="${libraryPath(status.redirectUrl)}">${status.redirectUrl}</a>.`,
      ),
    status.pendingRename &&
      notice(
        "warn",
        html`The source was renamed. The new ID <code>${status.pendingRename.libraryId}</code> waits for an
          administrator: ${status.pendingRename.reason}`,
      ),
  ].flatMap((one) => (typeof one === "object" && one !== null ? [one] : []));
}

function askView({ live }: Status, id: string): Html {
  if (!live) return nothing;
  return html`<form class="row" action="/-/answer" role="search">
    <input type="hidden" name="library" value="${id}" /><label class="hidden" for="query">Ask this library</label
    ><input id="query" name="query" required maxlength="500" autocomplete="off" placeholder="Ask this library" /><button
      class="button primary"
    >
      Ask
    </button>
  </form>`;
}

function liveView(status: Status, now: number): Html {
  const { live, checkedAt, refreshAt, schedule, createdAt } = status;
  if (!live)
    return html`<p class="muted">There is no content yet.</p>
      ${facts([["Submitted", age(createdAt, now)]])}`;
  const { counts } = live;
  return facts([
    ["Pages", counts.pages],
    ["Skipped pages", counts.pagesSkipped || undefined],
    ["Failed pages", counts.pagesFailed === 0 ? undefined : badge("bad", count(counts.pagesFailed))],
    ["Passages", counts.passages],
    ["Code examples", counts.code],
    ["Tokens", counts.tokens],
    ["Size", size(counts.bytes)],
    ["Left out as duplicates", counts.duplicates || undefined],
    ["Revision", html`<code>${live.ref === null ? "" : `${live.ref} `}${live.revision.slice(0, 12)}</code>`],
    ["Content from", age(live.createdAt, now)],
    ["Source checked", age(checkedAt, now)],
    [
      "Next refresh",
      refreshAt === null
        ? html`<span class="muted">${schedule === "never" ? "never" : "paused until it is read"}</span>`
        : age(refreshAt, now),
    ],
    ["Schedule", schedule === null ? "by use" : schedule === "never" ? "never" : `every ${counted(schedule, "day")}`],
    ["Submitted", age(createdAt, now)],
  ]);
}

function trustView(
  { score, isSet, verified, factors, caps, stars, problem, checkedAt }: Status["trust"],
  now: number,
): Html {
  const given =
    score === null ? html`<span class="muted">unknown</span>` : html`<strong class="score">${score}</strong> of 10`;
  return html`<section class="card" aria-labelledby="trust">
    <div class="between">
      <h2 id="trust">Trust</h2>
      <span
        >${given}${isSet ? html` ${badge("plain", "Set by an administrator")}` : nothing}${verified ? html` ${badge("good", "Verified")}` : nothing}</span
      >
    </div>
    <ul class="stack factors">
      ${factors.map(
        ({ name, weight, value, reason }) =>
          html`<li>
            <meter min="0" max="1" value="${value}" aria-label="${name}"></meter
            ><span
              ><strong>${name}</strong> <span class="muted small">${Math.round(value * weight)} of ${weight}</span
              ><br />${reason}</span
            >
          </li>`,
      )}
    </ul>
    ${caps.map((cap) => html`<p class="small">${cap}</p>`)} ${problem === null ? nothing : notice("warn", problem)}
    ${facts([
      ["Stars", stars],
      ["Last checked", checkedAt === null ? undefined : age(checkedAt, now)],
    ])}
  </section>`;
}

function versionsView({ versions, version, libraryId, refsLeftOut }: Status): Html {
  if (versions.length === 0 && refsLeftOut === 0) return nothing;
  const all = ["", ...versions].map((name) => {
    const label = name === "" ? "default" : name;
    return name === version
      ? html`<li><span class="badge plain" aria-current="true">${label}</span></li>`
      : html`<li><a href="${libraryPath(name === "" ? libraryId : `${libraryId}@${name}`)}">${label}</a></li>`;
  });
  const left =
    refsLeftOut === 0
      ? nothing
      : html`<p class="muted small">
          The source has ${count(refsLeftOut)} more branches and tags, too many to offer as versions.
        </p>`;
  return html`<section class="card" aria-labelledby="versions">
    <h2 id="versions">Versions</h2>
    <ul class="versions">
      ${all}
    </ul>
    ${left}
  </section>`;
}

function listView(title: string, lines: readonly string[], hint: string): Html {
  if (lines.length === 0) return nothing;
  return html`<section class="card">
    <h2>${title}</h2>
    <p class="muted small">${hint}</p>
    <ul>
      ${lines.map((line) => html`<li><bdi>${line}</bdi></li>`)}
    </ul>
  </section>`;
}
