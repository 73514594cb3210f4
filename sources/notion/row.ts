import { Failure } from "../../domain/failures.ts";
import type { NotionProperty } from "../../extract/notion/page.ts";
import { byName, propertyText } from "../../extract/notion/properties.ts";
import { idOf, objectOf, textOf } from "../../extract/notion/raw.ts";
import type { Raw } from "../../extract/notion/raw.ts";
import type { NotionApi } from "./client.ts";
import type { Head, Heads } from "./heads.ts";
import type { OpenProperty } from "./open-properties.ts";

/** More entries of one property are left out: nobody reads them. */
const mostRead = 500;
/** Titles of related pages that are asked for one by one in a reading; of those beyond, only what lists say is told. */
const mostAsked = 200;

/** Says all properties of rows; in a preview no titles are asked for that no list has. @throws Failure */
export function openRows(
  api: NotionApi,
  heads: Heads,
  isPreview: boolean,
): (page: string, head: Head) => Promise<readonly NotionProperty[]> {
  let asked = isPreview ? mostAsked : 0;
  const hidden = new Set([""]);

  async function titlesOf(ids: readonly string[]): Promise<string> {
    const titles: string[] = [];
    for (const id of ids.slice(0, mostRead)) {
      const isAsked = !heads.isListed(id);
      if (hidden.has(id) || (isAsked && asked >= mostAsked)) continue;
      asked += isAsked ? 1 : 0;
      const head = await heads.of(id).catch(unlessHidden);
      if (head === undefined) hidden.add(id);
      else if (!head.isGone && head.title !== "") titles.push(head.title);
    }
    return titles.join(", ");
  }

  async function entriesOf(page: string, property: string): Promise<readonly Raw[]> {
    const entries: Raw[] = [];
    for await (const entry of api.property(page, property)) if (entries.push(entry) >= mostRead) break;
    return entries;
  }

  async function textOfOpen(page: string, { id, type, related, isCut }: OpenProperty): Promise<string> {
    const entries = isCut ? await entriesOf(page, id) : [];
    if (type === "relation")
      return titlesOf(isCut ? entries.map((one) => idOf(objectOf(one["relation"])["id"])) : related);
    if (type === "rollup") return propertyText({ type, rollup: { type: "array", array: entries.map(asInPage) } });
    return propertyText({ type, [type]: entries.map((one) => one[type]) });
  }

  return async (page, { properties, open }) => {
    if (open.length === 0) return properties;
    if (!isPreview) await heads.prepare(open.flatMap(({ related }) => related));
    const found = new Map(properties.map((one) => [one.name, one]));
    for (const one of open) {
      const text = (await textOfOpen(page, one)).trim();
      if (text !== "") found.set(one.name, { name: one.name, text });
    }
    return [...found.values()].toSorted(byName);
  };
}

/** An entry of a list as pages have it: values of these types are lists there. */
function asInPage(entry: Raw): Raw {
  const type = textOf(entry["type"]);
  const isList = /^(?:people|relation|rich_text|title)$/.test(type) && !Array.isArray(entry[type]);
  return isList ? { ...entry, [type]: [entry[type]] } : entry;
}

/** A related page that is not shared has no title for us. */
function unlessHidden(error: unknown): undefined {
  if (error instanceof Failure && /^source_(?:not_found|invalid)$/.test(error.code)) return undefined;
  throw error;
}
