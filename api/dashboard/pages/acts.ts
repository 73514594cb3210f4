import * as z from "zod";
import { oneOf } from "../../parameters.ts";
import { Failure } from "../../../domain/failures.ts";
import { fieldsOf } from "../form-bodies.ts";
import { actNames, acts, afterAct, actConfirmView } from "../library/acts.ts";
import type { Act } from "../library/acts.ts";
import { form, page } from "../page.ts";
import type { Described, Visit, Asked, Shown } from "../page.ts";
import type { Status } from "../../answer-types.ts";
import { failureView } from "../views/failure.ts";

const fields = z.object({
  id: z.string().max(500),
  do: oneOf(actNames),
});

/** Asks for confirmation of an act on a library. */
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

export const actForm: Described = form({
  path: "/-/library/act",
  body: fieldsOf(fields),
  async submit(visit, { id, do: name }) {
    const { path, body = {} }: Act = acts[name];
    const asked = await visit.tell<{ message: string }>("POST", path, { body: { libraryName: id, ...body } });
    return outcomeOf(asked, afterAct(name, id));
  },
});

/**
 * The status of a library for an act of the caller.
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
    needs === "change"
      ? `Only administrators of ${status.libraryId} change it. Ask one of them.`
      : `Your key may read ${status.libraryId}, and not start runs of it. Sign in with one that has the scope submit.`,
  );
}

/** What follows an act: its message on the page `goTo`, or its failure as a page with a link to `back`. */
export function outcomeOf(asked: Asked<{ readonly message: string }>, back: string, goTo = back): Shown {
  return asked.failure ? notDone(asked, back) : { goTo, said: asked.body.message };
}

/** A failure of a form as a page. `back` is the path of the form. */
function notDone({ status, failure }: Asked<unknown>, back: string): Shown {
  const { error = "internal_error", message = "" } = failure ?? {};
  return { title: "Not done", main: failureView({ error, message }, status, back), status };
}
