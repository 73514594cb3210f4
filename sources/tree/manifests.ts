import type { ClaimedName, FileSelection } from "../../domain/source.ts";
import { ownFolder } from "../../domain/source.ts";
import { screenText } from "../../extract/screen/index.ts";
import { parseText } from "../../threads/parse-text.ts";
import type { Threads } from "../../threads/parse-text.ts";
import type { Licences } from "../../domain/licences.ts";
import { chooseLicenceFiles, licencesOf, mayStateLicence } from "./licences.ts";
import { manifestReader } from "./manifest-formats.ts";
import { folderOf, isAmongPackages, nameOf } from "./places.ts";

/** A manifest as it was read. */
export interface ManifestFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Maximum manifests of a tree that are read, those nearest the root first, and that are listed before they are chosen. */
const maxManifests = 200;
const maxRemembered = 20_000;
/** The largest manifest that is read, in bytes. */
export const maxManifestBytes = 200_000;
/** The largest of all manifests together, in bytes. */
const maxBytes = 8_000_000;

/** Folders of packages that nobody installs. */
const unpublished =
  /^(?:\..*|_.*|examples?|samples?|demos?|docs?|documentation|www|web-?sites?|sites?|tests?|testing|testdata|test-.*|.*-tests?|fixtures?|e2e|specs?|snapshots?|goldens?|bench(?:es|marks?)?|templates?|boilerplates?|starters?|playgrounds?|sandbox(?:es)?|scripts?|tools?|tooling|internal|private|vendor|vendored|third[-_]party|external|node_modules|dist|build|target|out|fuzz|evals?|archived?|deprecated|legacy)$/i;
/** A name as registries have them, and a path that may be shown: neither has spaces, so that neither reads as a sentence. */
const packageName = /^(?=.{1,214}$)@?[\p{L}\d][\w.~+-]{0,100}(?:[/:][\w.~+-]{1,100}){0,6}$/u;
const plainPath = /^[\p{L}\p{N}@._+/-]{1,300}$/u;

/** What manifests and licence files say of a library. */
export interface Stated {
  readonly claims: readonly ClaimedName[];
  /** Undefined: not known. */
  readonly licences: Licences | undefined;
}

/** The files of a tree that may be manifests, or have a licence. */
export interface ManifestPaths<Entry> {
  /** Remembers a file if it is named as manifests or licences are. */
  add(path: string, entry: Entry): void;
  readonly entries: ReadonlyMap<string, Entry>;
}

/** Creates the collection for one tree. */
export function createManifestPaths<Entry>(): ManifestPaths<Entry> {
  const entries = new Map<string, Entry>();
  return {
    entries,
    add(path, entry) {
      if (entries.size < maxRemembered && (isManifest(path) || mayStateLicence(path))) entries.set(path, entry);
    },
  };
}

/**
 * The manifests that are read of a tree, the highest first: those of the library's own folder where it has one. Examples, tests,
 * websites and what others wrote are left out, but for folders among packages: `packages/test` is a package.
 */
export function chooseManifests(paths: Iterable<string>, selection: FileSelection): readonly string[] {
  const own = ownFolder(selection);
  return Array.from(paths)
    .filter(
      (path) =>
        isManifest(path) &&
        plainPath.test(path) &&
        (own === "" || path.startsWith(`${own}/`)) &&
        isPublished(path, own),
    )
    .map((path) => ({ path, depth: path.split("/").length }))
    .toSorted((one, other) => one.depth - other.depth || (one.path < other.path ? -1 : 1))
    .slice(0, maxManifests)
    .map(({ path }) => path);
}

function isPublished(path: string, own: string): boolean {
  for (let folder = folderOf(path); folder !== own && folder !== ""; folder = folderOf(folder)) {
    if (unpublished.test(nameOf(folder)) && !isAmongPackages(folderOf(folder))) return false;
  }
  return true;
}

const stating = { module: new URL(import.meta.url), name: "statedIn" };

/** Reads manifests and licence files of a library on a thread. `within` is what the tree is called in an error. @throws Failure source_invalid */
export async function readStated(
  threads: Threads,
  paths: readonly string[],
  selection: FileSelection,
  read: (paths: readonly string[]) => Promise<readonly ManifestFile[]>,
  within: string,
): Promise<Stated> {
  const manifests = chooseManifests(paths, selection);
  const licensing = chooseLicenceFiles(paths, ownFolder(selection));
  const files = await read([...new Set([...manifests, ...licensing])]);
  if (files.length === 0) return { claims: [], licences: undefined };
  return parseText(threads, stating, { files, manifests, licensing }, within);
}

/** What the given files say. */
export function statedIn({
  files,
  manifests,
  licensing,
}: {
  readonly files: readonly ManifestFile[];
  readonly manifests: readonly string[];
  readonly licensing: readonly string[];
}): Stated {
  const among = (paths: readonly string[]): readonly ManifestFile[] => {
    const wanted = new Set(paths);
    return files.filter(({ path }) => wanted.has(path));
  };
  const decoder = new TextDecoder();
  const texts = among(licensing).map(({ path, bytes }) => ({ path, text: decoder.decode(bytes) }));
  return { claims: claimedNames(among(manifests)), licences: licencesOf(texts) };
}

function isManifest(path: string): boolean {
  return manifestReader(nameOf(path)) !== undefined;
}

/** The names that manifests claim, each once, by the highest that does. What cannot be read claims none. */
export function claimedNames(files: readonly ManifestFile[]): readonly ClaimedName[] {
  const claims = new Map<string, ClaimedName>();
  let left = maxBytes;
  const decoder = new TextDecoder();
  for (const { path, bytes } of byDepth(files)) {
    left -= bytes.length;
    if (left < 0) break;
    const name = readName(path, decoder.decode(bytes));
    if (name === undefined || claims.has(name)) continue;
    const claim = { name, manifest: path };
    if (isPlainClaim(claim)) claims.set(name, claim);
  }
  return [...claims.values()];
}

/** Whether a claim may be shown: what it says is a name and a path, and no order to its reader. */
export function isPlainClaim({ name, manifest }: ClaimedName): boolean {
  const isPlain = packageName.test(name) && plainPath.test(manifest);
  return isPlain && screenText(name).length === 0 && screenText(manifest).length === 0;
}

function byDepth(files: readonly ManifestFile[]): readonly ManifestFile[] {
  const depth = ({ path }: ManifestFile): number => path.split("/").length;
  return files.toSorted((one, other) => depth(one) - depth(other) || (one.path < other.path ? -1 : 1));
}

/** A manifest is read as far as it is one: half of a template or of a fixture parses as nothing, and that is no fault of the library. */
function readName(path: string, text: string): string | undefined {
  try {
    return manifestReader(nameOf(path))?.(text);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
