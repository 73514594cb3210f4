import { Failure } from "../domain/failures.ts";
import type {
  BlobStore,
  Catalog,
  Embedder,
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
import { createChores, unattended, type Chores } from "./chores.ts";
import { damageOf, showLibraryOf } from "./damage.ts";

/** The ports that restoring the index uses. */
export interface ReindexPorts {
  readonly catalog: Catalog;
  readonly blobs: BlobStore;
  readonly passages: PassageIndex;
  readonly libraries: LibraryIndex;
  readonly indexing: Indexing;
  readonly embedder?: Embedder;
  readonly now: () => number;
  /** Updates a library's entry in the LibraryIndex; removes it if nothing of the library is live. */
  readonly announce: (libraryUid: string) => Promise<void>;
  /** Creates a run; with a generation, one that only loads and publishes it. */
  readonly newRun: (reason: RunReason, generation?: string) => NewRun;
  readonly onProblem: (error: unknown) => void;
}

/** Counts of the live generations that the index lacked, in whole or in part. */
export interface Restored {
  readonly live: number;
  /** Those with a newly opened run that loads them again. */
  readonly restored: number;
  /** Those whose version has another open run: that run or the next sweep loads them. */
  readonly busy: number;
  /** Damaged ones, which cannot be loaded: a refresh rebuilds them. */
  readonly lost: number;
  /** Libraries whose entry in the LibraryIndex was missing. */
  readonly announced: number;
}

/** Time that one sweep spends on verifying generations, in milliseconds; the next one continues. */
const verifyTime = 5000;

/**
 * Opens a run for every live generation that the index lacks, without reading a source. It verifies all of them. `problems` are the first
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
 * Reloads live generations that are missing, incomplete or damaged in the index: it checks all, or only those `known` to be. The catalog
 * marks them until they are loaded.
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
  const counts = { restored: 0, busy: 0, lost: 0 };
  const missing: LiveGeneration[] = [];
  const present: string[] = [];
  const until = performance.now() + verifyFor;
  await chores.each(live, async (generation) => {
    if (!(await isIndexed(passages, generation, performance.now() < until))) missing.push(generation);
    else if (generation.unindexedSince !== null) present.push(generation.id);
  });
  // All are marked before the first is loaded: the API reports how many are done.
  const missed = missing.map(({ id }) => id);
  await chores.attempt(undefined, () => generations.noteUnindexed(missed, true, now()));
  await chores.attempt(undefined, () => generations.noteUnindexed(present, false, now()));
  await chores.each(missing, async (generation) => {
    const outcome = await restore(ports, generation);
    if (typeof outcome === "string") {
      counts[outcome] += 1;
    } else {
      counts.lost += 1;
      chores.note(outcome);
    }
  });
  if (known) return { live: live.length, ...counts, announced: 0 };
  const announced = await chores.attempt(0, async () => {
    const entries = new Set(await libraries.uids());
    const unannounced = new Set(live.map(({ libraryUid }) => libraryUid).filter((uid) => !entries.has(uid)));
    const announced = await chores.each([...unannounced], announce);
    if (announced === unannounced.size) await libraries.complete?.();
    return announced;
  });
  return { live: live.length, ...counts, announced };
}

/**
 * Opens a run for every live generation that the index has without embeddings of the current model, which loads it again, while it
 * goes on answering. None is opened while the embeddings server does not work.
 */
export async function startEmbedding(ports: ReindexPorts, chores: Chores, signal: AbortSignal): Promise<void> {
  const { embedder, catalog, passages } = ports;
  if (embedder === undefined) return;
  const due: LiveGeneration[] = [];
  await chores.each(await catalog.generations.live(), async (generation) => {
    const model = generation.damage === null ? await passages.model(generation.id) : undefined;
    if (model !== undefined && model !== embedder.model) due.push(generation);
  });
  if (due.length === 0) return;
  await embedder.embed(["ready"], signal);
  await chores.each(due, async (generation) => void (await restore(ports, generation)));
}

/** Whether the index has all passages of a generation; `thoroughly`: and they are undamaged. */
export async function isIndexed(
  passages: PassageIndex,
  { id, counts }: Pick<GenerationRecord, "id" | "counts">,
  thoroughly = true,
): Promise<boolean> {
  if ((await passages.count(id)) !== servedPassages(counts)) return false;
  return !thoroughly || (await passages.verify?.(id)) !== false;
}

/**
 * Opens a run that loads a live generation into the index; `busy` if another run of its version is open. Returns the failure if the
 * generation is damaged; the damage is recorded, so that a refresh is due.
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
    const message = `Generation ${id} of ${name} is damaged, and incomplete in the index. ${damage}`;
    return new Failure("generation_damaged", message);
  }
  const opened = await catalog.runs.open(libraryUid, version, newRun("sweep", id), now());
  if (!opened) return "busy";
  await startRun({ indexing }, opened.run);
  return opened.joined && opened.run.generation !== id ? "busy" : "restored";
}
