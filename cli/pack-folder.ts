import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import { create } from "tar";
import { maxUpload } from "../api/forms/upload.ts";
import { Failure } from "../domain/failures.ts";
import { quantity } from "../domain/quantity.ts";

/** What no source reads: hidden files and folders, and installed packages. */
const leftOut = /(?:^|\/)(?:\.[^/]+|node_modules)$/;

/** Packs the files of a folder; `content` tells them in a few words. Links are left out. @throws Failure payload_too_large for more than an upload may have */
export async function packFolder(folder: string) {
  const names = (await readdir(folder)).filter((name) => !leftOut.test(name));
  if (names.length === 0) throw new Failure("validation_error", `${folder} has no files to upload.`);
  let files = 0;
  let bytes = 0;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const filter = (path: string, entry: object): boolean => {
    const is = entry as { isFile?(): boolean; isDirectory?(): boolean };
    const isKept = !leftOut.test(path) && (is.isFile?.() === true || is.isDirectory?.() === true);
    if (isKept && is.isFile?.() === true) files += 1;
    return isKept;
  };
  const prefix = basename(folder);
  // An @ at the beginning would name an archive.
  const entries = names.map((name) => `./${name}`);
  for await (const chunk of create({ gzip: true, cwd: folder, portable: true, prefix, filter }, entries)) {
    bytes += chunk.length;
    if (bytes > maxUpload)
      throw new Failure(
        "payload_too_large",
        `${folder} is packed larger than ${quantity(maxUpload, "byte")}, the most that can be uploaded. Upload a folder inside it, or submit its repository.`,
      );
    chunks.push(new Uint8Array(chunk));
  }
  const content = `${quantity(files, "file")}, ${Math.ceil(bytes / 1000)} kB`;
  return { blob: new Blob(chunks), name: `${prefix}.tar.gz`, content };
}
