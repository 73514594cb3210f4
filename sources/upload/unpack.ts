import { unpack, type ArchiveAt, type Unpacked, type UnpackRules } from "../lib/archive/unpack.ts";
import { readBeginning } from "../lib/disk/read-file.ts";

/** An uploaded archive to unpack on a thread. */
export interface UploadedArchive extends Omit<ArchiveAt, "format">, Pick<UnpackRules, "fileBytes" | "maxUnpacked"> {
  /** The empty folder to unpack into. */
  readonly folder: string;
}

/** What macOS adds to a zip for each file. */
const ofMac = /^__MACOSX\/|(?:^|\/)\.(?:_|DS_Store$)/;

/** Unpacks an archive by its content, a zip or a tar, as any file may be included by a document. Runs on a thread. @throws as `unpack` */
export async function unpackUpload({ folder, ...archive }: UploadedArchive): Promise<Unpacked> {
  const begin = Buffer.from((await readBeginning(archive.path, 2)) ?? []).toString("latin1");
  const format = begin === "PK" ? "zip" : "tar";
  return unpack({ ...archive, format }, folder, { ...archive, strip: 0, wanted: (file) => !ofMac.test(file) });
}
