import { leftOutOf } from "../../../domain/generation.ts";
import { html, nothing, type Html } from "../html.ts";
import type { PageOutcomes } from "../../answer-types.ts";
import { libraryPath } from "../views/addresses.ts";
import { badge, count, counted, currentPage, empty, link, more, short, size, table } from "../views/parts.ts";
import type { LibraryParameters, LibraryTab } from "./tab.ts";

const listed = 100;

/** The outcomes of all pages, from the newest run with a manifest. */
export const pagesTab: LibraryTab = {
  name: "pages",
  label: "Pages",
  count: ({ live }) => live?.counts.pages,
  async show({ ask, parameters: { outcome, cursor } }, _status, id) {
    const asked = { libraryId: id, outcome, cursor, limit: String(listed) };
    return outcomesView(await ask<PageOutcomes>("/v2/libs/status/pages", asked), id, outcome);
  },
};

const tones = { indexed: "good", skipped: "plain", failed: "bad" } as const;
const names = { indexed: "Indexed", skipped: "Skipped", failed: "Failed" } as const;

/** The pages of a library, or those with one outcome. */
export function outcomesView(
  { outcomes, pages, next }: PageOutcomes,
  id: string,
  outcome?: LibraryParameters["outcome"],
): Html {
  const all = outcomes.indexed + outcomes.skipped + outcomes.failed;
  const filters = [undefined, "indexed", "skipped", "failed"] as const;
  const links = filters.map((one) => {
    const label = one === undefined ? "All" : names[one];
    return html`<a
      class="chip"
      href="${libraryPath(id, { tab: "pages", outcome: one })}"
      ${currentPage(one === outcome, "true")}
      >${label} <span class="number">${count(one === undefined ? all : outcomes[one])}</span></a
    >`;
  });
  const list =
    pages.length === 0
      ? empty(all === 0 ? "No run has read the whole source yet" : "No pages with this outcome")
      : table("Pages", ["Page", "Outcome", "Passages", "Size"], pages.map(rowOf));
  return html`<nav class="row" aria-label="Pages by outcome">${links}</nav>
    ${list} ${more(next === null ? null : libraryPath(id, { tab: "pages", outcome, cursor: next }), "More pages")}`;
}

function rowOf({
  path,
  url,
  outcome,
  code,
  reason,
  title,
  snippets,
  bytes,
  from,
  findings,
  failures,
  notes = [],
  dropped,
}: PageOutcomes["pages"][number]) {
  const leftOut = leftOutOf(dropped);
  const findingCount = (findings?.title?.length ?? 0) + (findings?.path?.length ?? 0);
  return [
    html`<div class="stack tight">
      <span>${link(url, title ?? path)}</span
      ><code class="muted">${path}</code
      >${from === undefined ? nothing : html`<span class="muted small">linked from ${link(from)}</span>`}${notes.map((note) => html`<span class="small"><bdi>${note}</bdi></span>`)}${leftOut === "" ? nothing : html`<span class="muted small">${leftOut}</span>`}
    </div>`,
    html`<div class="stack tight">
      <span
        >${badge(tones[outcome], names[outcome])}${findingCount > 0 ? html` ${badge("warn", counted(findingCount, "finding"))}` : nothing}</span
      >${reason === undefined ? nothing : html`<span class="small" title="${code}">${reason}</span>`}${failures === undefined ? nothing : html`<span class="small muted">${counted(failures, "failure")} since the last success</span>`}
    </div>`,
    snippets === undefined ? "" : short(snippets),
    html`<span class="nowrap">${bytes === undefined ? "" : size(bytes)}</span>`,
  ];
}
