import { html, nothing } from "../html.ts";
import type { Html } from "../html.ts";
import type { Changes, Status } from "../../answer-types.ts";
import { actLink } from "./acts.ts";
import { libraryPath } from "../views/addresses.ts";
import { age, badge, count, counted, empty, link, more, notice, size, table } from "../views/parts.ts";
import type { LibraryTab } from "./tab.ts";

/** Lost pages per list. */
const listed = 100;

/** The held generation, and its changes. */
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

type Counts = NonNullable<Status["live"]>["counts"];

const figures: readonly (readonly [label: string, name: keyof Counts, more: "good" | "bad" | "plain"])[] = [
  ["Pages", "pages", "good"],
  ["Pages skipped", "pagesSkipped", "plain"],
  ["Pages that failed", "pagesFailed", "bad"],
  ["Passages", "passages", "good"],
  ["Examples of code", "code", "good"],
  ["Tokens", "tokens", "good"],
  ["Duplicates left out", "duplicates", "plain"],
  ["In quarantine", "quarantined", "bad"],
];

/** The held generation beside the live one. */
export function heldView(status: Status, changes: Changes, id: string, now: number): Html {
  const { live, held } = status;
  if (held === null) return empty("Nothing is held");
  const before = live?.counts;
  const rows = figures.flatMap(([label, name, more]) => {
    const [was, is] = [before?.[name], held.counts[name]];
    return !was && !is ? [] : [[label, shown(was), shown(is), changed(was, is, more)]];
  });
  const read = ["Read", before ? size(before.bytes) : "", size(held.counts.bytes), ""];
  return html`${notice(
      "warn",
      html`A refresh lost so much that it waits for a decision. Readers still see the previous generation.`,
    )}
    <section class="card" aria-labelledby="compared">
      <div class="between">
        <h2 id="compared">What would change</h2>
        <span class="muted small">read ${age(held.createdAt, now)}</span>
      </div>
      ${table("Figures", ["Figure", "Served now", "Held", "Change"], [...rows, read])}
      <p class="muted small">
        Revision <code>${live?.revision.slice(0, 12) ?? "none"}</code> is served,
        <code>${held.revision.slice(0, 12)}</code> is held.
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
  const reasons = { missing: "Not in the source any more", skipped: "Skipped", failed: "Failed" } as const;
  const rows = lost.map(({ path, url, title, outcome, reason, snippets }) => [
    html`<div class="stack tight"><span>${link(url, title ?? path)}</span><code class="muted">${path}</code></div>`,
    html`<div class="stack tight">
      <span>${badge(outcome === "failed" ? "bad" : "plain", reasons[outcome])}</span>${
        reason === undefined ? nothing : html`<span class="small"><bdi>${reason}</bdi></span>`
      }
    </div>`,
    snippets === undefined ? "" : count(snippets),
  ]);
  return html`<section class="stack" aria-labelledby="lost">
    <div class="between">
      <h2 id="lost">Pages that would be lost <span class="number">${count(total)}</span></h2>
      <span class="muted small">${added === 0 ? "None are new" : `${counted(added, "page")} new`}</span>
    </div>
    ${
      lost.length === 0
        ? empty("No page is lost", "The pages are there, with less in them.")
        : table("Lost pages", ["Page", "Why", "Passages"], rows)
    }
    ${more(next === null ? null : libraryPath(id, { tab: "held", cursor: next }), "Next pages")}
  </section>`;
}

function shown(figure: number | undefined): string {
  return figure === undefined ? "" : count(figure);
}

/** The difference, marked if it is a loss. */
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
