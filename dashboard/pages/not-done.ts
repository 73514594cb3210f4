import type { Asked, Shown } from "../page.ts";
import { failureView } from "../views/failure.ts";

/** What the API answered in place of doing what a form asked for, as a page. `back` is the path that the form came from. */
export function notDone({ status, failure }: Asked<unknown>, back: string): Shown {
  const { error = "internal_error", message = "" } = failure ?? {};
  return { title: "Not done", main: failureView({ error, message }, status, back), status };
}
