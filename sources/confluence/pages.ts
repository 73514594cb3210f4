import { Failure } from "../../domain/failures.ts";
import type { BodyFormat } from "../../extract/confluence/page.ts";
import type { FoundBody, FoundPage, ParentRef } from "./api.ts";
import { at, idAt, numberAt, pathAt, restrictedAt, textAt } from "./shapes.ts";

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

/** Whether a page has read restrictions, by an answer about it. @throws Failure source_invalid where that does not say */
export function isRestrictedBy(answer: unknown, id: string): boolean {
  const isRestricted = restrictedAt(answer, "restrictions");
  if (isRestricted !== null) return isRestricted;
  throw new Failure("source_invalid", `The answer does not say whether ${id} is restricted.`);
}
