import { toFailureRecord } from "../../domain/failures.ts";
import type { Failure } from "../../domain/failures.ts";
import type { Validators } from "../../domain/generation.ts";
import { notionAddress } from "../../domain/kinds/notion.ts";
import type { PageRef, ReadContext, SourceItem } from "../../domain/ports.ts";
import { notionPageType } from "../../extract/formats.ts";
import type { NotionPage } from "../../extract/notion/page.ts";
import { hashOf } from "../lib/pages/conditional-get.ts";
import type { Done, Found } from "./progress.ts";

/** The outcome of a visit: the item of the page, the pages that it leads to, and what a refresh recognises it by. */
export interface Visited {
  readonly found: Found;
  readonly item: SourceItem;
  readonly children: readonly Found[];
  readonly validators?: Validators;
}

/** Why a page is left out that the list lacks, and that was not asked for. */
const notAsked = "It is not in Notion's list of what is shared any more, and was not asked for by itself.";

/** A page of which only the id is known, and what led to it. */
export function pageRefOf({ id, from }: Found): PageRef {
  const key = notionAddress(id);
  const led = from === undefined ? {} : { from: notionAddress(from) };
  return { key, url: key, mediaType: notionPageType, fingerprint: "", resource: key, ...led };
}

/** Leaves a page out with the reason. A refresh does not look for it again unless the submission names it. */
export function leftOut(found: Found, code: "gone" | "refused", reason: string): Visited {
  const { resource: _resource, from: _from, ...page } = pageRefOf(found);
  return { found, item: { type: "skipped", page, code, reason }, children: [] };
}

/** Leaves a page out that the list lacks, without a request for it. */
export function leftUnasked(found: Found): Visited {
  return leftOut(found, "refused", notAsked);
}

/** Whether a page was left out by `leftUnasked`. */
export function isUnasked(item: Done["item"]): boolean {
  return item.type === "skipped" && item.reason === notAsked;
}

/** A page that failed; it keeps the children and the parent of the earlier run. */
export function failedVisit(
  found: Found,
  failure: Failure,
  children: readonly Found[],
  { earlier }: Pick<ReadContext, "earlier">,
): Visited {
  const page = pageRefOf(found);
  const etag = earlier.validators(page.key)?.etag;
  const item = { type: "failed", page, failure: toFailureRecord(failure) } as const;
  return { found, item, children, ...(etag !== undefined && { validators: { etag } }) };
}

/** The item of a page that was read: too large, known by its content, or new. */
export function itemOf(found: Found, content: NotionPage, { known, limits }: ReadContext): SourceItem {
  const bytes = Buffer.from(JSON.stringify(content));
  const page: PageRef = { ...pageRefOf(found), fingerprint: hashOf(bytes) };
  if (bytes.length > limits.pageBytes) {
    const reason = `The page has ${bytes.length} bytes, more than the ${limits.pageBytes} of MAX_PAGE_BYTES.`;
    return { type: "skipped", page, code: "too_large", reason, bytes: bytes.length };
  }
  if (known(page) !== undefined) return { type: "known", page };
  return { type: "page", page, bytes, revision: `sha256-${page.fingerprint}` };
}

/** A visit as the next attempt needs it, without the content of the page. */
export function doneOf({ item, validators }: Visited): Done {
  const kept: Done["item"] = item.type === "page" ? { type: "known", page: item.page } : item;
  return { item: kept, ...(validators && { validators }) };
}
