import * as z from "zod";
import type { Status } from "../../answer-types.ts";
import { oneOf } from "../../parameters.ts";
import { Failure } from "../../../domain/failures.ts";
import { fieldsOf } from "../form-bodies.ts";
import { html, nothing, type Html, type Part } from "../html.ts";
import { form, page, type Reply, type Described, type PageResult, type Visit } from "../page.ts";
import { libraryPath } from "../views/addresses.ts";
import { withQuery } from "../../request.ts";
import { failureView } from "../views/failure.ts";
import { hiddenFields } from "../views/parts.ts";

type Permission = Status["permitted"][number];

/** An action on a library, with a button and a confirmation. */
interface Act {
  readonly needs: Permission;
  /** Label of the button, and title of the confirmation. */
  readonly label: string;
  readonly meaning: string;
  readonly tone: "primary" | "danger";
  /** Operation, below `/api`, and its body without the library. */
  readonly path: string;
  readonly body?: object;
  readonly tab?: string;
}

const acts = {
  refresh: {
    needs: "refresh",
    label: "Refresh now",
    meaning:
      "Checks the source and reads its changes. Until the end of the run, answers come from the present content.",
    tone: "primary",
    path: "/v1/refresh",
  },
  cancel: {
    needs: "change",
    label: "Cancel the run",
    meaning: "Ends the open run. The live generation stays.",
    tone: "danger",
    path: "/v2/libs/cancel",
    tab: "runs",
  },
  publish: {
    needs: "change",
    label: "Publish the held generation",
    meaning: "Answers come from the held generation from then on. The present one is kept, so that you can roll back.",
    tone: "primary",
    path: "/v2/libs/publish",
  },
  drop: {
    needs: "change",
    label: "Drop the held generation",
    meaning: "The live generation stays. The held revision is not tried again automatically.",
    tone: "danger",
    path: "/v2/libs/publish",
    body: { drop: true },
  },
  rollback: {
    needs: "change",
    label: "Roll back to the previous generation",
    meaning: "Answers come from the previous generation. The present revision is not tried again automatically.",
    tone: "danger",
    path: "/v2/libs/rollback",
    tab: "runs",
  },
  rename: {
    needs: "change",
    label: "Use the new ID",
    meaning: "The library gets the ID of its new address. The present ID redirects there.",
    tone: "primary",
    path: "/v2/libs/rename",
    body: { accept: true },
    tab: "settings",
  },
  keepId: {
    needs: "change",
    label: "Keep the ID",
    meaning: "The library keeps its present ID. The new one is not proposed again.",
    tone: "danger",
    path: "/v2/libs/rename",
    body: { accept: false },
    tab: "settings",
  },
} as const satisfies Readonly<Record<string, Act>>;

type ActName = keyof typeof acts;

/** A link to the confirmation of an action; empty for callers without the permission. */
export function actLink(name: ActName, id: string, { permitted }: Pick<Status, "permitted">): Html {
  const { needs, label, tone }: Act = acts[name];
  if (!permitted.includes(needs)) return nothing;
  return html`<a class="button ${tone}" href="${withQuery("/-/library/act", { id, do: name })}">${label}</a>`;
}

/** A confirmation page, which works without scripts. `content` is in the form, above the buttons. */
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
  readonly of: string;
  readonly meaning: Part;
  readonly content?: Html;
  readonly path: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly label: string;
  readonly tone: "primary" | "danger";
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
        <button class="button ${tone}">${label}</button><a class="button quiet" href="${back}">Cancel</a>
      </p>
    </form>
  </section>`;
}

function actConfirmView(name: ActName, id: string, { title }: Status, formToken: string): Html {
  const { label, meaning, tone, tab }: Act = acts[name];
  const from: Partial<Record<ActName, string>> = { publish: "held", drop: "held", refresh: "runs" };
  return confirmView({
    title: `${label}?`,
    of: `${title} (${id})`,
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

const fields = z.object({
  id: z.string().max(500),
  do: oneOf(Object.keys(acts) as ActName[]),
});

/** Asks for confirmation of an action on a library. */
export const actPage: Described = page({
  path: "/-/library/act",
  scope: "read",
  parameters: fields,
  async show(visit) {
    const { id, do: name } = visit.parameters;
    const status = await statusFor(visit, id, acts[name].needs);
    return { title: acts[name].label, main: actConfirmView(name, id, status, visit.formToken) };
  },
});

/** Performs an action on a library. */
export const actForm: Described = form({
  path: "/-/library/act",
  body: fieldsOf(fields),
  async submit(visit, { id, do: name }) {
    const { path, body = {}, tab }: Act = acts[name];
    const reply = await visit.call<{ message: string }>("POST", path, { body: { libraryName: id, ...body } });
    return outcomeOf(reply, libraryPath(id, { tab }));
  },
});

/**
 * The status of a library, for an action that needs a permission.
 * @throws Refused for a failure of the API; Failure forbidden, as the operation would
 */
export async function statusFor(
  { ask }: Pick<Visit, "ask">,
  id: string,
  needs: Status["permitted"][number],
): Promise<Status> {
  const status = await ask<Status>("/v2/libs/status", { libraryId: id });
  if (status.permitted.includes(needs)) return status;
  throw new Failure(
    "forbidden",
    needs !== "refresh"
      ? `Only administrators of ${status.libraryId} can change it. Ask one of them.`
      : `Your key can read ${status.libraryId}, but not refresh it. Sign in with a key that has the scope submit.`,
  );
}

/** The page after an action: `goTo` with its message, or its failure with a link to `back`. */
export function outcomeOf(reply: Reply<{ readonly message: string }>, back: string, goTo = back): PageResult {
  return reply.failure ? notDone(reply, back) : { goTo, flash: reply.body.message };
}

/** A failure of a form as a page. `back` is the path of the form. */
function notDone({ status, failure }: Reply<unknown>, back: string): PageResult {
  const { error = "internal_error", message = "" } = failure ?? {};
  return { title: "Failed", main: failureView({ error, message }, status, back), status };
}
