import { Failure, toFailureRecord } from "../../domain/failures.ts";
import type { PageRef, ReadContext, SourceItem } from "../../domain/ports.ts";
import type { Validators } from "../../domain/generation.ts";
import { notionAddress } from "../../domain/kinds/notion.ts";
import type { NotionCredential } from "../../domain/kinds/notion.ts";
import { notionPageType } from "../../extract/formats.ts";
import type { NotionPage } from "../../extract/notion/page.ts";
import { hashOf } from "../pages/conditional-get.ts";
import { parentOf, readBlocks } from "./blocks.ts";
import type { NotionApi } from "./client.ts";
import { readDatabase } from "./database.ts";
import { isGone } from "./heads.ts";
import type { Head, Heads } from "./heads.ts";
import type { Placing } from "./placing.ts";
import type { openRows } from "./row.ts";
import { idOfKey } from "./state.ts";
import type { Done, Found } from "./state.ts";

/** What visiting needs. */
export interface Visiting {
  readonly api: NotionApi;
  readonly heads: Heads;
  readonly placing: Placing;
  /** All properties of a row. */
  readonly rowOf: ReturnType<typeof openRows>;
  readonly context: ReadContext<NotionCredential>;
  /** Keys of the pages that each page of the last time led to, by its key. */
  readonly children: ReadonlyMap<string | undefined, readonly string[]>;
  /** When this attempt began, in milliseconds since 1970. */
  readonly began: number;
}

/** What a visit comes to: the item of the page, what it leads to, and by what a refresh knows it. */
export interface Visited {
  readonly found: Found;
  readonly item: SourceItem;
  readonly children: readonly Found[];
  readonly validators?: Validators;
}

/** Edits within this time of a reading may not be in it, nor be told from it by their time, which is to the minute; in milliseconds. */
const overlap = 180_000;

const movedAway = "It was moved away from the pages that are read.";

/** Reads what was found, if it has changed; "later" where that depends on what is still to be visited. One bad page is an item. @throws Failure where the integration may read nothing */
export async function visit(found: Found, visiting: Visiting): Promise<Visited | "later"> {
  const place = placeOf(found);
  try {
    if (found.isDatabase === true || visiting.heads.isDatabase(found.id))
      return await visitDatabase(found, place, visiting);
    const head = await headOrDatabase(found, visiting);
    return head === undefined
      ? await visitDatabase(found, place, visiting)
      : await visitPage(found, place, head, visiting);
  } catch (error) {
    const { context } = visiting;
    if (context.signal.aborted || !(error instanceof Failure) || error.code === "source_refused") throw error;
    if (error.code === "source_not_found") return leftOut(found, "refused", error.message);
    // What it led to is still there.
    const children = earlierChildren(found, visiting);
    const before = context.earlier.validators(place.key)?.etag;
    const validators = before === undefined ? {} : { validators: { etag: before } };
    return { found, item: { type: "failed", page: place, failure: toFailureRecord(error) }, children, ...validators };
  }
}

/** A page of which nothing is known but its id. */
function placeOf({ id, from }: Found): PageRef {
  const key = notionAddress(id);
  const led = from === undefined ? {} : { from: notionAddress(from) };
  return { key, url: key, mediaType: notionPageType, fingerprint: "", resource: key, ...led };
}

/** Why a page goes for which nobody was asked. */
const notAsked = "It is not in Notion's list of what is shared any more, and was not asked for by itself.";

/** A page that goes as a list lacks it, without a question for it alone. */
export function leftUnasked(found: Found): Visited {
  return leftOut(found, "refused", notAsked);
}

/** True for a page that went without a question for it alone. */
export function isUnasked(item: Done["item"]): boolean {
  return item.type === "skipped" && item.reason === notAsked;
}

/** A page that goes, named with the reason: a refresh does not look for it again unless the submission names it. */
function leftOut(found: Found, code: "gone" | "refused", reason: string): Visited {
  const { resource: _resource, from: _from, ...page } = placeOf(found);
  return { found, item: { type: "skipped", page, code, reason }, children: [] };
}

/** The head of a page; undefined where the id is that of a database. */
async function headOrDatabase({ id, isDatabase }: Found, { heads, api }: Visiting): Promise<Head | undefined> {
  try {
    return await heads.of(id);
  } catch (error) {
    const mayBeDatabase =
      isDatabase === undefined &&
      error instanceof Failure &&
      (error.code === "source_not_found" || error.code === "source_invalid");
    if (!mayBeDatabase) throw error;
    try {
      await api.database(id);
      return undefined;
    } catch (second) {
      throw second instanceof Failure && second.code === "source_refused" ? second : error;
    }
  }
}

async function visitPage(found: Found, place: PageRef, head: Head, visiting: Visiting): Promise<Visited | "later"> {
  const { context, api, placing, began } = visiting;
  if (head.isGone) return leftOut(found, "gone", "The page is in Notion's trash, or archived.");
  const before = context.earlier.validators(place.key);
  const container = await placing.containerOf(head, found, before?.etag);
  if (container === "later") return container;
  if (container === "elsewhere") return leftOut(found, "gone", movedAway);
  const at = container === undefined ? found : { ...found, from: container };
  const page = placeOf(at);
  const earlier = context.earlier.page(place.key);
  if (earlier && before?.lastModified === head.edited && before.etag === head.parent) {
    const known: PageRef = { ...page, fingerprint: earlier.page.fingerprint };
    if (context.known(known) !== undefined)
      return {
        found,
        item: { type: "known", page: known },
        children: earlierChildren(at, visiting),
        validators: before,
      };
  }
  const read = await readBlocks(api, found.id);
  const content: NotionPage = {
    title: head.title,
    description: [],
    properties: await visiting.rowOf(found.id, head),
    blocks: read.blocks,
    warnings: read.warnings,
  };
  const isSure = !read.isSynced && began - Date.parse(head.edited) > overlap;
  return {
    found,
    item: itemOf(page, content, context),
    children: read.children.map((child) => ({ ...child, from: found.id })),
    validators: { etag: head.parent, ...(isSure && { lastModified: head.edited }) },
  };
}

async function visitDatabase(found: Found, place: PageRef, visiting: Visiting): Promise<Visited | "later"> {
  const { api, context, heads, placing } = visiting;
  const database = await api.database(found.id);
  if (isGone(database)) return leftOut(found, "gone", "The database is in Notion's trash, or archived.");
  const parent = parentOf(database);
  const before = context.earlier.validators(place.key)?.etag;
  const container = await placing.containerOf({ parent, database: "" }, found, before);
  if (container === "later") return container;
  if (container === "elsewhere") return leftOut(found, "gone", movedAway);
  const { content, rows } = await readDatabase(api, heads, database);
  return {
    found,
    item: itemOf(container === undefined ? place : placeOf({ ...found, from: container }), content, context),
    children: rows.map((id) => ({ id, isDatabase: false, from: found.id })),
    validators: { etag: parent },
  };
}

function itemOf(place: PageRef, content: NotionPage, { known, limits }: ReadContext): SourceItem {
  const bytes = Buffer.from(JSON.stringify(content));
  const page: PageRef = { ...place, fingerprint: hashOf(bytes) };
  if (bytes.length > limits.pageBytes) {
    const reason = `The page has ${bytes.length} bytes, more than the ${limits.pageBytes} of MAX_PAGE_BYTES.`;
    return { type: "skipped", page, code: "too_large", reason, bytes: bytes.length };
  }
  if (known(page) !== undefined) return { type: "known", page };
  return { type: "page", page, bytes, revision: `sha256-${page.fingerprint}` };
}

/** What a page led to the last time. */
function earlierChildren({ id }: Found, { children }: Visiting): readonly Found[] {
  return (children.get(notionAddress(id)) ?? []).map((key) => ({
    id: idOfKey(key),
    from: id,
    why: "earlier",
  }));
}

/** What is kept of a visit, for the next attempt. */
export function doneOf({ item, validators }: Visited): Done {
  const kept: Done["item"] = item.type === "page" ? { type: "known", page: item.page } : item;
  return { item: kept, ...(validators && { validators }) };
}
