import { html, nothing, type Html } from "../html.ts";
import type { Changes, Status } from "../../answer-types.ts";
import { actLink } from "./acts.ts";
import { libraryPath } from "../views/addresses.ts";
import { age, badge, count, counted, empty, link, more, notice, size, table } from "../views/parts.ts";
import type { LibraryTab } from "./tab.ts";

const listed = 100;

/** The held generation and its changes. */
export const heldTab: LibraryTab = {
  name: "held",
  label: "Held",
  isFor: ({ held, permitted }) => held !== null && permitted.includes("change"),
  count: () => 1,
  async show({ ask, parameters: { cursor } }, status, id) {
    const asked = { libraryId: id, cursor, limit: String(listed) };
    return heldView(status, await ask<Changes>("/v2/libs/status/changes", asked), id, Date.now());
  },
};

type Counts = Omit<NonNullable<Status["live"]>["counts"], "isPartial">;

const figures: readonly (readonly [label: string, name: keyof Counts, more: "good" | "bad" | "plain"])[] = [
  ["Pages", "pages", "good"],
  ["Skipped pages", "pagesSkipped", "plain"],
  ["Failed pages", "pagesFailed", "bad"],
  ["Passages", "passages", "good"],
  ["Code examples", "code", "good"],
  ["Tokens", "tokens", "good"],
  ["Left out as duplicates", "duplicates", "plain"],
  ["Quarantined passages", "quarantined", "bad"],
];

/** The held generation compared with the live one. */
export function heldView(status: Status, changes: Changes, id: string, now: number): Html {
  const { live, held } = status;
  if (held === null) return empty("No held generation");
  const before = live?.counts;
  const rows = figures.flatMap(([label, name, more]) => {
    const [was, is] = [before?.[name], held.counts[name]];
    return !was && !is ? [] : [[label, was, is, changed(was, is, more)]];
  });
  const bytes = ["Size", before ? size(before.bytes) : "", size(held.counts.bytes), ""];
  return html`${notice("warn", "The last refresh would lose too much content, so it waits for your decision. Answers still come from the live generation.")}
    <section class="card" aria-labelledby="compared">
      <div class="between">
        <h2 id="compared">What would change</h2>
        <span class="muted small">read ${age(held.createdAt, now)}</span>
      </div>
      ${table("Figures", ["Figure", "Live", "Held", "Change"], [...rows, bytes])}
      <p class="muted small">
        Live revision: <code>${live?.revision.slice(0, 12) ?? "none"}</code>, held revision:
        <code>${held.revision.slice(0, 12)}</code>.
      </p>
      ${
        held.notes.length === 0
          ? nothing
          : html`<ul>
              ${held.notes.map((note) => html`<li><bdi>${note}</bdi></li>`)}
            </ul>`
      }
      <div class="actions">${actLink("publish", id, status)}${actLink("drop", id, status)}</div>
    </section>
    ${lostView(changes, id)}`;
}

function lostView({ lost, total, added, next }: Changes, id: string): Html {
  const reasons = { missing: "No longer in the source", skipped: "Skipped", failed: "Failed" } as const;
  const rows = lost.map(({ path, url, title, outcome, reason, snippets }) => [
    html`<div class="stack tight"><span>${link(url, title ?? path)}</span><code class="muted">${path}</code></div>`,
    html`<div class="stack tight">
      <span>${badge(outcome === "failed" ? "bad" : "plain", reasons[outcome])}</span>${
        reason === undefined ? nothing : html`<span class="small"><bdi>${reason}</bdi></span>`
      }
    </div>`,
    snippets,
  ]);
  return html`<section class="stack" aria-labelledby="lost">
    <div class="between">
      <h2 id="lost">Pages that would be lost <span class="number">${count(total)}</span></h2>
      <span class="muted small">${added === 0 ? "No new pages" : counted(added, "new page")}</span>
    </div>
    ${
      lost.length === 0
        ? empty("No pages would be lost", "The same pages have less content.")
        : table("Lost pages", ["Page", "Reason", "Passages"], rows)
    }
    ${more(next === null ? null : libraryPath(id, { tab: "held", cursor: next }), "More pages")}
  </section>`;
}

/** The difference, highlighted if it is a loss. */
function changed(was: number | undefined, is: number | undefined, more: "good" | "bad" | "plain"): Html {
  if (was === undefined || is === undefined) return nothing;
  const difference = is - was;
  if (difference === 0) return html`<span class="muted">same</span>`;
  const sign = difference > 0 ? "+" : "−";
  const share = was === 0 ? "" : ` (${sign}${Math.round((Math.abs(difference) / was) * 100)} %)`;
  const isLoss = (more === "good" && difference < 0) || (more === "bad" && difference > 0);
  const text = `${sign}${count(Math.abs(difference))}${share}`;
  return html`<span class="nowrap ${isLoss ? "loss" : ""}">${text}</span>`;
}
