import { Parser } from "htmlparser2";
import { maxLinks } from "./addresses.ts";
import { jsonOf, objectOf } from "../json.ts";

/** The content of a sitemap (https://www.sitemaps.org/protocol.html). */
export interface Sitemap {
  /** Addresses of pages, as written, with the time of their last change if given. */
  readonly pages: readonly { readonly url: string; readonly changed?: string }[];
  /** Addresses of other sitemaps. */
  readonly sitemaps: readonly string[];
}

/** Reads a sitemap: a urlset, an index of sitemaps, or a text with an address on each line. */
export function readSitemap(text: string): Sitemap {
  if (!text.slice(0, 200).trimStart().startsWith("<")) {
    const lines = text.split("\n").map((line) => line.trim());
    return { pages: lines.filter((line) => /^https?:\/\//i.test(line)).map((url) => ({ url })), sitemaps: [] };
  }
  const pages: { url: string; changed?: string }[] = [];
  const sitemaps: string[] = [];
  const open: string[] = [];
  let fields: Record<string, string> = {};
  const parser = new Parser(
    {
      onopentag(name) {
        open.push(localName(name));
        if (open.length === 2) fields = {};
      },
      ontext(piece) {
        const field = open[2];
        if (open.length === 3 && field !== undefined) fields[field] = (fields[field] ?? "") + piece;
      },
      onclosetag() {
        const entry = open.length === 2 ? open[1] : undefined;
        const url = fields["loc"]?.trim() ?? "";
        const changed = fields["lastmod"]?.trim() ?? "";
        if (url !== "" && entry === "url") pages.push({ url, ...(changed !== "" && { changed }) });
        if (url !== "" && entry === "sitemap" && sitemaps.length < maxLinks) sitemaps.push(url);
        open.pop();
      },
    },
    { xmlMode: true },
  );
  parser.end(text);
  return { pages, sitemaps };
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1).toLowerCase();
}

/** A list of a site's pages, generated for its search. */
export interface SearchIndex {
  /** Its address, relative to the folder of the site. */
  readonly path: string;
  /** Whether a page of the site shows that the list exists. */
  isMadeBy(page: { readonly generator: string; readonly scripts: readonly string[] }): boolean;
  /** Addresses of pages, relative to the folder of the site; undefined for a text that is no such list. */
  pagesIn(text: string): readonly string[] | undefined;
}

/** The supported lists; those of other generators are incomplete, or have no addresses. */
export const searchIndexes: readonly SearchIndex[] = [
  {
    // MkDocs: { docs: [{ location: "guide/#use" }] }
    path: "search/search_index.json",
    isMadeBy: ({ generator }) => /^(?:mkdocs|zensical)/i.test(generator),
    pagesIn: (text) => stringsOf(fieldOf(jsonOf(text), "docs"), "location"),
  },
  {
    // Sphinx: Search.setIndex({ docnames: ["guide/use"], filenames: … })
    path: "searchindex.js",
    isMadeBy: ({ scripts }) => scripts.some((script) => /_static\/(?:documentation_options|doctools)\.js/.test(script)),
    pagesIn(text) {
      const call = "Search.setIndex(";
      const json = text.slice(text.indexOf(call) + call.length, text.lastIndexOf(")"));
      const names = text.includes(call) ? fieldOf(jsonOf(json), "docnames") : undefined;
      return Array.isArray(names)
        ? names.filter((name) => typeof name === "string").map((name) => `${name}.html`)
        : undefined;
    },
  },
  {
    // docusaurus-search-local and similar plugins: [{ documents: [{ u: "/docs/use" }] }]
    path: "search-index.json",
    isMadeBy: ({ generator }) => /^docusaurus/i.test(generator),
    pagesIn(text) {
      const parsed = jsonOf(text);
      if (!Array.isArray(parsed)) return undefined;
      return parsed.flatMap((part: unknown) => stringsOf(fieldOf(part, "documents"), "u") ?? []);
    },
  },
];

function fieldOf(value: unknown, name: string): unknown {
  return objectOf(value)[name];
}

/** The string values of a field in a list of objects; undefined for anything else. */
function stringsOf(list: unknown, name: string): readonly string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.map((entry: unknown) => fieldOf(entry, name)).filter((text) => typeof text === "string");
}
