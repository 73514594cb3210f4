import { idOf, textOf, type NotionProperty } from "../../extract/notion/page.ts";
import { propertiesOf, titleOf, byName, propertyText } from "../../extract/notion/properties.ts";
import { parentOf } from "./blocks.ts";
import type { NotionApi } from "./client.ts";
import { undefinedFor } from "../lib/fetch/failures.ts";
import { type Json, listOf, objectOf } from "../../extract/json.ts";

/** A page without its blocks. */
export interface Head {
  readonly title: string;
  /** Time of the last edit, to the minute, as Notion writes it. */
  readonly edited: string;
  /** Kind and id of its parent, as `parentOf` writes them. */
  readonly parent: string;
  /** Id of the database that it is a row of; "" for any other page. */
  readonly database: string;
  readonly isGone: boolean;
  /** Properties of a row. */
  readonly properties: readonly NotionProperty[];
  readonly incomplete: readonly IncompleteProperty[];
}

/** The head of a page; only rows have properties besides their title. */
function headOf(page: Json): Head {
  const parent = objectOf(page["parent"]);
  const isRow = parent["type"] === "data_source_id" || parent["type"] === "database_id";
  return {
    title: titleOf(page),
    edited: textOf(page["last_edited_time"]),
    parent: parentOf(page),
    database: isRow ? idOf(parent["database_id"]) : "",
    isGone: isGone(page),
    properties: isRow ? propertiesOf(page) : [],
    incomplete: isRow ? incompleteProperties(page) : [],
  };
}

/** Whether a page or database is in the trash, or archived. */
export function isGone(raw: Json): boolean {
  return raw["in_trash"] === true || raw["archived"] === true || raw["is_archived"] === true;
}

/** The heads of pages, from the list of all shared pages if that takes fewer requests, else one by one. */
export interface Heads {
  /** Reads more of the list while that takes fewer requests than reading the missing ids one by one. */
  prepare(ids: readonly string[]): Promise<void>;
  /** Reads the list to its end or to `wanted` pages. Returns its ids, and whether there are more pages than Notion lists. */
  all(
    wanted?: number,
  ): Promise<{ readonly pages: readonly string[]; readonly databases: readonly string[]; readonly isCut: boolean }>;
  /** Adds a page or data source from a list. */
  take(raw: Json): void;
  /** Whether the head of a page is known without a request. */
  isListed(id: string): boolean;
  /** Whether an id is that of a database in a list. */
  isDatabase(id: string): boolean;
  /** Whether the list is complete, and lacks this page or database. */
  lacks(id: string): boolean;
  /** @throws Failure for a page that cannot be read */
  of(id: string): Promise<Head>;
}

/** Up to this many missing pages are read one by one; one request for the list has a hundred. */
const fewMissing = 2;

/** Creates the heads; the list is requested only when it is needed. */
export function createHeads(api: NotionApi): Heads {
  const heads = new Map<string, Head>();
  const databases = new Set<string>();
  const listed = new Set<string>();
  let list = api.search("descending");
  let isOver = false;
  let isCut = false;

  const isKnown = (id: string): boolean => heads.has(id) || databases.has(id);
  const take = (raw: Json): void => {
    const id = idOf(raw["id"]);
    if (raw["object"] === "page" && id !== "") heads.set(id, headOf(raw));
    const database = raw["object"] === "data_source" ? idOf(objectOf(raw["parent"])["database_id"]) : "";
    if (database !== "") databases.add(database);
  };
  const more = async (): Promise<void> => {
    const { value, done } = await list.next();
    if (done === true) {
      isOver = true;
      isCut = value === true;
      return;
    }
    for (const raw of value) {
      listed.add(idOf(raw["id"]));
      take(raw);
    }
  };

  return {
    take,
    isListed: (id) => heads.has(id),
    isDatabase: (id) => databases.has(id),
    lacks: (id) => isOver && !isCut && !isKnown(id),
    async prepare(ids) {
      const missing = new Set(ids.filter((id) => !isKnown(id)));
      for (let requests = 0; !isOver && missing.size > fewMissing + requests; requests += 1) {
        await more();
        for (const id of missing) if (isKnown(id)) missing.delete(id);
      }
    },
    async all(wanted = Infinity) {
      while (!isOver && heads.size < wanted) await more();
      if (isCut) {
        // Notion cuts long lists: read from its other end, the list has the pages that were edited longest ago.
        list = api.search("ascending");
        const before = listed.size;
        [isOver, isCut] = [false, false];
        while (!isOver) await more();
        isCut &&= listed.size >= before * 2;
      }
      return { pages: [...heads.keys()], databases: [...databases], isCut };
    },
    async of(id) {
      const known = heads.get(id);
      if (known !== undefined) return known;
      const head = headOf(await api.page(id));
      heads.set(id, head);
      return head;
    },
  };
}

/** Maximum number of entries of a property in the answer for a page (API reference, "Retrieve a page property item"). */
const maxInPage = 25;

/** A property of a row that takes further requests: a relation needs the titles of pages, a long list its other entries. */
interface IncompleteProperty {
  readonly name: string;
  readonly id: string;
  readonly type: string;
  /** Ids of the pages that a relation names. */
  readonly related: readonly string[];
  readonly isCut: boolean;
}

/** The properties of a row that take further requests. */
function incompleteProperties({ properties }: Json): readonly IncompleteProperty[] {
  return Object.entries(objectOf(properties)).flatMap(([name, raw]) => {
    const property = objectOf(raw);
    const type = textOf(property["type"]);
    const held = type === "rollup" ? objectOf(property["rollup"])["array"] : property[type];
    const entries = listOf(held);
    const related = type === "relation" ? entries.map((one) => idOf(objectOf(one)["id"])) : [];
    const mayBeCut = /^(?:people|relation|rollup|rich_text)$/.test(type) && entries.length >= maxInPage;
    const isCut = textOf(property["id"]) !== "" && (mayBeCut || property["has_more"] === true);
    if (!isCut && related.length === 0) return [];
    return [{ name, id: textOf(property["id"]), type, related, isCut }];
  });
}

/** Maximum number of entries of one property that are read. */
const maxRead = 500;
/** Maximum number of related pages that are read one by one; beyond that only titles from lists are used. */
const maxRequested = 200;

/** Completes the properties of a row. @throws Failure */
export type ReadRow = (page: string, head: Head) => Promise<readonly NotionProperty[]>;

/** Creates the reader of rows; a preview requests no titles. */
export function createReadRow(api: NotionApi, heads: Heads, isPreview: boolean): ReadRow {
  let requested = isPreview ? maxRequested : 0;
  const hidden = new Set([""]);

  async function titlesOf(ids: readonly string[]): Promise<string> {
    const titles: string[] = [];
    for (const id of ids.slice(0, maxRead)) {
      const takesRequest = !heads.isListed(id);
      if (hidden.has(id) || (takesRequest && requested >= maxRequested)) continue;
      requested += takesRequest ? 1 : 0;
      const head = await heads.of(id).catch(unlessHidden);
      if (head === undefined) hidden.add(id);
      else if (!head.isGone && head.title !== "") titles.push(head.title);
    }
    return titles.join(", ");
  }

  async function entriesOf(page: string, property: string): Promise<readonly Json[]> {
    const entries: Json[] = [];
    for await (const entry of api.property(page, property)) if (entries.push(entry) >= maxRead) break;
    return entries;
  }

  async function completed(page: string, { id, type, related, isCut }: IncompleteProperty): Promise<string> {
    const entries = isCut ? await entriesOf(page, id) : [];
    if (type === "relation")
      return titlesOf(isCut ? entries.map((one) => idOf(objectOf(one["relation"])["id"])) : related);
    if (type === "rollup") return propertyText({ type, rollup: { type: "array", array: entries.map(asInPage) } });
    return propertyText({ type, [type]: entries.map((one) => one[type]) });
  }

  return async (page, { properties, incomplete }) => {
    if (incomplete.length === 0) return properties;
    if (!isPreview) await heads.prepare(incomplete.flatMap(({ related }) => related));
    const completedProperties = new Map(properties.map((one) => [one.name, one]));
    for (const one of incomplete) {
      const text = (await completed(page, one)).trim();
      if (text !== "") completedProperties.set(one.name, { name: one.name, text });
    }
    return [...completedProperties.values()].toSorted(byName);
  };
}

/** An entry of a list in the form of a page, where values of these types are lists. */
function asInPage(entry: Json): Json {
  const type = textOf(entry["type"]);
  const isList = /^(?:people|relation|rich_text|title)$/.test(type) && !Array.isArray(entry[type]);
  return isList ? { ...entry, [type]: [entry[type]] } : entry;
}

/** Handler for `catch`: undefined for a page that is not shared. */
const unlessHidden = undefinedFor("source_not_found", "source_invalid");
