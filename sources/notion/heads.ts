import { idOf, objectOf, textOf } from "../../extract/notion/raw.ts";
import type { Raw } from "../../extract/notion/raw.ts";
import { propertiesOf, titleOf } from "../../extract/notion/properties.ts";
import type { NotionProperty } from "../../extract/notion/page.ts";
import { parentOf } from "./blocks.ts";
import type { NotionApi } from "./client.ts";
import { openProperties } from "./open-properties.ts";
import type { OpenProperty } from "./open-properties.ts";

/** What a list, or an answer, says of a page without its blocks. */
export interface Head {
  readonly title: string;
  /** When it was edited last, to the minute, as Notion writes it. */
  readonly edited: string;
  /** Kind and id of what it stands in. */
  readonly parent: string;
  /** The database that it is a row of; "" of any other page. */
  readonly database: string;
  readonly isGone: boolean;
  /** Of a row. */
  readonly properties: readonly NotionProperty[];
  /** Those of them that take questions of their own. */
  readonly open: readonly OpenProperty[];
}

/** Reads the head of a page; only rows have properties beside their title. */
function headOf(page: Raw): Head {
  const parent = objectOf(page["parent"]);
  const isRow = parent["type"] === "data_source_id" || parent["type"] === "database_id";
  return {
    title: titleOf(page),
    edited: textOf(page["last_edited_time"]),
    parent: parentOf(page),
    database: isRow ? idOf(parent["database_id"]) : "",
    isGone: isGone(page),
    properties: isRow ? propertiesOf(page) : [],
    open: isRow ? openProperties(page) : [],
  };
}

/** Whether a page or database is in the trash, or archived. */
export function isGone(raw: Raw): boolean {
  return raw["in_trash"] === true || raw["archived"] === true || raw["is_archived"] === true;
}

/** The heads of pages, from the list of all that are shared as far as that pays, else one by one. */
export interface Heads {
  /** Lists on while that is cheaper than asking for the missing ones one by one. */
  prepare(ids: readonly string[]): Promise<void>;
  /** Lists everything, or as much as is wanted. Returns ids of pages and databases, and whether there are more than are listed. */
  all(
    wanted?: number,
  ): Promise<{ readonly pages: readonly string[]; readonly databases: readonly string[]; readonly isCut: boolean }>;
  /** Takes a page or data source as some list has it. */
  take(raw: Raw): void;
  /** True for a page that some list, or an answer, has. */
  isListed(id: string): boolean;
  /** True for the id of a database that some list has. */
  isDatabase(id: string): boolean;
  /** Whether everything that is shared is listed, and this page or database is not among it. */
  lacks(id: string): boolean;
  /** @throws Failure where the page cannot be read */
  of(id: string): Promise<Head>;
}

/** Number of missing pages from which the list is asked for: one request lists a hundred. */
const fewMissing = 2;

/** Opens the list of what is shared, which is asked for only when it is needed. */
export function openHeads(api: NotionApi): Heads {
  const heads = new Map<string, Head>();
  const databases = new Set<string>();
  const listed = new Set<string>();
  let list = api.search("descending");
  let isOver = false;
  let isCut = false;

  const isKnown = (id: string): boolean => heads.has(id) || databases.has(id);
  const take = (raw: Raw): void => {
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
      for (let asked = 0; !isOver && missing.size > fewMissing + asked; asked += 1) {
        await more();
        for (const id of missing) if (isKnown(id)) missing.delete(id);
      }
    },
    async all(wanted = Infinity) {
      while (!isOver && heads.size < wanted) await more();
      if (isCut) {
        // The list ends at so many: those that were edited longest ago stand at its other end.
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
