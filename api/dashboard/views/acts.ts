import { html, nothing } from "../html.ts";
import type { Html, Part } from "../html.ts";
import { acts } from "../library/acts.ts";
import type { Act, ActName } from "../library/acts.ts";
import type { Status } from "../types.ts";
import { libraryPath, withQuery } from "./addresses.ts";
import { hiddenFields } from "./parts.ts";

/** A link to the confirmation of an act; empty for callers who may not. */
export function actLink(name: ActName, id: string, { permitted }: Pick<Status, "permitted">): Html {
  const { needs, label, tone }: Act = acts[name];
  if (!permitted.includes(needs)) return nothing;
  return html`<a class="button ${tone}" href="${withQuery("/-/library/act", { id, do: name })}">${label}</a>`;
}

/** A confirmation page, which works without scripts. `content` is above its buttons, in the form. */
export function confirmView({
  title,
  of,
  meaning,
  content = nothing,
  path,
  fields,
  label,
  tone,
  back,
  formToken,
}: {
  readonly title: string;
  /** Display name of the library. */
  readonly of: string;
  readonly meaning: Part;
  readonly content?: Html;
  readonly path: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly label: string;
  readonly tone: "primary" | "danger";
  /** Target of the cancel link. */
  readonly back: string;
  readonly formToken: string;
}): Html {
  return html`<section class="card confirm" aria-labelledby="confirm">
    <p class="muted small"><bdi>${of}</bdi></p>
    <h1 id="confirm">${title}</h1>
    <p>${meaning}</p>
    <form class="stack" method="post" action="${path}">
      ${hiddenFields(formToken, ...fields)}${content}
      <p class="actions">
        <button class="button ${tone}">${label}</button><a class="button quiet" href="${back}">Leave it as it is</a>
      </p>
    </form>
  </section>`;
}

/** The confirmation of an act. */
export function actConfirmView(name: ActName, id: string, { title }: Status, formToken: string): Html {
  const { label, meaning, tone, tab }: Act = acts[name];
  const from: Partial<Record<ActName, string>> = { publish: "held", drop: "held", refresh: "runs" };
  return confirmView({
    title: `${label}?`,
    of: title,
    meaning,
    path: "/-/library/act",
    fields: [
      ["id", id],
      ["do", name],
    ],
    label,
    tone,
    back: libraryPath(id, { tab: from[name] ?? tab }),
    formToken,
  });
}
