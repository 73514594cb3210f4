import { html, nothing } from "../html.ts";
import type { Html } from "../html.ts";
import type { Status } from "../../answer-types.ts";
import { libraryPath } from "../views/addresses.ts";
import { age, badge, count, facts, notice, size } from "../views/parts.ts";
import { troubleWords } from "../views/states.ts";
import { progressView } from "./progress.ts";
import type { LibraryTab } from "./tab.ts";

/** The overview of a library: live generation, problems and trust. */
export const overviewTab: LibraryTab = {
  name: "overview",
  label: "Overview",
  show: async (_visit, status, id) => overviewView(status, id, Date.now()),
};

/** The overview of a library. */
function overviewView(status: Status, id: string, now: number): Html {
  return html`${progressView(status, id, now)} ${troubleNotices(status, id, now)} ${askView(status, id)}
    <div class="columns">
      <section class="card" aria-labelledby="served">
        <h2 id="served">What is served</h2>
        ${liveView(status, now)}
      </section>
      ${trustView(status.trust, now)}
    </div>
    ${versionsView(status)} ${listView("Notes", status.notes, "What of the library is left out, and why.")}
    ${listView("Rules for its readers", status.rules, "Said with every answer.")}`;
}

/** Important notices. */
function troubleNotices(status: Status, id: string, now: number): readonly Html[] {
  const { live, held, openRun, runs, retryAt } = status;
  const last = runs.find(({ state }) => state === "closed");
  const heldBack =
    held &&
    html`A refresh of ${count(held.counts.pages)} pages is held back. Readers see what was live before.
      <a href="${libraryPath(id, { tab: "held" })}">Look at it</a>`;
  const failed =
    !openRun && last?.outcome === "failed"
      ? html`<strong>The last run failed.</strong> ${last.failure?.message}
          ${retryAt === null ? "" : html`It is tried again by itself ${age(retryAt, now)}.`}
          ${live ? "Readers see what was live before." : ""}`
      : null;
  const quarantined = live && live.counts.quarantined > 0;
  return [
    failed && notice("bad", failed),
    live?.unindexedSince && notice("bad", troubleWords.unindexed[2]),
    live?.damage && notice("bad", html`<strong>What is served is damaged.</strong> ${live.damage}`),
    heldBack && notice("warn", heldBack),
    quarantined &&
      notice(
        "warn",
        html`In quarantine, as they look like orders to agents: ${count(live.counts.quarantined)} of the passages.
          <a href="${libraryPath(id, { tab: "quarantine" })}">Look at them</a>`,
      ),
    status.redirectUrl &&
      notice(
        "plain",
        html`Readers are sent to <a href="${libraryPath(status.redirectUrl)}">${status.redirectUrl}</a>.`,
      ),
    status.pendingRename &&
      notice(
        "warn",
        html`The source was renamed to <code>${status.pendingRename.libraryId}</code>, which waits for an administrator:
          ${status.pendingRename.reason}`,
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
    return html`<p class="muted">Nothing can be read yet.</p>
      ${facts([["Submitted", age(createdAt, now)]])}`;
  const { counts } = live;
  return facts([
    ["Pages", count(counts.pages)],
    ["Skipped", counts.pagesSkipped === 0 ? undefined : count(counts.pagesSkipped)],
    ["Failed", counts.pagesFailed === 0 ? undefined : badge("bad", count(counts.pagesFailed))],
    ["Passages", counts.passages === undefined ? undefined : count(counts.passages)],
    ["Examples of code", count(counts.code)],
    ["Tokens", count(counts.tokens)],
    ["Read", size(counts.bytes)],
    ["Left out as duplicates", counts.duplicates === 0 ? undefined : count(counts.duplicates)],
    ["Revision", html`<code>${live.ref === null ? "" : `${live.ref} `}${live.revision.slice(0, 12)}</code>`],
    ["Made", age(live.createdAt, now)],
    ["Source checked", age(checkedAt, now)],
    [
      "Next refresh",
      refreshAt === null ? html`<span class="muted">none, as it is not read</span>` : age(refreshAt, now),
    ],
    ["Schedule", schedule === null ? "by use" : schedule === "never" ? "never" : `every ${schedule} days`],
    ["Submitted", age(createdAt, now)],
  ]);
}

function trustView(
  { score, isSet, verified, factors, caps, stars, problem, checkedAt }: Status["trust"],
  now: number,
): Html {
  const given =
    score === null ? html`<span class="muted">not known</span>` : html`<strong class="score">${score}</strong> of 10`;
  return html`<section class="card" aria-labelledby="trust">
    <div class="between">
      <h2 id="trust">Trust</h2>
      <span
        >${given}${isSet ? html` ${badge("plain", "Set by an administrator")}` : nothing}${verified ? html` ${badge("good", "Verified")}` : nothing}</span
      >
    </div>
    ${
      factors.length === 0
        ? html`<p class="muted">What the score would follow from is not known.</p>`
        : html`<ul class="factors">
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
          </ul>`
    }
    ${caps.map((cap) => html`<p class="small">${cap}</p>`)} ${problem === null ? nothing : notice("warn", problem)}
    ${facts([
      ["Stars", stars === null ? undefined : count(stars)],
      ["Looked up", checkedAt === null ? undefined : age(checkedAt, now)],
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
      : html`<p class="muted small">${count(refsLeftOut)} more branches and tags cannot be asked for.</p>`;
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
