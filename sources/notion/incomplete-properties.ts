import { idOf, listOf, objectOf, textOf } from "../../extract/notion/raw.ts";
import type { Raw } from "../../extract/notion/raw.ts";

/** Maximum number of entries of a property in the answer for a page (API reference, "Retrieve a page property item"). */
const mostInPage = 25;

/** A property of a row that takes further requests: a relation needs the titles of pages, a long list its other entries. */
export interface IncompleteProperty {
  readonly name: string;
  readonly id: string;
  readonly type: string;
  /** Ids of the pages that a relation names. */
  readonly related: readonly string[];
  readonly isCut: boolean;
}

/** The properties of a row that take further requests. */
export function incompleteProperties({ properties }: Raw): readonly IncompleteProperty[] {
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
