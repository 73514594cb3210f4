import { Failure } from "../../domain/failures.ts";

/** Reading answers, whose fields may be missing or of another type than is published. */

export type Shape = Readonly<Record<string, unknown>>;

/** An object; {} for anything else. */
function objectOf(value: unknown): Shape {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Shape) : {};
}

/** What stands below names; undefined where something on the way is missing. */
export function at(value: unknown, ...names: readonly string[]): unknown {
  let found = value;
  for (const name of names) {
    const object = objectOf(found);
    found = Object.hasOwn(object, name) ? object[name] : undefined;
  }
  return found;
}

/** A list; [] for anything else. */
export function listAt(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const found = at(value, ...names);
  return Array.isArray(found) ? found : [];
}

/** What a list has. @throws Failure source_invalid for what is no list: an empty one would say that everything is gone */
export function resultsOf(answer: unknown): readonly unknown[] {
  const found = at(answer, "results");
  if (Array.isArray(found)) return found;
  throw new Failure(
    "source_invalid",
    "The host answers with something else than a list. Check the address of the site.",
  );
}

/** A text, or a number as one; "" for anything else. */
export function textAt(value: unknown, ...names: readonly string[]): string {
  const found = at(value, ...names);
  if (typeof found === "number" && Number.isSafeInteger(found)) return String(found);
  return typeof found === "string" ? found : "";
}

/** A number; null for anything else. */
export function numberAt(value: unknown, ...names: readonly string[]): number | null {
  const found = at(value, ...names);
  return typeof found === "number" && Number.isFinite(found) ? found : null;
}

/** An id: a decimal number; "" for anything else. */
export function idAt(value: unknown, ...names: readonly string[]): string {
  const found = textAt(value, ...names);
  return /^[1-9]\d{0,18}$/.test(found) ? found : "";
}

/** A path below a host, with a slash before it; "" for anything else. */
export function pathAt(value: unknown, ...names: readonly string[]): string {
  const found = textAt(value, ...names);
  return /^\/(?![/\\])[^\s\p{Cc}]{0,2000}$/u.test(found) ? found : "";
}

/** The parameter of the address of the next part of a list. Its host and path are not followed: they may be those of another way to the site. */
export function nextAt(value: unknown, name: string): string | null {
  const found = textAt(value, "_links", "next");
  if (found === "") return null;
  return URL.parse(found, "https://any.example/")?.searchParams.get(name) ?? null;
}

/** Whether a list of restrictions names anybody; null where it does not say. */
export function restrictedAt(value: unknown, ...names: readonly string[]): boolean | null {
  const found = at(value, ...names);
  const [users, groups] = [at(found, "user"), at(found, "group")];
  if (users === undefined && groups === undefined) return null;
  return [users, groups].some((list) => listAt(list, "results").length > 0 || (numberAt(list, "size") ?? 0) > 0);
}
