import { Failure } from "../../domain/failures.ts";
import type { Lockfile } from "../../domain/packages.ts";

/** What a lockfile has, as its format is read. */
export type Listed = Pick<Lockfile, "dependencies" | "others">;

/** A parsed object of a lockfile. */
export type Table = Readonly<Record<string, unknown>>;

/** The object that a value is; an empty one for anything else. */
export function tableOf(value: unknown): Table {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Table) : {};
}

/** The entries of a list; none of anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text; "" for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Maximum number of packages of a lockfile that is read: twenty times those that are answered for. */
const maxEntries = 100_000;

/** @throws Failure validation_error for a file of more packages than are read */
export function checkEntries(count: number): void {
  if (count <= maxEntries) return;
  throw new Failure(
    "validation_error",
    `The file has more than ${maxEntries} packages. Send the lockfile of one project.`,
  );
}

/** The lines of a text, one at a time: a file of too many is refused before all of them are in memory. */
export function* linesOf(text: string): Generator<string> {
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf("\n", at);
    const next = end < 0 ? text.length : end;
    yield text.slice(at, text[next - 1] === "\r" ? next - 1 : next);
    at = next + 1;
  }
}
