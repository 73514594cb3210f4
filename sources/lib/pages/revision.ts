import type { PageRef } from "../../../domain/ports.ts";
import { hashOf } from "./fetching.ts";

/** The revision of a source that is known only after reading: a hash of its pages, in any order. */
export function revisionOf(pages: readonly Pick<PageRef, "key" | "fingerprint">[]): string {
  const lines = pages.map(({ key, fingerprint }) => `${key} ${fingerprint}\n`);
  return `sha256-${hashOf(lines.toSorted().join(""))}`;
}
