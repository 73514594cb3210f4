import { isIncludable } from "../../extract/includes/index.ts";
import { unpack, type ArchiveAt, type Unpacked, type UnpackRules } from "../lib/archive/unpack.ts";
import { manifestReader } from "../lib/tree/manifest-formats.ts";
import { nameOf } from "../lib/tree/paths.ts";
import { createDocumentTest } from "../lib/tree/select-files.ts";
import { isExample } from "../lib/tree/source-files.ts";
import { isPythonMetadata } from "./documents.ts";

/** A package to unpack on a thread: all files that a library may need. */
export interface PackageArchive extends ArchiveAt, Omit<UnpackRules, "wanted"> {
  /** The empty folder to unpack into. */
  readonly folder: string;
  /** Endings of document names in lower case, with the dot. */
  readonly extensions: readonly string[];
  /** Matches the paths of files that may declare the API. */
  readonly api: RegExp;
}

/** Unpacks a package. Runs on a thread. @throws as `unpack` */
export function unpackPackage({ extensions, api, folder, ...archive }: PackageArchive): Promise<Unpacked> {
  const isDocument = createDocumentTest(extensions);
  return unpack(archive, folder, {
    ...archive,
    wanted: (file) =>
      isDocument(file) ||
      api.test(file) ||
      isExample(file) ||
      isIncludable(file) ||
      manifestReader(nameOf(file)) !== undefined ||
      isPythonMetadata(file),
  });
}
