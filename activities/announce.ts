import { canBeAsked, foldId, showLibrary } from "../domain/library.ts";
import type {
  BlobStore,
  Catalog,
  GenerationRecord,
  LibraryEntry,
  LibraryIndex,
  LibraryRecord,
  VersionRecord,
} from "../domain/ports.ts";
import { servedSnippets } from "../domain/generation.ts";
import { labelOf } from "../domain/kinds/index.ts";
import { trustOf } from "../domain/trust.ts";
import { newestFirst } from "../domain/versions.ts";
import { readManifest } from "./parts.ts";

/** What announcing needs of the world. */
export interface AnnouncePorts {
  readonly catalog: Catalog;
  readonly blobs: BlobStore;
  readonly libraries: LibraryIndex;
}

/** What the source of a generation says of the library. */
type Described = Pick<LibraryRecord, "title" | "description" | "claims" | "licences" | "repository">;

/**
 * Brings title, description and figures of a library up to date with what is live, in the catalog and in the LibraryIndex, from which a
 * library without anything live, or one that moved, is removed. Doing it again changes nothing.
 */
export async function announceLibrary(ports: AnnouncePorts, uid: string): Promise<void> {
  const said = new Map<string, Described>();
  let announced: LibraryEntry | null | undefined;
  // The library may change between the read and the put, and concurrent announcements may overwrite each other: each reads
  // again after its put, until nothing has changed.
  for (;;) {
    const entry = await entryOf(ports, uid, said);
    if (announced !== undefined && JSON.stringify(entry) === JSON.stringify(announced)) return;
    await (entry === null ? ports.libraries.remove(uid) : ports.libraries.put(entry));
    announced = entry;
  }
}

/**
 * Publishes a generation, and before that puts the entry of a library of which nothing is live, so that searches have it as soon
 * as it can be read. The answer is that of `publish`: whether it did.
 */
export async function announceAhead(
  ports: AnnouncePorts,
  uid: string,
  generation: string,
  publish: () => Promise<boolean>,
): Promise<boolean> {
  const first = await ports.catalog.generations.get(generation);
  const entry = first && (await entryOf(ports, uid, new Map(), first));
  if (entry?.isAhead) await ports.libraries.put(entry);
  const published = await publish();
  if (!published) await announceLibrary(ports, uid);
  return published;
}

/**
 * Updates the catalog with what is live, and answers the library's entry; null where it is to have none. With nothing live,
 * `first` is taken for live.
 */
async function entryOf(
  { catalog, blobs }: AnnouncePorts,
  uid: string,
  said: Map<string, Described>,
  first?: GenerationRecord,
): Promise<LibraryEntry | null> {
  const library = await catalog.libraries.get(uid);
  const known = library ? await catalog.libraries.versionsOf(uid) : [];
  const isAhead = first !== undefined && known.every(({ live }) => live === null);
  const versions = isAhead
    ? known.map((one) => (one.version === first.version ? { ...one, live: first } : one))
    : known;
  const main = versions.find(({ version, live }) => version === "" && live) ?? versions.find(({ live }) => live);
  if (!library || library.redirect !== null || !main?.live) return null;

  const manifest = said.has(main.live.id) ? undefined : await readManifest(blobs, main.live.id);
  // Manifests never change, and some are large.
  const own = said.get(main.live.id) ?? (manifest ? { claims: [], ...manifest } : library);
  said.set(main.live.id, own);
  const { title, description, claims, licences = null, repository = null } = { ...own, ...library.chosen };
  const before = [library.title, library.description, library.claims, library.licences, library.repository];
  if (JSON.stringify([title, description, claims, licences, repository]) !== JSON.stringify(before))
    await catalog.libraries.update(uid, { title, description, claims, licences, repository });
  const entry = toEntry({ ...library, title, description, claims }, main, versions);
  return isAhead ? { ...entry, isAhead } : entry;
}

function toEntry(library: LibraryRecord, main: VersionRecord, versions: readonly VersionRecord[]): LibraryEntry {
  const { live } = main;
  if (!live) throw new Error(`${showLibrary(library.id, main.version)} is not live.`);
  return {
    uid: library.uid,
    key: { teamspace: library.teamspace, id: foldId(library.id) },
    id: library.id,
    title: library.title,
    description: library.description,
    aliases: library.claims,
    source: labelOf(library.source),
    branch: live.ref ?? "",
    versions: newestFirst(
      versions.flatMap(({ version, live: readable }) =>
        version !== "" && readable && canBeAsked(library.id, version) ? [version] : [],
      ),
      library.id,
    ),
    totalSnippets: servedSnippets(live.counts),
    totalTokens: live.counts.tokens,
    trust: trustOf(library),
    ...(typeof library.reputation?.stars === "number" && { stars: library.reputation.stars }),
    updatedAt: live.createdAt,
  };
}
