/** Changed whenever the same input may give another result, so that stored results are not used again. */
export const extractorVersion = "17";

/** Media types of the files in a tree that are pages, by their lower-case ending; index.ts says how each is read. */
export const mediaTypes = {
  ".md": "text/markdown",
  ".markdown": "text/markdown",
  ".mdx": "text/mdx",
  ".txt": "text/plain",
} as const;

/** Media type of a part of an API description, as `openapi/cut.ts` writes it. */
export const openApiPartType = "application/vnd.lectern.openapi-part+json";

/** Media type of a page of Confluence with what it includes, as `confluence/page.ts` says. */
export const confluencePageType = "application/vnd.lectern.confluence-page+json";

/** Media type of a file of code that a list names as one of its pages. */
export const sourceFileType = "text/vnd.lectern.source-file";

/** Media type of a page of Notion, as JSON of what is read of it (`notion/page.ts`). */
export const notionPageType = "application/vnd.lectern.notion-page+json";

/** Media type of reStructuredText, which is read of packages. */
export const rstType = "text/x-rst";

/** Media types of files that say what a package offers, by language. */
export const apiTypes = {
  typescript: "text/vnd.lectern.api-typescript",
  python: "text/vnd.lectern.api-python",
  rust: "text/vnd.lectern.api-rust",
  go: "text/vnd.lectern.api-go",
} as const;

/** Media types that are read: those of files, HTML of sites, files of code, parts of API descriptions, pages of Notion, and the APIs of packages. */
export type MediaType =
  | (typeof mediaTypes)[keyof typeof mediaTypes]
  | "text/html"
  | typeof sourceFileType
  | typeof rstType
  | typeof openApiPartType
  | typeof confluencePageType
  | typeof notionPageType
  | (typeof apiTypes)[keyof typeof apiTypes];

/** Endings of the paths that are pages, lower-case, with their dot. */
export const extensions = Object.keys(mediaTypes);

/** Media type of a file in a tree; "" if its ending is not one of a page. */
export function mediaTypeOf(path: string): string {
  // What sites write for models is Markdown.
  if (/(?:^|\/)llms(?:-\w{1,20})?\.txt$/i.test(path)) return mediaTypes[".md"];
  const ending = /\.[^./]*$/.exec(path)?.[0].toLowerCase() ?? "";
  return Object.hasOwn(mediaTypes, ending) ? mediaTypes[ending as keyof typeof mediaTypes] : "";
}
