import { Failure } from "../domain/failures.ts";
import type {
  BlobStore,
  Catalog,
  GenerationRecord,
  Indexing,
  LibraryIndex,
  NewRun,
  PassageIndex,
  StepControl,
} from "../domain/ports.ts";
import { servedPassages } from "../domain/generation.ts";
import type { RunReason } from "../domain/steps.ts";
import { startRun } from "../domain/submitting.ts";
import { createChores, unattended } from "./chores.ts";
import type { Chores } from "./chores.ts";
import { damageOf, showLibraryOf } from "./damage.ts";

/** What bringing the index up to date with the catalog needs of the world. */
export interface ReindexPorts {
  readonly catalog: Catalog;
  readonly blobs: BlobStore;
  readonly passages: PassageIndex;
  readonly libraries: LibraryIndex;
  readonly indexing: Indexing;
  readonly now: () => number;
  /** Brings a library's entry in the LibraryIndex up to date; removes it where nothing of the library is live. */
  readonly announce: (libraryUid: string) => Promise<void>;
  /** Makes a run to be opened; with a generation, one that only loads and publishes that. */
  readonly newRun: (reason: RunReason, generation?: string) => NewRun;
  /** Called with every failure, for the log. */
  readonly onProblem: (error: unknown) => void;
}

/** What became of the live generations that the index lacked or had in part. */
export interface Restored {
  /** Live generations in all. */
  readonly live: number;
  /** A run that loads them again was opened. */
  readonly restored: number;
  /** Not loaded now, because another run of the version is open; they are checked again the next time. */
  readonly busy: number;
  /** Not loaded because they are damaged: a refresh rebuilds them. */
  readonly lost: number;
  /** Libraries whose entry in the LibraryIndex was missing. */
  readonly announced: number;
}

type LiveGeneration = Pick<GenerationRecord, "id" | "libraryUid" | "version" | "counts" | "damage">;

/**
 * Opens a run for every live generation that the index lacks, without touching a source. `problems` are the first error messages.
 * @throws the signal's reason once it is aborted
 */
export async function reindex(
  ports: ReindexPorts,
  control: StepControl = unattended,
): Promise<Restored & { readonly problems: readonly string[] }> {
  const chores = createChores(control, ports.onProblem);
  return { ...(await restoreIndex(ports, chores)), problems: chores.problems };
}

/** Reloads live generations that are missing from the index or incomplete in it. */
export async function restoreIndex(ports: ReindexPorts, chores: Chores): Promise<Restored> {
  const { catalog, passages, libraries, announce } = ports;
  const live = await chores.attempt<readonly LiveGeneration[]>([], () => catalog.generations.live());
  const found = { restored: 0, busy: 0, lost: 0 };
  const missing: LiveGeneration[] = [];
  await chores.each(live, async (generation) => {
    if ((await passages.count(generation.id)) !== servedPassages(generation.counts)) missing.push(generation);
  });
  // All are known before the first is loaded: readers are told how many are done.
  await chores.each(missing, async (generation) => {
    const damage = generation.damage ?? (await damageOf(ports.blobs, generation.id));
    if (damage === undefined) {
      found[await loadAgain(ports, generation)] += 1;
    } else {
      found.lost += 1;
      if (generation.damage === null) await catalog.generations.noteDamage(generation.id, damage, ports.now());
      const name = await showLibraryOf(catalog, generation);
      const message = `Generation ${generation.id} of ${name} is incomplete in the index too. ${damage}`;
      chores.note(new Failure("generation_damaged", message));
    }
  });
  const announced = await chores.attempt(0, async () => {
    const entries = new Set(await libraries.uids());
    const unannounced = new Set(live.map(({ libraryUid }) => libraryUid).filter((uid) => !entries.has(uid)));
    return chores.each([...unannounced], announce);
  });
  return { live: live.length, ...found, announced };
}

async function loadAgain(
  { catalog, indexing, newRun, now }: ReindexPorts,
  { id, libraryUid, version }: LiveGeneration,
): Promise<"restored" | "busy"> {
  const opened = await catalog.runs.open(libraryUid, version, newRun("sweep", id), now());
  if (!opened) return "busy";
  await startRun({ indexing }, opened.run);
  return opened.joined && opened.run.generation !== id ? "busy" : "restored";
}
