import type { Asked, Shown } from "../page.ts";
import { failureView } from "../views/failure.ts";

/** What follows an act: its message on the page `goTo`, or its failure as a page with a link to `back`. */
export function outcomeOf(asked: Asked<{ readonly message: string }>, back: string, goTo = back): Shown {
  return asked.failure ? notDone(asked, back) : { goTo, said: asked.body.message };
}

/** A failure of a form as a page. `back` is the path of the form. */
function notDone({ status, failure }: Asked<unknown>, back: string): Shown {
  const { error = "internal_error", message = "" } = failure ?? {};
  return { title: "Not done", main: failureView({ error, message }, status, back), status };
}
