import * as z from "zod";
import { Failure } from "../../../domain/failures.ts";
import { libraryParameters as parameters, type LibraryParameters, type LibraryTab } from "../library/tab.ts";
import { page, type Described, type PageResult, type Visit } from "../page.ts";
import type { Status } from "../../answer-types.ts";
import { overviewTab } from "../library/overview.ts";
import { pagesTab } from "../library/page-outcomes.ts";
import { heldTab } from "../library/held.ts";
import { noteTab } from "../library/note.ts";
import { metricsTab } from "../library/metrics.ts";
import { quarantineTab } from "../library/quarantine.ts";
import { runsTab } from "../library/runs.ts";
import { settingsTab } from "../library/settings.ts";
import { html, nothing, type Html } from "../html.ts";
import { libraryPath } from "../views/addresses.ts";
import { useView } from "../views/connect.ts";
import { readerPath } from "../views/reader-links.ts";
import { currentPage, link } from "../views/parts.ts";
import { stateBadge, troubleBadges } from "../views/states.ts";

/** The tabs of the page of a library, in order; the first is the default. */
const tabs: readonly LibraryTab[] = [
  overviewTab,
  pagesTab,
  runsTab,
  heldTab,
  quarantineTab,
  metricsTab,
  noteTab,
  settingsTab,
];

/** The visible tabs for a status. The overview is always visible. */
function tabsFor(status: Status): readonly LibraryTab[] {
  return tabs.filter(({ isFor }) => isFor?.(status) ?? true);
}

/** A library, at its ID. */
export const libraryPage: Described = page({
  path: "/**",
  parameters,
  show: (visit) => showLibrary(visit, idOf(visit.request.path)),
});

/** The page of libraries whose ID begins with a reserved segment. */
export const libraryElsewherePage: Described = page({
  path: "/-/library",
  parameters: parameters.extend({ id: z.string().max(500) }),
  show: (visit) => showLibrary(visit, visit.parameters.id),
});

async function showLibrary(visit: Visit<LibraryParameters>, id: string): Promise<PageResult> {
  const { ask, parameters: asked } = visit;
  const status = await ask<Status>("/v2/libs/status", { libraryId: id });
  const tab = tabsFor(status).find(({ name }) => name === asked.tab) ?? overviewTab;
  const content = await tab.show(visit, status, id);
  const main = libraryView(status, id, tab.name, content);
  return { title: `${status.title} (${id})`, main, ...(tab.assets && { assets: tab.assets }) };
}

/** The library ID in a path. @throws Failure route_not_found if the path is not an ID */
function idOf(path: string): string {
  const notFound = (): Failure =>
    new Failure("route_not_found", "There is no page at this address. Libraries have addresses such as /owner/name.");
  if (!/^\/[^/]+\/[^/]/.test(path)) throw notFound();
  try {
    return decodeURIComponent(path);
  } catch {
    throw notFound();
  }
}

/** The page of a library with one of its tabs. */
export function libraryView(status: Status, id: string, current: string, content: Html): Html {
  const { title, description, source, private: isPrivate, libraryId, version } = status;
  const [overview, ...others] = tabsFor(status).map((tab) =>
    tabView(tab, status, libraryPath(id, tab === overviewTab ? {} : { tab: tab.name }), tab.name === current),
  );
  return html`<header class="head">
      <div class="title">
        <h1><bdi>${title}</bdi></h1>
        ${stateBadge(status)}${status.live?.counts.isPartial ? html` ${troubleBadges(["partial"])}` : nothing}${isPrivate ? html`<span class="badge plain">Private</span>` : nothing}
      </div>
      ${description === "" ? nothing : html`<p><bdi>${description}</bdi></p>`}
      <p class="muted small origin">
        ${useView(version === "" ? libraryId : `${libraryId}@${version}`, status.live !== null)}<span
          >from ${link(source)}</span
        >
      </p>
    </header>
    <nav class="tabs" aria-label="Parts of the library">
      ${overview}${status.live ? html`<a href="${readerPath(id)}">Documentation</a>` : nothing}${others}
    </nav>
    ${content}`;
}

function tabView({ label, count }: LibraryTab, status: Status, path: string, isCurrent: boolean): Html {
  const number = count?.(status);
  return html`<a href="${path}" ${currentPage(isCurrent)}
    >${label}${number === undefined ? nothing : html` <span class="number">${number}</span>`}</a
  >`;
}
