import { websiteReader } from "../../sources/website/index.ts";
import type { WebsiteSourceSpec } from "../../domain/kinds/index.ts";
import type { SitePage } from "../support/site.ts";
import { indexedSite, type SiteOptions } from "./site-setup.ts";

/** A page of HTML with links, text and code. */
export function page(name: string, links: readonly string[] = [], head = ""): string {
  const nav = links.map((href) => `<a href="${href}">${href}</a>`).join("");
  return `<!doctype html><html lang="en"><head><title>${name}</title>${head}</head><body><nav>${nav}</nav><main><article><h1>${name}</h1><p>This page tells how ${name} is used, and when it is better not to be used, in a paragraph that is long enough to be one of documentation, with a second clause for good measure and some more.</p><pre><code class="language-js">${name.toLowerCase().replace(/\W+/g, "_")}();\n</code></pre></article></main></body></html>`;
}

/** A website with these pages, and `index` for it; each result is live for the next. */
export async function setup(pages: Readonly<Record<string, SitePage>>, options: SiteOptions = {}) {
  const indexed = await indexedSite<WebsiteSourceSpec>(pages, options, (tools) => websiteReader.create(tools) as never);
  const { site } = indexed;
  const specOf = (path: string, spec: Partial<WebsiteSourceSpec> = {}): WebsiteSourceSpec => ({
    kind: "website",
    url: `${site.origin}${path}`,
    base: null,
    scope: "subpages",
    maxPages: 100,
    maxDepth: 5,
    includePatterns: [],
    excludePatterns: [],
    excludeSelectors: [],
    keepQuery: true,
    keepHash: false,
    ...spec,
  });
  const index = async (path = "/", spec: Partial<WebsiteSourceSpec> = {}, context: object = {}) => {
    const result = await indexed.index(specOf(path, spec), context);
    const { pages: all } = result.manifest;
    const short = (address: string): string => address.replace(site.origin, "");
    const read = all.filter(({ outcome }) => outcome === "indexed").map(({ path: key }) => short(key));
    const left = all
      .filter(({ outcome }) => outcome !== "indexed")
      .map(({ path: key, code }): [string, string | undefined] => [short(key), code]);
    return { ...result, read: read.toSorted(), left: Object.fromEntries(left) };
  };
  return { ...indexed, specOf, index };
}
