import type { ChildNode } from "domhandler";

/** The input for extracting a page: everything that decides its text. All of it is untrusted. */
export interface ConfluencePart {
  readonly title: string;
  /** Titles of its parent pages, the outermost first. */
  readonly above: readonly string[];
  readonly format: BodyFormat;
  readonly body: string;
  /** Key of its space, the default for page names without one. */
  readonly space: string;
  /** Decides how fragments are derived from headings. */
  readonly product: Product;
  /** Base address of the product, without a trailing slash. */
  readonly root: string;
  /** Addresses of the pages it links to, by name. */
  readonly links: Readonly<Record<string, string>>;
  /** The pages it includes, directly or indirectly, by name; missing pages are absent. */
  readonly included: Readonly<Record<string, IncludedBody>>;
}

/** The two formats of Confluence pages. */
export type BodyFormat = "storage" | "atlas_doc_format";

export type Product = "cloud" | "data-center";

/** An included page. */
export type IncludedBody = Pick<ConfluencePart, "title" | "space" | "format" | "body">;

/** The name by which pages refer to a page. */
export type PageName = Pick<ConfluencePart, "space" | "title">;

/** A page name as text, unambiguous as space keys have no colon. */
export function nameOf({ space, title }: PageName): string {
  return `${space}:${title}`;
}

/** Parses `KEY:Title`, or a title alone. */
export function parseName(written: string, space: string): PageName {
  const [, key, title] = /^(~?[A-Za-z0-9._-]{1,255}):(.+)$/s.exec(written) ?? [];
  return key === undefined || title === undefined ? { space, title: written } : { space: key, title };
}

/** The fragment of a heading. */
export function fragmentOf(heading: string, page: string, product: Product): string {
  const words = heading.trim();
  return product === "cloud" ? words.replace(/\s+/g, "-") : `${page}-${words}`.replace(/\s+/g, "");
}

/** The state of reading a page or one of its includes. */
export interface IncludeScope {
  readonly part: ConfluencePart;
  /** Key of the space of page names without one. */
  readonly space: string;
  /** Names of the pages being included, so that none includes itself. */
  readonly within: readonly string[];
  /** Remaining characters that may be included: a page may include a long one a thousand times. */
  readonly budget: { characters: number };
  /** Adds a sentence about a missing part. */
  note(sentence: string): void;
  /** Reads a body of either format. */
  read(body: string, format: BodyFormat, scope: IncludeScope): readonly ChildNode[];
  /** The excerpt of a body by its name, "" for its only one. */
  excerpt(body: string, format: BodyFormat, name: string, scope: IncludeScope): readonly ChildNode[] | undefined;
}

/** Maximum depth of includes. */
const maxDepth = 5;

/** The content of an included page, in whole or its excerpt. */
export function readIncluded(
  page: PageName,
  how: { readonly excerpt: string } | "all",
  scope: IncludeScope,
): readonly ChildNode[] {
  const name = nameOf(page);
  if (scope.within.includes(name) || scope.within.length > maxDepth) {
    scope.note(`The page "${page.title}" of ${page.space} is included in a circle, or too deep.`);
    return [];
  }
  const included = Object.hasOwn(scope.part.included, name) ? scope.part.included[name] : undefined;
  if (included === undefined) {
    scope.note(`What it includes from the page "${page.title}" of ${page.space} is missing or restricted.`);
    return [];
  }
  scope.budget.characters -= included.body.length;
  if (scope.budget.characters < 0) {
    scope.note("It includes more text than the limit; the rest is left out.");
    return [];
  }
  const inner: IncludeScope = { ...scope, space: included.space, within: [...scope.within, name] };
  if (how === "all") return scope.read(included.body, included.format, inner);
  const excerpt = scope.excerpt(included.body, included.format, how.excerpt, inner);
  if (excerpt === undefined) scope.note(`The page "${page.title}" of ${page.space} has no such excerpt.`);
  return excerpt ?? [];
}

/** The address of a linked page. `anchor`: a heading, or "". */
export function addressOf(page: PageName, anchor: string, { part }: IncludeScope): string {
  const name = nameOf(page);
  const known = Object.hasOwn(part.links, name) ? part.links[name] : undefined;
  const title = encodeURIComponent(page.title).replaceAll("%20", "+");
  // Confluence's oldest form of address, by space and title, needs no page ID.
  const address = known ?? `${part.root}/display/${encodeURIComponent(page.space)}/${title}`;
  return anchor === "" ? address : `${address}#${encodeURI(fragmentOf(anchor, page.title, part.product))}`;
}
