import { idOf, listOf, objectOf, textOf } from "../../extract/notion/raw.ts";
import type { Raw } from "../../extract/notion/raw.ts";

/** Entries that a page has of a property at most; the others are asked for (API reference, "Retrieve a page property item"). */
const mostInPage = 25;

/** A property of a row that takes questions of its own: it names other pages, or a page has only the first of its entries. */
export interface OpenProperty {
  readonly name: string;
  readonly id: string;
  readonly type: string;
  /** Ids of the pages that a relation names. */
  readonly related: readonly string[];
  readonly isCut: boolean;
}

/** The properties of a row that its page does not say in full. */
export function openProperties({ properties }: Raw): readonly OpenProperty[] {
  return Object.entries(objectOf(properties)).flatMap(([name, raw]) => {
    const property = objectOf(raw);
    const type = textOf(property["type"]);
    const held = type === "rollup" ? objectOf(property["rollup"])["array"] : property[type];
    const entries = listOf(held);
    const related = type === "relation" ? entries.map((one) => idOf(objectOf(one)["id"])) : [];
    const mayBeCut = /^(?:people|relation|rollup|rich_text)$/.test(type) && entries.length >= mostInPage;
    const isCut = textOf(property["id"]) !== "" && (mayBeCut || property["has_more"] === true);
    if (!isCut && related.length === 0) return [];
    return [{ name, id: textOf(property["id"]), type, related, isCut }];
  });
}
