import { html, nothing } from "../html.ts";
import type { Html } from "../html.ts";
import type { Preview } from "../types.ts";
import { badge, count, counted, empty, facts, link, notice, table } from "./parts.ts";

/** Maximum number of listed pages. */
const mostListed = 100;

/** A preview. */
export function previewView(preview: Preview): Html {
  const { libraryName, title, description, ref, revision, total, complete, pages, waiting, notes, answers } = preview;
  const { sample, quarantined } = preview;
  const read = pages.filter(({ outcome }) => outcome === "read").length;
  const hosts = Object.entries(answers ?? {}).map(([status, times]) => `${status}: ${count(times)}`);
  return html`<section id="preview" class="card" aria-labelledby="preview-title">
    <h2 id="preview-title">Preview: <bdi>${title}</bdi></h2>
    ${description === "" ? nothing : html`<p><bdi>${description}</bdi></p>`}
    ${facts([
      ["Library", html`<code>${libraryName}</code>`],
      ["Branch or tag", ref],
      ["Revision", revision === "" ? null : html`<code>${revision.slice(0, 12)}</code>`],
      ["Pages", `${count(read)} read, ${count(pages.length - read)} left out, ${count(total)} in all`],
      ["Found and not visited", waiting.length === 0 ? null : count(waiting.length)],
      ["What the host answered", hosts.join(", ")],
    ])}
    ${complete ? nothing : notice("warn", "There was no time for all of the source, or it has more pages than are listed.")}
    ${notes.map((note) => notice("warn", html`<bdi>${note}</bdi>`))}
    ${
      quarantined.length === 0
        ? nothing
        : notice(
            "warn",
            html`${counted(quarantined.length, "passage")} would be held back, for what it says to agents:
            ${quarantined.slice(0, 5).map(({ url, findings }) => html`<br />${link(url)} ${findings.map(({ meaning }) => meaning).join(", ")}`)}`,
          )
    }
    <h3>Passages of the first pages</h3>
    ${sample === "" ? empty("No passage was found.", "The first pages have nothing that would be served.") : html`<pre class="served sample" tabindex="0" aria-label="Passages">${sample}</pre>`}
    <h3>Pages</h3>
    ${pagesTable(pages)}
    ${pages.length > mostListed ? html`<p class="muted small">The first ${mostListed} of ${count(pages.length)}.</p>` : nothing}
  </section>`;
}

const tones = { read: "good", skipped: "plain", failed: "bad" } as const;

function pagesTable(pages: Preview["pages"]): Html {
  if (pages.length === 0) return empty("No page was found.");
  return table(
    "Pages",
    ["Page", "Outcome", "Passages", "Reason"],
    pages
      .slice(0, mostListed)
      .map(({ path, title, outcome, snippets, reason, code, notes = [] }) => [
        html`<span class="stack tight"
          ><bdi>${title ?? path}</bdi
          >${title === undefined ? nothing : html`<span class="muted small"><bdi>${path}</bdi></span>`}</span
        >`,
        badge(tones[outcome], outcome),
        snippets ?? "",
        html`<bdi>${[reason ?? code ?? "", ...notes].filter((one) => one !== "").join(" ")}</bdi>`,
      ]),
  );
}
