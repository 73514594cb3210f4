import { ownFolder, type ClaimedName, type FileSelection, type Licences } from "../../../domain/source.ts";
import { decodeText } from "../../../extract/decode.ts";
import { screenText } from "../../../extract/screen/index.ts";
import { asOneLine } from "../../../extract/sentences.ts";
import { parseText, type Threads } from "../threads/thread-pool.ts";
import { chooseLicenceFiles, licencesOf, mayStateLicence } from "./licences.ts";
import { manifestReader, unlessMalformed } from "./manifest-formats.ts";
import { isAmongPackages, folderOf, nameOf } from "./paths.ts";

/** A manifest or licence file with its content. */
export interface ManifestFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Maximum number of manifests that are read, nearest the root first, and of candidates that are kept. */
const maxManifests = 200;
const maxRemembered = 20_000;
/** Largest size of a manifest, in bytes. */
export const maxManifestBytes = 200_000;
/** Maximum length of a description, in characters. */
const maxDescription = 500;
/** Cap on all manifests together, in bytes. */
const maxBytes = 8_000_000;

/** Folders whose packages are not published. */
const unpublished =
  /^(?:\..*|_.*|examples?|samples?|demos?|docs?|documentation|www|web-?sites?|sites?|tests?|testing|testdata|test-.*|.*-tests?|fixtures?|e2e|specs?|snapshots?|goldens?|bench(?:es|marks?)?|templates?|boilerplates?|starters?|playgrounds?|sandbox(?:es)?|scripts?|tools?|tooling|internal|private|vendor|vendored|third[-_]party|external|node_modules|dist|build|target|out|fuzz|evals?|archived?|deprecated|legacy)$/i;
/** Names of packages and paths that may be shown. They have no spaces, so they can't be sentences. */
const packageName = /^(?=.{1,214}$)@?[\p{L}\d][\w.~+-]{0,100}(?:[/:][\w.~+-]{1,100}){0,6}$/u;
const plainPath = /^[\p{L}\p{N}@._+/-]{1,300}$/u;

/** The content of manifests and licence files. */
export interface ManifestFacts {
  readonly claims: readonly ClaimedName[];
  /** Undefined if unknown. */
  readonly licences: Licences | undefined;
}

/** Creates the collection of a tree's files that are named like manifests or licences. */
export function createManifestPaths<Entry>() {
  const entries = new Map<string, Entry>();
  return {
    entries,
    /** Adds a file if its name is that of a manifest or licence. */
    add(path: string, entry: Entry): void {
      if (entries.size < maxRemembered && (isManifest(path) || mayStateLicence(path))) entries.set(path, entry);
    },
  };
}

/**
 * The manifests to read, nearest the root first. If the library has an own folder, only manifests there. Examples, tests, websites and
 * vendored packages are left out, but not folders among packages: `packages/test` is a package.
 */
export function chooseManifests(paths: Iterable<string>, selection: FileSelection): readonly string[] {
  const libraryFolder = ownFolder(selection);
  const wanted = Array.from(paths).filter(
    (path) =>
      isManifest(path) &&
      plainPath.test(path) &&
      (libraryFolder === "" || path.startsWith(`${libraryFolder}/`)) &&
      isPublished(path, libraryFolder),
  );
  return highestFirst(wanted, (path) => path).slice(0, maxManifests);
}

function isPublished(path: string, libraryFolder: string): boolean {
  for (let folder = folderOf(path); folder !== libraryFolder && folder !== ""; folder = folderOf(folder)) {
    if (unpublished.test(nameOf(folder)) && !isAmongPackages(folderOf(folder))) return false;
  }
  return true;
}

const parsing = { module: new URL(import.meta.url), name: "manifestFactsIn" };

/**
 * Reads and parses the manifests and licence files of a library, on a thread. Errors call the tree `within`.
 * @throws Failure source_invalid
 */
export async function readManifestFacts(
  threads: Threads,
  paths: readonly string[],
  selection: FileSelection,
  read: (paths: readonly string[]) => Promise<readonly ManifestFile[]>,
  within: string,
): Promise<ManifestFacts> {
  const manifests = chooseManifests(paths, selection);
  const licensing = chooseLicenceFiles(paths, ownFolder(selection));
  const files = await read([...new Set([...manifests, ...licensing])]);
  if (files.length === 0) return { claims: [], licences: undefined };
  return parseText(threads, parsing, { files, manifests, licensing }, within);
}

/** Parses manifests and licence files. */
export function manifestFactsIn({
  files,
  manifests,
  licensing,
}: {
  readonly files: readonly ManifestFile[];
  readonly manifests: readonly string[];
  readonly licensing: readonly string[];
}): ManifestFacts {
  const texts = files
    .filter(({ path }) => licensing.includes(path))
    .map(({ path, bytes }) => ({ path, text: decodeText(bytes).text }));
  return { claims: claimedNames(files.filter(({ path }) => manifests.includes(path))), licences: licencesOf(texts) };
}

function isManifest(path: string): boolean {
  return manifestReader(nameOf(path)) !== undefined;
}

/** The names that manifests claim, each once, with the manifest nearest the root. Malformed ones are ignored. */
export function claimedNames(files: readonly ManifestFile[]): readonly ClaimedName[] {
  const claims = new Map<string, ClaimedName>();
  let left = maxBytes;
  for (const { path, bytes } of highestFirst(files, (file) => file.path)) {
    left -= bytes.length;
    if (left < 0) break;
    const facts = unlessMalformed(() => manifestReader(nameOf(path))?.(decodeText(bytes).text));
    const { name, description } = facts ?? {};
    if (typeof name !== "string" || claims.has(name)) continue;
    const described = typeof description === "string" ? asOneLine(description).slice(0, maxDescription) : "";
    const claim = { name, manifest: path, ...(described !== "" && { description: described }) };
    if (isPlainClaim(claim)) claims.set(name, claim);
  }
  return [...claims.values()];
}

/** Whether a claim may be shown: its name and path are plain, and contain no instructions to agents. */
export function isPlainClaim({ name, manifest }: ClaimedName): boolean {
  const isPlain = packageName.test(name) && plainPath.test(manifest);
  return isPlain && screenText(name).length === 0 && screenText(manifest).length === 0;
}

/** Sorts files nearest the root first. */
function highestFirst<File>(files: readonly File[], pathOf: (file: File) => string): readonly File[] {
  return files
    .map((file) => ({ file, path: pathOf(file), depth: pathOf(file).split("/").length }))
    .toSorted((one, other) => one.depth - other.depth || (one.path < other.path ? -1 : 1))
    .map(({ file }) => file);
}
