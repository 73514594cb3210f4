import type { ChildNode } from "domhandler";

/** What a page is read from: all that decides what it says, as it is handed to extraction. Whatever is in it is from outside. */
export interface ConfluencePart {
  readonly title: string;
  /** Titles of the pages that it stands below, the outermost first. */
  readonly above: readonly string[];
  readonly format: BodyFormat;
  readonly body: string;
  /** Key of its space, by which pages of the same space are called. */
  readonly space: string;
  /** How headings are led to: each product makes fragments of them in its own way. */
  readonly product: Product;
  /** Address below which the product is, without a slash at its end. */
  readonly root: string;
  /** Addresses of the pages that it links to, by their names. */
  readonly links: Readonly<Record<string, string>>;
  /** The pages that it includes, with those that these include, by their names. A name without one is missing. */
  readonly included: Readonly<Record<string, IncludedBody>>;
}

/** The two forms in which Confluence keeps pages. */
export type BodyFormat = "storage" | "atlas_doc_format";

export type Product = "cloud" | "data-center";

/** A page that is included. */
export interface IncludedBody {
  readonly title: string;
  readonly space: string;
  readonly format: BodyFormat;
  readonly body: string;
}

/** A page as pages call each other. */
export interface PageName {
  readonly space: string;
  readonly title: string;
}

/** The name of a page in a text: spaces have no colon in their keys. */
export function nameOf({ space, title }: PageName): string {
  return `${space}:${title}`;
}

/** The page that a macro names as `KEY:Title`, or by its title alone. */
export function parseName(written: string, space: string): PageName {
  const [, key, title] = /^(~?[A-Za-z0-9._-]{1,255}):(.+)$/s.exec(written) ?? [];
  return key === undefined || title === undefined ? { space, title: written } : { space: key, title };
}

/** Path of a page by space key and title, below the product's root: Confluence's oldest form of address, which needs no page ID. */
function displayPath({ space, title }: PageName): string {
  return `display/${encodeURIComponent(space)}/${encodeURIComponent(title).replaceAll("%20", "+")}`;
}

/** The fragment that leads to a heading. */
export function fragmentOf(heading: string, page: string, product: Product): string {
  const words = heading.trim();
  return product === "cloud" ? words.replace(/\s+/g, "-") : `${page}-${words}`.replace(/\s+/g, "");
}

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
