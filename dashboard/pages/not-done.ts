import type { Asked, Shown } from "../page.ts";
import { failureView } from "../views/failure.ts";

/** A failure of a form as a page. `back` is the path of the form. */
export function notDone({ status, failure }: Asked<unknown>, back: string): Shown {
  const { error = "internal_error", message = "" } = failure ?? {};
  return { title: "Not done", main: failureView({ error, message }, status, back), status };
}
