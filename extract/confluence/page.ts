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
export function displayPath({ space, title }: PageName): string {
  return `display/${encodeURIComponent(space)}/${encodeURIComponent(title).replaceAll("%20", "+")}`;
}

/** The fragment that leads to a heading. */
export function fragmentOf(heading: string, page: string, product: Product): string {
  const words = heading.trim();
  return product === "cloud" ? words.replace(/\s+/g, "-") : `${page}-${words}`.replace(/\s+/g, "");
}
