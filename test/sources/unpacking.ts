import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unpack } from "../../sources/lib/archive/unpack.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

/** Unpacks an archive; `files` are those in the folder and next to it afterwards. */
export async function unpacked(archive: Buffer, format: "tar" | "zip" = "tar", more: object = {}) {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "archive");
  await writeFile(path, archive);
  const root = join(folder.path, "in", "package");
  await mkdir(root, { recursive: true });
  const rules = {
    strip: 1,
    wanted: () => true,
    fileBytes: 1e6,
    maxUnpacked: 5e6,
  };
  const result = await unpack({ path, format, name: "widgets" }, root, { ...rules, ...more }).catch(
    (error: unknown) => error,
  );
  const all = await readdir(folder.path, { recursive: true });
  return { result, files: all.filter((file) => file !== "archive" && file !== "in" && file !== join("in", "package")) };
}
