import type { documentEndings } from "../domain/kinds/upload.ts";

/** Changed whenever the same input may give another result, so that stored results are not reused. */
export const extractorVersion = "23";

/** Media type of reStructuredText. */
export const rstType = "text/x-rst";

/** Media types of pages in a tree, by lower-case extension; index.ts has their readers. */
const mediaTypes = {
  ".md": "text/markdown",
  ".markdown": "text/markdown",
  ".mdx": "text/mdx",
  ".qmd": "text/markdown",
  ".rmd": "text/markdown",
  ".markdoc": "text/x-markdoc",
  ".mdoc": "text/x-markdoc",
  ".txt": "text/plain",
  ".ipynb": "application/x-ipynb+json",
  ".html": "text/html",
  ".htm": "text/html",
  ".xhtml": "text/html",
  ".adoc": "text/asciidoc",
  ".asciidoc": "text/asciidoc",
  ".asc": "text/asciidoc",
  ".rst": rstType,
  ".rest": rstType,
} as const;

/** Media types of documents that are written with a word processor, or printed, by lower-case extension. Trees of source code have other ones. */
const officeTypes = {
  ".pdf": "application/pdf",
  ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
} as const;

type Endings = (typeof documentEndings)[number];

/** Media types of pages in folders and uploads. */
export const documentTypes = {
  ...mediaTypes,
  ...officeTypes,
} as const satisfies Record<Endings, string>;

/** Media type of a part of an API description (`openapi/cut.ts`). */
export const openApiPartType = "application/vnd.lectern.openapi-part+json";

/** Media type of a Confluence page with its includes, as JSON (`confluence/page.ts`). */
export const confluencePageType = "application/vnd.lectern.confluence-page+json";

/** Media type of a source file that a list names as a page. */
export const sourceFileType = "text/vnd.lectern.source-file";

/** Media type of a Notion page, as JSON (`notion/page.ts`). */
export const notionPageType = "application/vnd.lectern.notion-page+json";

/** Media types of files that declare an API, by language; TypeScript is JavaScript too, and C++ is C. */
export const apiTypes = {
  typescript: "text/vnd.lectern.api-typescript",
  python: "text/vnd.lectern.api-python",
  rust: "text/vnd.lectern.api-rust",
  go: "text/vnd.lectern.api-go",
  java: "text/vnd.lectern.api-java",
  csharp: "text/vnd.lectern.api-csharp",
  ruby: "text/vnd.lectern.api-ruby",
  php: "text/vnd.lectern.api-php",
  cpp: "text/vnd.lectern.api-cpp",
} as const;

/** Endings of source files by language: of C and C++, those of headers. */
const sourceEndings = {
  typescript: "ts mts cts tsx js mjs cjs jsx",
  python: "py pyi",
  rust: "rs",
  go: "go",
  java: "java",
  csharp: "cs",
  ruby: "rb",
  php: "php",
  cpp: "h hh hpp hxx",
} satisfies Record<keyof typeof apiTypes, string>;

/** The media types that are read. */
export type MediaType =
  | (typeof documentTypes)[keyof typeof documentTypes]
  | typeof sourceFileType
  | typeof openApiPartType
  | typeof confluencePageType
  | typeof notionPageType
  | (typeof apiTypes)[keyof typeof apiTypes];

const sourceTypes = new Map(
  Object.entries(sourceEndings).flatMap(([language, endings]) =>
    endings.split(" ").map((ending) => [ending, apiTypes[language as keyof typeof apiTypes]] as const),
  ),
);

/** The media type of a source file whose declarations are read; undefined for other files. */
export function sourceTypeOf(path: string): (typeof apiTypes)[keyof typeof apiTypes] | undefined {
  return sourceTypes.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase());
}

/** Extensions of pages, lower-case, with their dot. */
export const extensions = Object.keys(mediaTypes);

/** Extensions of pages in folders and uploads. The type says that there is a media type for each, and that none is missing. */
export const documentExtensions = Object.keys(documentTypes) as (keyof typeof documentTypes)[] satisfies Endings[];

/** The media type of a file; "" if its extension is not that of a page. */
export function mediaTypeOf(path: string): string {
  // llms.txt files are Markdown.
  if (/(?:^|\/)llms(?:-\w{1,20})?\.txt$/i.test(path)) return mediaTypes[".md"];
  const ending = /\.[^./]*$/.exec(path)?.[0].toLowerCase() ?? "";
  return Object.hasOwn(documentTypes, ending) ? documentTypes[ending as keyof typeof documentTypes] : "";
}
