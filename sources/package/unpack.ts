import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "../../domain/failures.ts";
import { isIncludable } from "../../extract/includes/index.ts";
import { manifestReader } from "../lib/tree/manifest-formats.ts";
import { nameOf } from "../lib/tree/paths.ts";
import { createDocumentTest } from "../lib/tree/select-files.ts";
import { refused, tooLarge, tarEntries, zipEntries, type ArchiveRules } from "./archive.ts";
import { isExample } from "../lib/tree/source-files.ts";
import { isPythonMetadata } from "./documents.ts";
import type { Archive } from "./registry.ts";

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

/** A downloaded archive; `name` is what it is called in an error. */
interface ArchiveAt extends Pick<Archive, "format"> {
  readonly path: string;
  readonly name: string;
}

/** A package to unpack on a thread: all files that a library may need. */
export interface PackageArchive extends ArchiveAt, Omit<UnpackRules, "wanted"> {
  /** The empty folder to unpack into. */
  readonly folder: string;
  /** Endings of document names in lower case, with the dot. */
  readonly extensions: readonly string[];
  /** Matches the paths of files that may declare the API. */
  readonly api: RegExp;
}

/** Maximum number of files and folders in an archive. */
const maxEntries = 200_000;

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
