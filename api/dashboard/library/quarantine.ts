import { html, nothing, type Html } from "../html.ts";
import type { Quarantine } from "../../answer-types.ts";
import { libraryPath } from "../views/addresses.ts";
import { badge, count, empty, hiddenFields, link, more, notice, counted } from "../views/parts.ts";
import type { LibraryTab } from "./tab.ts";
import * as z from "zod";
import { fieldsOf } from "../form-bodies.ts";
import { form, type Described } from "../page.ts";
import { confirmView, statusFor, outcomeOf } from "./acts.ts";

/** Passages per page, which is also the maximum of a release. */
const listed = 25;

/** The quarantined passages of a library. */
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
    screen === "off" ? notice("warn", "Screening is off for this library: no passages are quarantined.") : nothing;
  const noteViews = notes.map((note) => notice("plain", html`<bdi>${note}</bdi>`));
  if (passages.length === 0)
    return html`${off}${noteViews}${empty("No quarantined passages", "Screening has found no prompt injection.")}`;
  return html`${off}${noteViews}
    <p class="muted">
      These passages look like instructions to agents (prompt injection), so they are left out of answers. Everything
      below is text from the source: do not follow it. A release applies to all versions until the passage changes.
    </p>
    <form class="stack" method="post" action="/-/library/release" aria-label="Quarantined passages">
      ${hiddenFields(formToken, ["id", id])} ${passages.map(passageView)}
      <div class="actions sticky">
        <button class="button primary" name="do" value="release">Release selected</button>${
          passages.some(({ released }) => released)
            ? html`<button class="button" name="do" value="withdraw">Return selected to quarantine</button>`
            : nothing
        }<span class="muted small">${count(passages.length)} of ${count(total)}</span>
      </div>
    </form>
    ${more(next === null ? null : libraryPath(id, { tab: "quarantine", cursor: next }), "More passages")}`;
}

function passageView(
  { id, title, breadcrumb, content, codes, url, findings, released, served }: Quarantine["passages"][number],
  place: number,
): Html {
  const state = released
    ? badge(served ? "good" : "busy", served ? "Released" : "Will be released with the next refresh")
    : badge("warn", served ? "Will be quarantined with the next refresh" : "Quarantined");
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
    <ul class="stack tight small findings">
      ${findings.map(({ finding, meaning }) => html`<li>${badge("warn", finding)} <span>It ${meaning}.</span></li>`)}
    </ul>
    ${content === "" ? nothing : html`<pre class="quoted" tabindex="0">${withUnseen(content)}</pre>`}
    ${codes.map(
      ({ language, code }) =>
        html`<pre class="quoted" tabindex="0" aria-label="Code ${language}">${withUnseen(code)}</pre>`,
    )}
  </article>`;
}

/** Characters that only agents see: soft hyphens, zero-width ones, direction marks, fillers, tags (Unicode: Default_Ignorable_Code_Point). */
const unseen = /(\p{Default_Ignorable_Code_Point}+)/u;

/** Text with names such as U+200B instead of invisible characters, which can hide instructions from people. */
export function withUnseen(text: string): readonly (Html | string)[] {
  return text.split(unseen).map((piece, place) => (place % 2 === 0 ? piece : marked(piece)));
}

function marked(piece: string): Html {
  const names = Array.from(
    piece,
    (one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`,
  );
  const shown = names.length > 4 ? `${names.slice(0, 3).join(" ")} … ${names.length} in all` : names.join(" ");
  return html`<mark class="unseen" title="Invisible">${shown}</mark>`;
}

const fields = z.object({
  id: z.string().max(500),
  do: z.enum(["release", "withdraw"]),
  passage: z.array(z.string().max(200)).max(100).default([]),
  confirmed: z.literal("yes").optional(),
});

/** Releases passages from quarantine, or puts them back, after confirmation. */
export const releaseForm: Described = form({
  path: "/-/library/release",
  body: fieldsOf(fields, ["passage"]),
  async submit(visit, { id, do: wanted, passage, confirmed }) {
    const back = libraryPath(id, { tab: "quarantine" });
    const isRelease = wanted === "release";
    if (confirmed === undefined || passage.length === 0) {
      const { title } = await statusFor(visit, id, "change");
      if (passage.length === 0)
        return { goTo: back, flash: "No passage was selected. Tick the boxes of passages first." };
      const which = counted(passage.length, "passage");
      const main = confirmView({
        title: isRelease ? `Release ${which} from quarantine?` : `Return ${which} to quarantine?`,
        of: title,
        meaning: isRelease
          ? "A refresh starts now. After it, answers can contain the text, and agents may do what it says. Release only what you have read."
          : "A refresh starts now. After it, answers no longer contain the text.",
        path: "/-/library/release",
        fields: [["id", id], ["do", wanted], ["confirmed", "yes"], ...passage.map((one) => ["passage", one] as const)],
        label: isRelease ? "Release" : "Return to quarantine",
        tone: isRelease ? "danger" : "primary",
        back,
        formToken: visit.formToken,
      });
      return { title: isRelease ? "Release" : "Return to quarantine", main };
    }
    const body = { libraryName: id, passageIds: passage, withdraw: !isRelease };
    const reply = await visit.call<{ message: string }>("POST", "/v2/libs/release", { body });
    return outcomeOf(reply, back);
  },
});
