import { Failure } from "../../domain/failures.ts";
import { objectOf } from "../../extract/json.ts";
import type { BodyFormat } from "../../extract/confluence/page.ts";
import type { FoundBody, FoundPage, ParentRef } from "./api.ts";

/** The value at a path of names; undefined if part of the path is missing. */
function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce((parent, name) => {
    const object = objectOf(parent);
    return Object.hasOwn(object, name) ? object[name] : undefined;
  }, value);
}

/** A list; [] for anything else. */
export function listAt(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const list = at(value, ...names);
  return Array.isArray(list) ? list : [];
}

/** The entries of a list. @throws Failure source_invalid for anything else: an empty list would mean that all pages were deleted */
export function resultsOf(answer: unknown): readonly unknown[] {
  const results = at(answer, "results");
  if (Array.isArray(results)) return results;
  throw new Failure(
    "source_invalid",
    "The host answers with something that is not a list. Check the address of the site.",
  );
}

/** A string, or an integer as a string; "" for anything else. */
export function textAt(value: unknown, ...names: readonly string[]): string {
  const text = at(value, ...names);
  if (typeof text === "number" && Number.isSafeInteger(text)) return String(text);
  return typeof text === "string" ? text : "";
}

/** A number; null for anything else. */
export function numberAt(value: unknown, ...names: readonly string[]): number | null {
  const number = at(value, ...names);
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/** An id: a decimal number; "" for anything else. */
export function idAt(value: unknown, ...names: readonly string[]): string {
  const id = textAt(value, ...names);
  return /^[1-9]\d{0,18}$/.test(id) ? id : "";
}

/** A path with a leading slash; "" for anything else. */
function pathAt(value: unknown, ...names: readonly string[]): string {
  const path = textAt(value, ...names);
  return /^\/(?![/\\])[^\s\p{Cc}]{0,2000}$/u.test(path) ? path : "";
}

/** A parameter of the link to the next part of a list; null without one. The link itself may have another host or path than the request. */
export function nextAt(value: unknown, name: string): string | null {
  const link = textAt(value, "_links", "next");
  if (link === "") return null;
  return URL.parse(link, "https://any.example/")?.searchParams.get(name) ?? null;
}

/** Whether restrictions name a user or group; null where they are missing. */
export function restrictedAt(value: unknown, ...names: readonly string[]): boolean | null {
  const restrictions = at(value, ...names);
  const [users, groups] = [at(restrictions, "user"), at(restrictions, "group")];
  if (users === undefined && groups === undefined) return null;
  return [users, groups].some((list) => listAt(list, "results").length > 0 || (numberAt(list, "size") ?? 0) > 0);
}

/** Reads the fields of a page that cloud and data center name differently. */
export type OwnFields = (value: unknown) => Pick<FoundPage, "space" | "parent" | "position" | "isRestricted">;

/** The current pages in a list. */
export function pagesOf(list: readonly unknown[], ownFields: OwnFields): FoundPage[] {
  return list.flatMap((value) => {
    const id = idAt(value, "id");
    const status = textAt(value, "status");
    if (id === "" || (status !== "" && status !== "current")) return [];
    const path = pathAt(value, "_links", "webui") || `/pages/viewpage.action?pageId=${id}`;
    const version = numberAt(value, "version", "number") ?? 0;
    return [{ id, title: textAt(value, "title"), version, path, ...ownFields(value) }];
  });
}

/** The current pages in a list, with their bodies in one format. */
export function bodiesOf(list: readonly unknown[], format: BodyFormat, ownFields: OwnFields): FoundBody[] {
  return list.flatMap((value) => {
    const body = at(value, "body", format, "value");
    const isEmpty = typeof body !== "string" || body.trim() === "";
    return pagesOf([value], ownFields).map((page) => ({ page, body: isEmpty ? null : body }));
  });
}

/** The entries of a list of ancestors. */
export function ancestorsOf(list: readonly unknown[]): ParentRef[] {
  return list.flatMap((value) => {
    const id = idAt(value, "id");
    return id === "" ? [] : [{ id, type: textAt(value, "type") || "page" }];
  });
}

/** Whether a page has read restrictions. @throws Failure source_invalid if the answer does not say */
export function isRestrictedBy(answer: unknown, id: string): boolean {
  const isRestricted = restrictedAt(answer, "restrictions");
  if (isRestricted !== null) return isRestricted;
  throw new Failure("source_invalid", `The answer does not say whether ${id} is restricted.`);
}
