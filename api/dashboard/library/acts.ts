import type { Status } from "../../answer-types.ts";
import { libraryPath, withQuery } from "../views/addresses.ts";
import { html, nothing } from "../html.ts";
import type { Html, Part } from "../html.ts";
import { hiddenFields } from "../views/parts.ts";

type Permission = Status["permitted"][number];

/** An act on a library with a button and a confirmation. */
export interface Act {
  /** Permission that its button needs. */
  readonly needs: Permission;
  /** Label of the button, and title of the confirmation. */
  readonly label: string;
  /** Explanation in the confirmation. */
  readonly meaning: string;
  readonly tone: "primary" | "danger";
  /** Operation, below `/api`, and its body beside the library. */
  readonly path: string;
  readonly body?: object;
  /** The tab to open afterwards. */
  readonly tab?: string;
}

/** The acts on a library. */
export const acts = {
  refresh: {
    needs: "refresh",
    label: "Refresh now",
    meaning:
      "Looks at the source, and reads what has changed there. Readers see what is served now until that is done.",
    tone: "primary",
    path: "/v1/refresh",
  },
  cancel: {
    needs: "change",
    label: "Cancel the run",
    meaning: "Ends the open run. What is served now stays as it is.",
    tone: "danger",
    path: "/v2/libs/cancel",
    tab: "runs",
  },
  publish: {
    needs: "change",
    label: "Publish what is held",
    meaning: "Readers see the held generation from then on. The one that is served now is kept: you can go back to it.",
    tone: "primary",
    path: "/v2/libs/publish",
  },
  drop: {
    needs: "change",
    label: "Drop what is held",
    meaning:
      "Drops the held generation. The live generation stays, and the held revision is not tried again automatically.",
    tone: "danger",
    path: "/v2/libs/publish",
    body: { drop: true },
  },
  rollback: {
    needs: "change",
    label: "Roll back to the previous generation",
    meaning: "Readers see the previous generation. The revision of the present one is not tried again automatically.",
    tone: "danger",
    path: "/v2/libs/rollback",
    tab: "runs",
  },
  rename: {
    needs: "change",
    label: "Take the new ID",
    meaning: "The library gets the ID of its new address. The one that it has now redirects there.",
    tone: "primary",
    path: "/v2/libs/rename",
    body: { accept: true },
    tab: "settings",
  },
  keepId: {
    needs: "change",
    label: "Keep the ID",
    meaning: "The library keeps the ID that it has, and the new one is not proposed again.",
    tone: "danger",
    path: "/v2/libs/rename",
    body: { accept: false },
    tab: "settings",
  },
} as const satisfies Readonly<Record<string, Act>>;

type ActName = keyof typeof acts;

/** Names of all acts. */
export const actNames: readonly ActName[] = Object.keys(acts) as ActName[];

/** Path of the library's page after an act. */
export function afterAct(name: ActName, id: string): string {
  const { tab }: Act = acts[name];
  return libraryPath(id, { tab });
}

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
