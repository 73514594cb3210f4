import type { NotionProperty } from "../../extract/notion/page.ts";
import { byName, propertyText } from "../../extract/notion/properties.ts";
import { idOf, objectOf, textOf } from "../../extract/notion/raw.ts";
import type { Raw } from "../../extract/notion/raw.ts";
import { undefinedFor } from "../lib/fetch/failures.ts";
import type { NotionApi } from "./client.ts";
import type { Head, Heads } from "./heads.ts";
import type { IncompleteProperty } from "./incomplete-properties.ts";

/** Maximum number of entries of one property that are read. */
const mostRead = 500;
/** Maximum number of related pages that a reading asks for one by one; beyond that only titles from lists are used. */
const mostAsked = 200;

/** Completes the properties of a row. @throws Failure */
export type ReadRow = (page: string, head: Head) => Promise<readonly NotionProperty[]>;

/** Creates the reader of rows; in a preview no titles are asked for. */
export function createReadRow(api: NotionApi, heads: Heads, isPreview: boolean): ReadRow {
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
    const found = new Map(properties.map((one) => [one.name, one]));
    for (const one of incomplete) {
      const text = (await completed(page, one)).trim();
      if (text !== "") found.set(one.name, { name: one.name, text });
    }
    return [...found.values()].toSorted(byName);
  };
}

/** An entry of a list in the form of a page, where values of these types are lists. */
function asInPage(entry: Raw): Raw {
  const type = textOf(entry["type"]);
  const isList = /^(?:people|relation|rich_text|title)$/.test(type) && !Array.isArray(entry[type]);
  return isList ? { ...entry, [type]: [entry[type]] } : entry;
}

/** Handler for `catch`: undefined for a page that is not shared. */
const unlessHidden = undefinedFor("source_not_found", "source_invalid");
