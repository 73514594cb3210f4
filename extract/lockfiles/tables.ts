import { Failure } from "../../domain/failures.ts";
import type { Lockfile } from "../../domain/packages.ts";

/** The packages of a lockfile, as its format's reader returns them. */
export type Listed = Pick<Lockfile, "dependencies" | "others">;

/** The value if it is a string; else "". */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Maximum number of packages in a lockfile: twenty times the number in a response. */
const maxEntries = 100_000;

/** @throws Failure validation_error for a file with too many packages */
export function checkEntries(count: number): void {
  if (count <= maxEntries) return;
  throw new Failure(
    "validation_error",
    `The file has more than ${maxEntries} packages. Send the lockfile of one project.`,
  );
}

/** The lines of a text that are not empty, one at a time, so that an overlong file is rejected before all are in memory. */
export function* linesOf(text: string): Generator<string> {
  for (const [line] of text.matchAll(/[^\r\n]+/g)) yield line;
}
