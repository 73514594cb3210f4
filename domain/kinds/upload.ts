import { deriveDocsId } from "../library.ts";
import type { SourceKind } from "./kind.ts";

/** An uploaded document, or an archive of documents. */
export interface UploadSourceSpec {
  readonly kind: "upload";
  /** Name of the file as it was uploaded, without folders. */
  readonly fileName: string;
}

/** Endings of the documents that are taken, in lower case, with the dot; `extract/formats.ts` has the media type of each. */
export const documentEndings = [
  ".md",
  ".markdown",
  ".mdx",
  ".qmd",
  ".rmd",
  ".markdoc",
  ".mdoc",
  ".txt",
  ".ipynb",
  ".adoc",
  ".asciidoc",
  ".asc",
  ".rst",
  ".rest",
  ".html",
  ".htm",
  ".xhtml",
  ".pdf",
  ".docx",
  ".pptx",
] as const;

export const uploadKind: SourceKind<UploadSourceSpec> = {
  kind: "upload",
  sourceType: () => "uploaded_files",
  idPrefix: () => "docs",
  deriveId: (_spec, title) => deriveDocsId(title),
  location: ({ fileName }) => fileName,
  at: (spec) => spec,
  hasPaths: true,
  order: "source",
  host: () => null,
  address(_spec, pageUrl, { lines, fragment }) {
    if (lines) return `${pageUrl}#L${lines[0]}-L${lines[1]}`;
    return fragment === undefined ? pageUrl : `${pageUrl}#${fragment}`;
  },
  keepsTitle: true,
};
