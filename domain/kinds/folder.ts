import { deriveDocsId } from "../library.ts";
import { ownFolder, type FileSelection } from "../source.ts";
import type { SourceKind } from "./kind.ts";

/** A folder on the server's own disk. */
export interface FolderSourceSpec {
  readonly kind: "folder";
  readonly path: string;
  readonly selection: FileSelection;
}

export const folderKind: SourceKind<FolderSourceSpec> = {
  kind: "folder",
  sourceType: () => "uploaded_files",
  idPrefix: () => "docs",
  deriveId: (_spec, title) => deriveDocsId(title),
  label: () => "folder",
  location: ({ path }) => path,
  at: (spec, path) => ({ ...spec, path }),
  onDisk: true,
  hasPaths: true,
  order: "source",
  host: () => null,
  address: (_spec, pageUrl, { lines }) => (lines ? `${pageUrl}#L${lines[0]}-L${lines[1]}` : pageUrl),
  ownFolder: ({ selection }) => ownFolder(selection),
  keepsTitle: true,
};
