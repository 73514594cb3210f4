import type { PageRef, ReadContext, SourceItem } from "../../../domain/ports.ts";
import { hashOf } from "./fetching.ts";

/** The revision of a source that is known only after reading: a hash of its pages, in any order. */
export function revisionOf(pages: readonly Pick<PageRef, "key" | "fingerprint">[]): string {
  const lines = pages.map(({ key, fingerprint }) => `${key} ${fingerprint}\n`);
  return `sha256-${hashOf(lines.toSorted().join(""))}`;
}

/** The item of a page with a revision of its own, with its content unless passages of the same content exist. */
export function itemOf(
  { known }: Pick<ReadContext, "known">,
  page: PageRef,
  content: { readonly bytes: Uint8Array; readonly firstLine?: number },
): SourceItem {
  if (known(page)) return { type: "known", page };
  return { type: "page", page, revision: `sha256-${page.fingerprint}`, ...content };
}
