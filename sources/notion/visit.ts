import { Failure, isFailure, toFailureRecord } from "../../domain/failures.ts";
import { notionAddress, type NotionCredential } from "../../domain/kinds/notion.ts";
import type { PageRef, ReadContext, SourceItem } from "../../domain/ports.ts";
import { idOf, plainOf, spansOf, textOf, type NotionPage, type NotionProperty } from "../../extract/notion/page.ts";
import { parentOf, readBlocks } from "./blocks.ts";
import type { NotionApi } from "./client.ts";
import type { FindContainer } from "./container.ts";
import { isGone, type Head, type Heads, type ReadRow } from "./heads.ts";
import { idOfKey, type Found, type Done } from "./progress.ts";
import { schemaOf, titleOf } from "../../extract/notion/properties.ts";
import { listOf, objectOf, type Json } from "../../extract/json.ts";
import type { Validators } from "../../domain/generation.ts";
import { notionPageType } from "../../extract/formats.ts";
import { hashOf } from "../lib/pages/fetching.ts";
import { itemOf } from "../lib/pages/revision.ts";

/** Dependencies of a visit. */
export interface Visiting {
  readonly api: NotionApi;
  readonly heads: Pick<Heads, "of" | "isDatabase" | "take">;
  readonly containerOf: FindContainer;
  readonly readRow: ReadRow;
  readonly context: ReadContext<NotionCredential>;
  /** Keys of the pages that each page led to in the earlier run, by its key. */
  readonly children: ReadonlyMap<string | undefined, readonly string[]>;
  /** When this attempt began, in milliseconds since 1970. */
  readonly began: number;
}

/** Edits this close to a reading, in milliseconds, may be missing in it: the time of an edit is only to the minute. */
const overlap = 180_000;

/**
 * Reads a page or database if it has changed; "later" if that depends on pages that have not been visited yet. A page that fails is an item.
 * @throws Failure source_refused: the integration may read nothing
 */
export async function visit(found: Found, visiting: Visiting): Promise<Visited | "later"> {
  try {
    if (found.isDatabase === true || visiting.heads.isDatabase(found.id)) return await visitDatabase(found, visiting);
    const head = await headOrDatabase(found, visiting);
    return head === "database" ? await visitDatabase(found, visiting) : await visitPage(found, head, visiting);
  } catch (error) {
    const { context } = visiting;
    if (context.signal.aborted || !(error instanceof Failure) || error.code === "source_refused") throw error;
    if (error.code === "source_not_found") return leftOut(found, "refused", error.message);
    return failedVisit(found, error, earlierChildren(found, visiting), context);
  }
}

/** The head of a page; "database" if the id turns out to be that of a database. */
async function headOrDatabase({ id, isDatabase }: Found, { heads, api }: Visiting): Promise<Head | "database"> {
  try {
    return await heads.of(id);
  } catch (error) {
    if (isDatabase !== undefined || !isFailure(error, "source_not_found", "source_invalid")) throw error;
    try {
      await api.database(id);
      return "database";
    } catch (second) {
      throw isFailure(second, "source_refused") ? second : error;
    }
  }
}

async function visitPage(found: Found, head: Head, visiting: Visiting): Promise<Visited | "later"> {
  const located = await locate(found, "page", head, visiting);
  if ("exit" in located) return located.exit;
  return unchangedPage(located.found, head, visiting) ?? readPage(located.found, head, visiting);
}

async function visitDatabase(found: Found, visiting: Visiting): Promise<Visited | "later"> {
  const { api, context, heads } = visiting;
  const database = await api.database(found.id);
  const parent = parentOf(database);
  const located = await locate(found, "database", { isGone: isGone(database), parent, database: "" }, visiting);
  if ("exit" in located) return located.exit;
  const { content, rows } = await readDatabase(api, heads, database);
  return {
    found,
    item: readItem(located.found, content, context),
    children: rows.map((id) => ({ id, isDatabase: false, from: found.id })),
    validators: { etag: parent },
  };
}

/** The outcome for a page or database that is not read, or not yet; else the page with its present container. */
async function locate(
  found: Found,
  noun: "page" | "database",
  head: Pick<Head, "isGone" | "parent" | "database">,
  { containerOf, context: { earlier } }: Visiting,
): Promise<{ readonly exit: Visited | "later" } | { readonly found: Found }> {
  if (head.isGone) return { exit: leftOut(found, "gone", `The ${noun} is in Notion's trash, or archived.`) };
  const before = earlier.validators(notionAddress(found.id))?.etag;
  const container = await containerOf(head, found, before);
  if (container === "later") return { exit: "later" };
  if (container === "elsewhere")
    return { exit: leftOut(found, "gone", "It was moved away from the pages that are read.") };
  return { found: container === undefined ? found : { ...found, from: container } };
}

/** A page with the time of edit and parent of the earlier run whose result is kept; undefined for any other. */
function unchangedPage(found: Found, head: Head, visiting: Visiting): Visited | undefined {
  const { earlier, known } = visiting.context;
  const place = pageRefOf(found);
  const validators = earlier.validators(place.key);
  const last = earlier.page(place.key);
  if (!last || validators?.lastModified !== head.edited || validators.etag !== head.parent) return undefined;
  const page: PageRef = { ...place, fingerprint: last.page.fingerprint };
  if (known(page) === undefined) return undefined;
  return { found, item: { type: "known", page }, children: earlierChildren(found, visiting), validators };
}

async function readPage(found: Found, head: Head, { api, readRow, context, began }: Visiting): Promise<Visited> {
  const { blocks, warnings, children, isSynced } = await readBlocks(api, found.id);
  const properties = await readRow(found.id, head);
  const content: NotionPage = { title: head.title, description: [], properties, blocks, warnings };
  const isSure = !isSynced && began - Date.parse(head.edited) > overlap;
  return {
    found,
    item: readItem(found, content, context),
    children: children.map((child) => ({ ...child, from: found.id })),
    validators: { etag: head.parent, ...(isSure && { lastModified: head.edited }) },
  };
}

/** The pages that a page led to in the earlier run. */
function earlierChildren({ id }: Found, { children }: Visiting): readonly Found[] {
  return (children.get(notionAddress(id)) ?? []).map((key) => ({ id: idOfKey(key), from: id, why: "earlier" }));
}

/** A database as a page, and its rows. */
interface DatabaseRead {
  readonly content: NotionPage;
  /** Ids of the pages of its rows. */
  readonly rows: readonly string[];
}

/** Maximum number of queries of one data source; one has at most ten thousand rows. */
const maxQueries = 50;

/** Reads a database: the schemas and rows of its data sources. @throws Failure */
async function readDatabase(api: NotionApi, heads: Pick<Heads, "take">, database: Json): Promise<DatabaseRead> {
  const sources = listOf(database["data_sources"]).map(objectOf);
  const properties: NotionProperty[] = [];
  const rows = new Set<string>();
  const warnings: string[] = [];
  for (const { id: raw, name } of sources) {
    const source = idOf(raw);
    if (source === "") continue;
    const dataSource = await api.dataSource(source);
    if (isGone(dataSource)) continue;
    const prefix = sources.length > 1 ? `${textOf(name) || plainOf(spansOf(dataSource["title"]))}: ` : "";
    for (const property of schemaOf(dataSource)) properties.push({ ...property, name: `${prefix}${property.name}` });
    if (await listRows(api, heads, source, rows))
      warnings.push(`The database has more rows than Notion lists: ${rows.size} of them are read.`);
  }
  const description = spansOf(database["description"]);
  const content = { title: titleOf(database), description, properties, blocks: [], warnings };
  return { content, rows: [...rows] };
}

/**
 * Adds the rows of a data source. A query ends at ten thousand rows, so the next one begins at the creation time of the last row. Returns
 * whether there are more.
 */
async function listRows(
  api: NotionApi,
  heads: Pick<Heads, "take">,
  source: string,
  rows: Set<string>,
): Promise<boolean> {
  let since: string | undefined;
  for (let queries = 0; queries < maxQueries; queries += 1) {
    const before = rows.size;
    const query = api.rows(source, since);
    let last = since;
    for (;;) {
      const { value, done } = await query.next();
      if (done === true) {
        if (value !== true) return false;
        break;
      }
      const id = idOf(value["id"]);
      if (value["object"] !== "page" || id === "") continue;
      last = textOf(value["created_time"]) || last;
      heads.take(value);
      if (!isGone(value)) rows.add(id);
    }
    if (rows.size === before || last === since) return true;
    since = last;
  }
  return true;
}

/** The outcome of a visit: the item of the page, the pages that it leads to, and the validators for a refresh. */
export interface Visited {
  readonly found: Found;
  readonly item: SourceItem;
  readonly children: readonly Found[];
  readonly validators?: Validators;
}

/** Reason for a page that the list lacks and that was not requested. */
const notAsked = "It is no longer in Notion's list of shared pages, and was not requested by itself.";

/** The reference of a page of which only the id and the way to it are known. */
function pageRefOf({ id, from }: Found): PageRef {
  const key = notionAddress(id);
  return {
    key,
    url: key,
    mediaType: notionPageType,
    fingerprint: "",
    resource: key,
    ...(from !== undefined && { from: notionAddress(from) }),
  };
}

/** Leaves out a page with the reason. A refresh does not look for it again unless the submission names it. */
function leftOut(found: Found, code: "gone" | "refused", reason: string): Visited {
  const { resource: _resource, from: _from, ...page } = pageRefOf(found);
  return { found, item: { type: "skipped", page, code, reason }, children: [] };
}

/** Leaves out a page that the list lacks, without a request for it. */
export function leftUnasked(found: Found): Visited {
  return leftOut(found, "refused", notAsked);
}

/** Whether a page was left out by `leftUnasked`. */
export function isUnasked(item: Done["item"]): boolean {
  return item.type === "skipped" && item.reason === notAsked;
}

/** A page that failed; it keeps the children and the parent of the earlier run. */
function failedVisit(
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

/** The item of a page that was read: too large, unchanged, or new. */
function readItem(found: Found, content: NotionPage, context: ReadContext): SourceItem {
  const { limits } = context;
  const bytes = Buffer.from(JSON.stringify(content));
  const page: PageRef = { ...pageRefOf(found), fingerprint: hashOf(bytes) };
  if (bytes.length > limits.pageBytes) {
    const reason = `The page has ${bytes.length} bytes, more than the ${limits.pageBytes} of MAX_PAGE_BYTES.`;
    return { type: "skipped", page, code: "too_large", reason, bytes: bytes.length };
  }
  return itemOf(context, page, { bytes });
}

/** The part of a visit that the next attempt needs, without the content of the page. */
export function doneOf({ item, validators }: Visited): Done {
  const kept: Done["item"] = item.type === "page" ? { type: "known", page: item.page } : item;
  return { item: kept, ...(validators && { validators }) };
}
