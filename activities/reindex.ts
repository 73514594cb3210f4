import { Failure } from "../domain/failures.ts";
import type {
  BlobStore,
  Catalog,
  GenerationRecord,
  Indexing,
  LibraryIndex,
  LiveGeneration,
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
  /** Not loaded now, because another run of the version is open: that loads them, or the next sweep does. */
  readonly busy: number;
  /** Not loaded because they are damaged: a refresh rebuilds them. */
  readonly lost: number;
  /** Libraries whose entry in the LibraryIndex was missing. */
  readonly announced: number;
}

/** How long one round verifies generations that nobody has verified lately, in milliseconds: the next goes on. */
const verifyTime = 5000;

/**
 * Opens a run for every live generation that the index lacks, without touching a source. All of them are verified. `problems` are the first
 * error messages.
 * @throws the signal's reason once it is aborted
 */
export async function reindex(
  ports: ReindexPorts,
  control: StepControl = unattended,
): Promise<Restored & { readonly problems: readonly string[] }> {
  const chores = createChores(control, ports.onProblem);
  return { ...(await restoreIndex(ports, chores, { verifyFor: Infinity })), problems: chores.problems };
}

/**
 * Reloads live generations that are missing from the index, or incomplete or damaged in it: of all, or of those that are `known` to be.
 * They are noted as such until they are loaded.
 */
export async function restoreIndex(
  ports: ReindexPorts,
  chores: Chores,
  { known = false, verifyFor = verifyTime }: { readonly known?: boolean; readonly verifyFor?: number } = {},
): Promise<Restored> {
  const { catalog, passages, libraries, announce, now } = ports;
  const { generations } = catalog;
  const live = await chores.attempt<readonly LiveGeneration[]>([], () =>
    generations.live(known ? { unindexed: true } : undefined),
  );
  const found = { restored: 0, busy: 0, lost: 0 };
  const missing: LiveGeneration[] = [];
  const there: string[] = [];
  const until = performance.now() + verifyFor;
  await chores.each(live, async (generation) => {
    if (!(await isIndexed(passages, generation, performance.now() < until))) missing.push(generation);
    else if (generation.unindexedSince !== null) there.push(generation.id);
  });
  // All are known before the first is loaded: readers are told how many are done.
  const missed = missing.map(({ id }) => id);
  await chores.attempt(undefined, () => generations.noteUnindexed(missed, true, now()));
  await chores.attempt(undefined, () => generations.noteUnindexed(there, false, now()));
  await chores.each(missing, async (generation) => {
    const outcome = await restore(ports, generation);
    if (typeof outcome === "string") {
      found[outcome] += 1;
    } else {
      found.lost += 1;
      chores.note(outcome);
    }
  });
  if (known) return { live: live.length, ...found, announced: 0 };
  const announced = await chores.attempt(0, async () => {
    const entries = new Set(await libraries.uids());
    const unannounced = new Set(live.map(({ libraryUid }) => libraryUid).filter((uid) => !entries.has(uid)));
    const announced = await chores.each([...unannounced], announce);
    if (announced === unannounced.size) await libraries.complete?.();
    return announced;
  });
  return { live: live.length, ...found, announced };
}

/** Whether the index has a generation, all of it; `thoroughly`: and as it was loaded. */
export async function isIndexed(
  passages: PassageIndex,
  { id, counts }: Pick<GenerationRecord, "id" | "counts">,
  thoroughly = true,
): Promise<boolean> {
  if ((await passages.count(id)) !== servedPassages(counts)) return false;
  return !thoroughly || (await passages.verify?.(id)) !== false;
}

/**
 * Opens a run that loads a live generation which the index lacks; `busy` where another run of its version is open. Answers the failure where
 * it cannot be loaded as it is damaged, which is then recorded, so that a refresh is due.
 */
export async function restore(
  { catalog, blobs, indexing, newRun, now }: Omit<ReindexPorts, "announce" | "libraries" | "passages" | "onProblem">,
  generation: LiveGeneration,
): Promise<"restored" | "busy" | Failure> {
  const { id, libraryUid, version } = generation;
  const damage = generation.damage ?? (await damageOf(blobs, id));
  if (damage !== undefined) {
    if (generation.damage === null) await catalog.generations.noteDamage(id, damage, now());
    const name = await showLibraryOf(catalog, generation);
    const message = `Generation ${id} of ${name} is incomplete in the index too. ${damage}`;
    return new Failure("generation_damaged", message);
  }
  const opened = await catalog.runs.open(libraryUid, version, newRun("sweep", id), now());
  if (!opened) return "busy";
  await startRun({ indexing }, opened.run);
  return opened.joined && opened.run.generation !== id ? "busy" : "restored";
}
