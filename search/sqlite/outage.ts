import { diskFailure } from "../../domain/failures.ts";

/** SQLite's result codes of a file that is out of reach, whatever is in it: BUSY, LOCKED, NOMEM, CANTOPEN (https://sqlite.org/rescode.html). */
const outOfReach: ReadonlySet<unknown> = new Set([5, 6, 7, 14]);

/** True for an error that says nothing about what is in a file. */
export function isOutage(error: unknown): boolean {
  const code = error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : 0;
  return diskFailure(error) !== undefined || outOfReach.has(code & 0xff);
}
