import type { NotionPage, NotionProperty } from "../../extract/notion/page.ts";
import { descriptionOf, schemaOf, titleOf } from "../../extract/notion/properties.ts";
import { idOf, listOf, objectOf, spansOf, textOf } from "../../extract/notion/raw.ts";
import type { Raw } from "../../extract/notion/raw.ts";
import { plainOf } from "../../extract/notion/inline.ts";
import type { NotionApi } from "./client.ts";
import { isGone } from "./heads.ts";
import type { Heads } from "./heads.ts";

/** A database as a page, and its rows. */
interface DatabaseRead {
  readonly content: NotionPage;
  /** Ids of the pages of its rows. */
  readonly rows: readonly string[];
}

/** Maximum number of queries of one data source; one has at most ten thousand rows. */
const maxQueries = 50;

/** Reads a database: the schemas and rows of its data sources. @throws Failure */
export async function readDatabase(api: NotionApi, heads: Pick<Heads, "take">, database: Raw): Promise<DatabaseRead> {
  const sources = listOf(database["data_sources"]).map(objectOf);
  const properties: NotionProperty[] = [];
  const rows = new Set<string>();
  const warnings: string[] = [];
  for (const { id: raw, name } of sources) {
    const source = idOf(raw);
    if (source === "") continue;
    const found = await api.dataSource(source);
    if (isGone(found)) continue;
    const prefix = sources.length > 1 ? `${textOf(name) || plainOf(spansOf(found["title"]))}: ` : "";
    for (const property of schemaOf(found)) properties.push({ ...property, name: `${prefix}${property.name}` });
    if (await listRows(api, heads, source, rows))
      warnings.push(`The database has more rows than Notion lists: ${rows.size} of them are read.`);
  }
  const description = descriptionOf(database);
  const content = { title: titleOf(database), description, properties, blocks: [], warnings };
  return { content, rows: [...rows] };
}

/**
 * Adds the rows of a data source. A query ends at ten thousand rows, so the next one begins at the time at which the last row
 * was created. Returns whether there are more.
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
