import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openPromise } from "yauzl";
import { Failure } from "../../../domain/failures.ts";
import { refused, tooLarge, zipEntries, type ArchiveRules } from "../../../extract/zip.ts";
import { tarEntries } from "./tar.ts";

/** Which files of an archive are unpacked. */
export interface UnpackRules extends Pick<ArchiveRules, "maxUnpacked"> {
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

/** An archive on the disk; `name` is what it is called in an error. */
export interface ArchiveAt {
  readonly format: "tar" | "zip";
  readonly path: string;
  readonly name: string;
}

/** Maximum processor time of unpacking, in milliseconds: a thread takes two seconds for a gigabyte, and ten for the most files. */
export const maxUnpacking = 60_000;

/** Maximum number of files and folders in an archive. */
const maxEntries = 200_000;

/**
 * Unpacks the wanted files of an archive into an empty folder, and never outside of it: an archive with a path that leads out of it is refused,
 * and links are left out.
 * @throws Failure source_invalid, library_too_large
 */
export async function unpack(
  archive: ArchiveAt,
  folder: string,
  { strip, wanted, fileBytes, maxUnpacked }: UnpackRules,
): Promise<Unpacked> {
  const counts = { entries: 0, bytes: 0, links: 0, tooLarge: 0, twins: 0 };
  /** Paths by their form on disks that ignore case. */
  const used = new Map<string, string>();
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
      const earlier = used.get(key);
      if (earlier === path) throw refused(archive.name, `it has two files at ${JSON.stringify(path.slice(0, 100))}`);
      if (earlier !== undefined) {
        counts.twins += 1;
        return false;
      }
      used.set(key, path);
      counts.bytes += entry.size;
      if (counts.bytes > maxUnpacked) throw tooLarge(archive.name, maxUnpacked);
      return true;
    },
  };
  const entries =
    archive.format === "tar"
      ? tarEntries(archive.path, archive.name, rules)
      : zipEntries((options) => openPromise(archive.path, options), archive.name, rules);
  for await (const { path, bytes } of entries) {
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
  const { links, tooLarge: large, twins } = counts;
  return { links, tooLarge: large, twins };
}

/** Error codes of a path that is in use by something else, or too long. */
const misplaced: ReadonlySet<string> = new Set(["EEXIST", "EISDIR", "ENOTDIR", "ENAMETOOLONG"]);

/** Longest path, in characters, and its greatest depth. */
const maxPath = 500;
const maxDepth = 32;

/**
 * A path of an archive without its leading folders; "" is the root. Null for a path that leads out of the archive, or that systems read
 * differently.
 */
function safePath(path: string, strip: number): string | null {
  if (/[\p{Cc}\p{Zl}\p{Zp}\\]/u.test(path) || /^\/|(?:^|\/)[a-z]:/i.test(path)) return null;
  const segments = path
    .replace(/(?<!\/)\/+$/, "")
    .split("/")
    .filter((segment) => segment !== ".");
  if (segments.length > maxDepth || path.length > maxPath || segments.some((one) => one === "" || one === ".."))
    return null;
  return segments.slice(strip).join("/");
}

/** Sentences about what was left out. */
export function leftOutNotes({ links, tooLarge, twins }: Unpacked): readonly string[] {
  return [
    ...(links > 0 ? [`${links} links of the archive are left out.`] : []),
    ...(twins > 0 ? [`${twins} files are left out, as their names differ from others only in case.`] : []),
    ...(tooLarge > 0 ? [`${tooLarge} files of the archive are too large to be read.`] : []),
  ];
}
