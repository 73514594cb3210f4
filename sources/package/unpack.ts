import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "../../domain/failures.ts";
import { refused } from "./archive.ts";
import type { ArchiveRules } from "./archive.ts";
import { safePath } from "./safe-path.ts";
import { tarEntries } from "./tar.ts";
import { zipEntries } from "./zip.ts";
import type { Archive } from "./registry.ts";

/** Which files of an archive are unpacked. */
export interface UnpackRules extends Pick<ArchiveRules, "maxUnpacked" | "signal"> {
  /** Leading folders of every path that are cut off. */
  readonly strip: number;
  /** Whether a file is wanted, by its path. */
  wanted(path: string): boolean;
  /** Cap on one file, in bytes; larger ones are left out. */
  readonly fileBytes: number;
}

/** Numbers of entries that were left out. */
export interface Unpacked {
  readonly links: number;
  readonly tooLarge: number;
  /** Files whose path differs from an earlier one only in case. */
  readonly twins: number;
}

/** Maximum number of files and folders in an archive. */
const maxEntries = 200_000;

/**
 * Unpacks the wanted files of an archive into an empty folder, and never outside of it: a path that leaves the archive refuses the whole
 * archive, and links are left out. `name` is what the archive is called in an error.
 * @throws Failure source_invalid, library_too_large
 */
export async function unpack(
  archive: { readonly path: string; readonly format: Archive["format"]; readonly name: string },
  folder: string,
  { strip, wanted, fileBytes, maxUnpacked, signal }: UnpackRules,
): Promise<Unpacked> {
  const counts = { entries: 0, links: 0, tooLarge: 0, twins: 0 };
  /** Paths by their form on disks that ignore case. */
  const taken = new Map<string, string>();
  const pathOf = (path: string): string => {
    const safe = safePath(path, strip);
    if (safe === null)
      throw refused(
        archive.name,
        `it has a file at ${JSON.stringify(path.slice(0, 100))}, a path that leads out of it or is not plain`,
      );
    return safe;
  };
  const rules: ArchiveRules = {
    maxUnpacked,
    signal,
    wanted(entry) {
      counts.entries += 1;
      if (counts.entries > maxEntries)
        throw new Failure("library_too_large", `The archive of ${archive.name} has more than ${maxEntries} files.`);
      const path = pathOf(entry.path);
      if (entry.type === "link") counts.links += 1;
      if (entry.type !== "file" || path === "" || !wanted(path)) return false;
      if (entry.size > fileBytes) {
        counts.tooLarge += 1;
        return false;
      }
      const key = path.normalize("NFC").toLowerCase();
      const earlier = taken.get(key);
      if (earlier === path) throw refused(archive.name, `it has two files at ${JSON.stringify(path.slice(0, 100))}`);
      if (earlier !== undefined) counts.twins += 1;
      else taken.set(key, path);
      return earlier === undefined;
    },
  };
  const entries = archive.format === "tar" ? tarEntries : zipEntries;
  for await (const { path, bytes } of entries(archive.path, archive.name, rules)) {
    const place = join(folder, pathOf(path));
    try {
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, bytes);
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause && misplaced.has(String(cause.code)))) throw cause;
      const message = `The archive of ${archive.name} is refused: ${JSON.stringify(path.slice(0, 100))} is both a file and a folder in it.`;
      throw new Failure("source_invalid", message, { cause });
    }
  }
  const { entries: _seen, ...left } = counts;
  return left;
}

/** Error codes of a path that is taken by something else, or too long. */
const misplaced: ReadonlySet<string> = new Set(["EEXIST", "EISDIR", "ENOTDIR", "ENAMETOOLONG"]);
