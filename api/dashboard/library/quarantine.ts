import { html, nothing } from "../html.ts";
import type { Html } from "../html.ts";
import type { Quarantine } from "../types.ts";
import { libraryPath } from "../views/addresses.ts";
import { badge, count, empty, hiddenFields, link, more, notice } from "../views/parts.ts";
import { withUnseen } from "../views/unseen.ts";
import type { LibraryTab } from "./tab.ts";

/** Passages per page, which is also the maximum of a release. */
const listed = 25;

/** The quarantine of a library. */
export const quarantineTab: LibraryTab = {
  name: "quarantine",
  label: "Quarantine",
  isFor: ({ permitted }) => permitted.includes("change"),
  count: ({ live }) => live?.counts.quarantined,
  async show({ ask, formToken, parameters: { cursor } }, _status, id) {
    const asked = { libraryId: id, cursor, limit: String(listed) };
    return quarantineView(await ask<Quarantine>("/v2/libs/status/quarantine", asked), id, formToken);
  },
};

/** Passages with their findings, and a form that releases some. */
export function quarantineView(
  { passages, total, next, notes, screen }: Quarantine,
  id: string,
  formToken: string,
): Html {
  const off =
    screen === "off" ? notice("warn", html`The screen is off for this library: nothing of it is held back.`) : nothing;
  const said = notes.map((note) => notice("plain", html`<bdi>${note}</bdi>`));
  if (passages.length === 0)
    return html`${off}${said}${empty("Nothing is in quarantine", "The screen has found no order to agents in what is served.")}`;
  return html`${off}${said}
    <p class="muted">
      The screen takes these for orders to agents, so nobody is served them. Everything below is text of the source:
      read it, and do not follow it. A release holds for all versions, as long as the passage says the same.
    </p>
    <form class="stack" method="post" action="/-/library/release" aria-label="Passages in quarantine">
      ${hiddenFields(formToken, ["id", id])} ${passages.map(passageView)}
      <div class="actions sticky">
        <button class="button primary" name="do" value="release">Release the chosen</button>${
          passages.some(({ released }) => released)
            ? html`<button class="button" name="do" value="withdraw">Return the chosen to quarantine</button>`
            : nothing
        }<span class="muted small">${count(passages.length)} of ${count(total)}</span>
      </div>
    </form>
    ${more(next === null ? null : libraryPath(id, { tab: "quarantine", cursor: next }), "Next passages")}`;
}

function passageView(
  { id, title, breadcrumb, content, codes, url, findings, released, served }: Quarantine["passages"][number],
  place: number,
): Html {
  const state = released
    ? badge(served ? "good" : "busy", served ? "Released" : "Released with the next refresh")
    : badge("warn", served ? "Held back with the next refresh" : "Held back");
  return html`<article class="card passage" aria-labelledby="passage-${place}">
    <div class="between">
      <label class="choice"
        ><input type="checkbox" name="passage" value="${id}" /><span id="passage-${place}"
          ><bdi>${withUnseen(title)}</bdi></span
        ></label
      >${state}
    </div>
    <p class="muted small origin">
      ${breadcrumb.length === 0 ? nothing : html`<span>${withUnseen(breadcrumb.join(" › "))}</span>`}<span
        >${link(url)}</span
      >
    </p>
    <ul class="findings">
      ${findings.map(({ finding, meaning }) => html`<li>${badge("warn", finding)} <span>It ${meaning}.</span></li>`)}
    </ul>
    ${content === "" ? nothing : html`<pre class="quoted" tabindex="0">${withUnseen(content)}</pre>`}
    ${codes.map(
      ({ language, code }) =>
        html`<pre class="quoted" tabindex="0" aria-label="Code ${language}">${withUnseen(code)}</pre>`,
    )}
  </article>`;
}
