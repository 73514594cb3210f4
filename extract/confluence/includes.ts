import type { ChildNode } from "domhandler";
import { displayPath, fragmentOf, nameOf } from "./page.ts";
import type { BodyFormat, ConfluencePart, PageName } from "./page.ts";

/** Where in a page, or in what it includes, the reading is. */
export interface IncludeScope {
  readonly part: ConfluencePart;
  /** Key of the space that names without one are of. */
  readonly space: string;
  /** Names of the pages that are being included, so that none includes itself. */
  readonly within: readonly string[];
  /** How many characters may still be included: one page may include a long one a thousand times. */
  readonly room: { characters: number };
  /** Takes a sentence about what cannot be read. */
  note(sentence: string): void;
  /** Reads a body of either form. */
  read(body: string, format: BodyFormat, place: IncludeScope): readonly ChildNode[];
  /** The excerpt of a body; "" is its only one. */
  excerpt(body: string, format: BodyFormat, name: string, place: IncludeScope): readonly ChildNode[] | undefined;
}

/** Maximum depth of includes. */
const maxDepth = 5;

/** What stands where a page is included: all of it, or its excerpt. */
export function includedAt(
  page: PageName,
  how: { readonly excerpt: string } | "all",
  place: IncludeScope,
): readonly ChildNode[] {
  const name = nameOf(page);
  if (place.within.includes(name) || place.within.length > maxDepth) {
    place.note(`The page "${page.title}" of ${page.space} is included in a circle, or too deep.`);
    return [];
  }
  const found = Object.hasOwn(place.part.included, name) ? place.part.included[name] : undefined;
  if (found === undefined) {
    place.note(`What it includes from the page "${page.title}" of ${page.space} is missing or restricted.`);
    return [];
  }
  place.room.characters -= found.body.length;
  if (place.room.characters < 0) {
    place.note("It includes more than is read: what is beyond that is left out.");
    return [];
  }
  const inner: IncludeScope = { ...place, space: found.space, within: [...place.within, name] };
  if (how === "all") return place.read(found.body, found.format, inner);
  const excerpt = place.excerpt(found.body, found.format, how.excerpt, inner);
  if (excerpt === undefined) place.note(`The page "${page.title}" of ${page.space} has no such excerpt.`);
  return excerpt ?? [];
}

/** The address of a page that is linked to; `anchor` is that of a heading, or "". */
export function addressOf(page: PageName, anchor: string, { part }: IncludeScope): string {
  const name = nameOf(page);
  const known = Object.hasOwn(part.links, name) ? part.links[name] : undefined;
  const address = known ?? `${part.root}/${displayPath(page)}`;
  return anchor === "" ? address : `${address}#${encodeURI(fragmentOf(anchor, page.title, part.product))}`;
}
