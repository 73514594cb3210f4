import { withQuery } from "../../request.ts";

/** The ID of a section's heading. The prefix keeps it apart from the IDs of the dashboard. */
export function sectionId(section: string): string {
  return `s-${section}`;
}

/** Path of a page in the reader. */
export function readerPath(library: string, page?: string, section?: string): string {
  return `${withQuery("/-/read", { library, page })}${section === undefined ? "" : sectionPath(section)}`;
}

/** Path of a section of the page that is shown. */
export function sectionPath(section: string): string {
  return `#${encodeURIComponent(sectionId(section))}`;
}

/** A page of a library by its key, and its address at the source. */
export interface PageName {
  readonly page: string;
  readonly url: string;
}

/** A function with the path in the reader for a link to one of some pages; undefined for other links. */
export function linksTo(library: string, pages: readonly PageName[]): (address: string) => string | undefined {
  const keys = new Map<string, string>();
  const add = (name: string, page: string): void => void (keys.has(name) || keys.set(name, page));
  for (const { page, url } of pages) for (const name of [page, url]) add(name, page);
  // Exact names come first.
  for (const { page, url } of pages) for (const name of [page, url]) add(withoutEnding(name), page);
  return (address) => {
    // Names of pages may have a fragment, too.
    const whole = keys.get(address);
    if (whole !== undefined) return readerPath(library, whole);
    const [name = "", fragment = ""] = address.split("#");
    if (name === "") return fragment === "" ? undefined : sectionPath(decoded(fragment));
    const page = keys.get(name) ?? keys.get(withoutEnding(name));
    return page === undefined ? undefined : readerPath(library, page, decoded(fragment) || undefined);
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A name as links to generated websites have it: without its ending, and that of a folder's page without its last part. */
function withoutEnding(name: string): string {
  return name
    .replace(/\.(?:md|mdx|markdown|rst|adoc|html?|ipynb)$/i, "")
    .replace(/\/(?:index|readme)$/i, "")
    .replace(/\/$/, "");
}
