import { html, nothing } from "../html.ts";
import type { Html } from "../html.ts";
import type { LibraryTab } from "../library/tab.ts";
import type { Status } from "../types.ts";
import { libraryPath } from "./addresses.ts";
import { currentPage, link } from "./parts.ts";
import { stateBadge } from "./states.ts";

/** The page of a library with one of its tabs. */
export function libraryView({
  status,
  id,
  tabs,
  current,
  content,
}: {
  readonly status: Status;
  readonly id: string;
  readonly tabs: readonly LibraryTab[];
  readonly current: string;
  readonly content: Html;
}): Html {
  const { title, description, source, private: isPrivate, libraryId, version } = status;
  return html`<header class="head">
      <div class="title">
        <h1><bdi>${title}</bdi></h1>
        ${stateBadge(status)}${isPrivate ? html`<span class="badge plain">Private</span>` : nothing}
      </div>
      ${description === "" ? nothing : html`<p><bdi>${description}</bdi></p>`}
      <p class="muted small origin">
        <code>${libraryId}${version === "" ? nothing : html`<strong>@${version}</strong>`}</code
        ><span>from ${link(source)}</span>
      </p>
    </header>
    <nav class="tabs" aria-label="Parts of the library">
      ${tabs.map((tab, place) => tabView(tab, status, libraryPath(id, place === 0 ? {} : { tab: tab.name }), tab.name === current))}
    </nav>
    ${content}`;
}

function tabView({ label, count }: LibraryTab, status: Status, path: string, isCurrent: boolean): Html {
  const number = count?.(status);
  return html`<a href="${path}" ${currentPage(isCurrent)}
    >${label}${number === undefined ? nothing : html` <span class="number">${number}</span>`}</a
  >`;
}
