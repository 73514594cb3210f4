import { Failure } from "../domain/failures.ts";

/** The failure of a search in an index of libraries that was made anew and does not have all entries yet. */
export function incomplete(cause?: unknown): Failure {
  const message = "The index of libraries is being rebuilt. Ask again in 5 seconds.";
  return new Failure("index_rebuilding", message, { retryAfter: 5, cause });
}
