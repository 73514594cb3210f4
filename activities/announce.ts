import { canBeAsked, foldId } from "../domain/library.ts";
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
import type { Subject } from "../domain/subject.ts";
import { subjectOf } from "./outline.ts";
import { readManifest } from "./parts.ts";

/** The ports that announcing uses. */
export interface AnnouncePorts {
  readonly catalog: Catalog;
  readonly blobs: BlobStore;
  readonly libraries: LibraryIndex;
}

/** The facts about a library that its source states, and what its generation is about. */
interface Described extends Pick<LibraryRecord, "title" | "description" | "claims" | "licences" | "repository"> {
  readonly subject: Subject | undefined;
}

/** What is put into the LibraryIndex. */
interface Announcement {
  readonly entry: LibraryEntry;
  readonly subject: Subject | undefined;
}

/**
 * Updates title, description and figures of a library, in the catalog and in the LibraryIndex, to those of its live generations. A library
 * that redirects or has no live generation is removed from the LibraryIndex. Idempotent.
 */
export async function announceLibrary(ports: AnnouncePorts, uid: string): Promise<void> {
  const cached = new Map<string, Described>();
  let announced: Announcement | null | undefined;
  // The library may change between read and put, and concurrent announcements may overwrite each other: each reads
  // again after its put, until nothing has changed.
  for (;;) {
    const found = await announcementOf(ports, uid, cached);
    if (announced !== undefined && JSON.stringify(found) === JSON.stringify(announced)) return;
    await (found === null ? ports.libraries.remove(uid) : ports.libraries.put(found.entry, found.subject));
    announced = found;
  }
}

/**
 * Publishes a generation. If its library has nothing live yet, the entry is put into the LibraryIndex first, so that searches find the
 * library as soon as it can be read. Returns the result of `publish`.
 */
export async function publishAnnounced(
  ports: AnnouncePorts,
  uid: string,
  generation: string,
  publish: () => Promise<boolean>,
): Promise<boolean> {
  const first = await ports.catalog.generations.get(generation);
  const ahead = first && (await announcementOf(ports, uid, new Map(), first));
  if (ahead?.entry.isAhead) await ports.libraries.put(ahead.entry, ahead.subject);
  const published = await publish();
  if (!published) await announceLibrary(ports, uid);
  return published;
}

/** Updates the catalog, and returns the library's entry and subject; null: it must have none. If nothing is live, `first` counts as live. */
async function announcementOf(
  { catalog, blobs }: AnnouncePorts,
  uid: string,
  cached: Map<string, Described>,
  first?: GenerationRecord,
): Promise<Announcement | null> {
  const library = await catalog.libraries.get(uid);
  const known = library ? await catalog.libraries.versionsOf(uid) : [];
  const isAhead = first !== undefined && known.every(({ live }) => live === null);
  const versions = isAhead
    ? known.map((one) => (one.version === first.version ? { ...one, live: first } : one))
    : known;
  const main = versions.find(({ version, live }) => version === "" && live) ?? versions.find(({ live }) => live);
  if (!library || library.redirect !== null || !main?.live) return null;

  const described = cached.get(main.live.id) ?? (await describedBy(blobs, library, main.live.id));
  // Generations never change, and some are large.
  cached.set(main.live.id, described);
  const { title, description, licences = null, repository = null } = { ...described, ...library.chosen };
  const claims = described.claims.map(({ name, manifest: path }) => ({ name, manifest: path }));
  const before = [library.title, library.description, library.claims, library.licences, library.repository];
  if (JSON.stringify([title, description, claims, licences, repository]) !== JSON.stringify(before))
    await catalog.libraries.update(uid, { title, description, claims, licences, repository });
  const entry = toEntry({ ...library, title, description, claims }, main.live, versions);
  return { entry: isAhead ? { ...entry, isAhead } : entry, subject: described.subject };
}

async function describedBy(blobs: BlobStore, library: LibraryRecord, generation: string): Promise<Described> {
  const manifest = await readManifest(blobs, generation);
  return { ...(manifest ? { claims: [], ...manifest } : library), subject: await subjectOf(blobs, generation) };
}

function toEntry(library: LibraryRecord, live: GenerationRecord, versions: readonly VersionRecord[]): LibraryEntry {
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
