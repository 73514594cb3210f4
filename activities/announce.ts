import { foldId, showLibrary } from "../domain/library.ts";
import type { BlobStore, Catalog, LibraryEntry, LibraryIndex, LibraryRecord, VersionRecord } from "../domain/ports.ts";
import { servedSnippets } from "../domain/generation.ts";
import { kindOf } from "../domain/kinds/index.ts";
import { newestFirst } from "../domain/versions.ts";
import { readManifest } from "./parts.ts";

/** What announcing needs of the world. */
export interface AnnouncePorts {
  readonly catalog: Catalog;
  readonly blobs: BlobStore;
  readonly libraries: LibraryIndex;
}

/**
 * Brings title, description and figures of a library up to date with what is live, in the catalog and in the
 * LibraryIndex; a library without anything live, or one that moved, is taken out of the LibraryIndex. Doing it again changes nothing.
 */
export async function announceLibrary({ catalog, blobs, libraries }: AnnouncePorts, uid: string): Promise<void> {
  const library = await catalog.libraries.get(uid);
  const versions = library ? await catalog.libraries.versionsOf(uid) : [];
  const main = versions.find(({ version, live }) => version === "" && live) ?? versions.find(({ live }) => live);
  if (!library || library.redirect !== null || !main?.live) return libraries.remove(uid);

  const manifest = await readManifest(blobs, main.live.id);
  const { title, description } = { ...(manifest ?? library), ...library.chosen };
  if (title !== library.title || description !== library.description)
    await catalog.libraries.update(uid, { title, description });
  await libraries.put(toEntry({ ...library, title, description }, main, versions));
  // A deletion or a redirect may have come between.
  if ((await catalog.libraries.get(uid))?.redirect !== null) await libraries.remove(uid);
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
    aliases: [],
    source: kindOf(library.source).label(library.source),
    branch: live.ref ?? "",
    versions: newestFirst(
      versions.flatMap(({ version, live: readable }) => (version !== "" && readable ? [version] : [])),
      library.id,
    ),
    totalSnippets: servedSnippets(live.counts),
    totalTokens: live.counts.tokens,
    trust: library.trust,
    updatedAt: live.createdAt,
  };
}
