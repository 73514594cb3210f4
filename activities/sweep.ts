import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BlobStore, Catalog, Indexing, LibraryIndex, NewRun, SnippetIndex } from "../domain/ports.ts";
import type { RunReason } from "../domain/steps.ts";
import { generationPrefix } from "./parts.ts";

/** What the sweep needs of the world. */
export interface SweepPorts {
  readonly catalog: Catalog;
  readonly blobs: BlobStore;
  readonly snippets: SnippetIndex;
  readonly libraries: LibraryIndex;
  readonly indexing: Indexing;
  readonly scratch: string;
  readonly now: () => number;
  /** Brings a library's entry in the LibraryIndex up to date. */
  readonly announce: (libraryUid: string) => Promise<void>;
  /** A run that loads and publishes a generation that exists. */
  readonly newRun: (reason: RunReason, generation: string) => NewRun;
}

/** What a sweep did. */
export interface Swept {
  /** Open runs that the engine was told of again. */
  readonly runs: number;
  /** Generations removed because nobody can read them any more. */
  readonly generations: number;
  /** Remains of broken runs: blobs, index files, entries, folders. */
  readonly orphans: number;
  /** Live generations that the index has lost, and loads again. */
  readonly restored: number;
}

/**
 * The one collector of garbage. It removes generations that are due and tells the engine of every open run; `thorough`
 * also looks for what no catalog row speaks of, which costs a walk over all that is stored.
 */
export async function sweep(ports: SweepPorts, { thorough }: { thorough: boolean }): Promise<Swept> {
  const open = await ports.catalog.runs.openRuns();
  for (const run of open) await ports.indexing.start(run);
  const due = await ports.catalog.generations.removable(ports.now());
  for (const { id } of due) {
    await removeGeneration(ports, id);
    await ports.catalog.generations.forget(id);
  }
  const orphans = thorough ? await removeOrphans(ports) : 0;
  const restored = thorough ? await restoreIndex(ports) : 0;
  return { runs: open.length, generations: due.length, orphans, restored };
}

/** The index projects generations: what is live and not in it is loaded again, without touching a source. */
async function restoreIndex({
  catalog,
  snippets,
  libraries,
  indexing,
  announce,
  newRun,
  now,
}: SweepPorts): Promise<number> {
  const announced = new Set(await libraries.uids());
  let restored = 0;
  for (const { id, libraryUid, version } of await catalog.generations.live()) {
    if ((await snippets.count(id)) === undefined) {
      const opened = await catalog.runs.open(libraryUid, version, newRun("sweep", id), now());
      if (opened) await indexing.start(opened.run);
      restored += 1;
    } else if (!announced.has(libraryUid)) {
      await announce(libraryUid);
    }
  }
  return restored;
}

async function removeOrphans(ports: SweepPorts): Promise<number> {
  const { catalog, blobs, snippets, libraries } = ports;
  const stored = new Set(await snippets.generations());
  for await (const key of blobs.list("generations/")) stored.add(key.split("/")[1] ?? "");
  await mkdir(ports.scratch, { recursive: true });
  const folders = await readdir(ports.scratch);

  // Asked for after the listing: whatever was stored since then belongs to a run that is open now.
  const open = new Set((await catalog.runs.openRuns()).map(({ runId }) => runId));
  const known = await catalog.generations.known([...stored]);
  const generations = [...stored].filter((id) => !known.has(id) && !open.has(id));
  for (const id of generations) await removeGeneration(ports, id);

  const left = folders.filter((folder) => !open.has(folder.replace(/-[^-]*$/, "")));
  for (const folder of left) await rm(join(ports.scratch, folder), { recursive: true, force: true });

  const entries = await libraries.uids();
  let removed = 0;
  for (const uid of entries) {
    if (await catalog.libraries.get(uid)) continue;
    await libraries.remove(uid);
    removed += 1;
  }
  return generations.length + left.length + removed;
}

async function removeGeneration({ snippets, blobs }: SweepPorts, id: string): Promise<void> {
  await snippets.drop(id);
  await blobs.removeAll(generationPrefix(id));
}
