import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Catalog, StepControl } from "../domain/ports.ts";
import { startDueRefreshes } from "../domain/refreshing.ts";
import type { RefreshLimits, StartedRefreshes } from "../domain/refreshing.ts";
import { createChores, unattended } from "./chores.ts";
import type { Chores } from "./chores.ts";
import { findDamage } from "./damage.ts";
import { generationPrefix } from "./parts.ts";
import { restoreIndex } from "./reindex.ts";
import type { ReindexPorts, Restored } from "./reindex.ts";

/** What the sweep needs of the world. */
export interface SweepPorts extends ReindexPorts {
  readonly refreshes: RefreshLimits;
  /** Whether what is stored under an id may belong to an import, of which the catalog learns only behind its last line. */
  readonly mayBeUnderway: (id: string) => boolean;
}

/** What a sweep did. */
export interface Swept {
  /** Open runs that the engine was told of again. */
  readonly runs: number;
  /** Generations removed because nobody can read them any more. */
  readonly generations: number;
  readonly refreshes: StartedRefreshes;
  /** Damaged live generations; null if the sweep was not a thorough one. */
  readonly damaged: number | null;
  /** Remains of broken runs: blobs, index rows, entries. */
  readonly orphans: number;
  /** What the index had lost of what is live; null where the sweep was not a thorough one. */
  readonly index: Restored | null;
  /** What could not be done, as sentences: the first ones. The next sweep tries again. */
  readonly problems: readonly string[];
}

/** Open runs that the engine is told of in one sweep. */
const runsTold = 1000;

/** A folder of a run that is not open is kept so long after its last change, in milliseconds, unless told otherwise. */
const scratchKept = 3_600_000;

/**
 * The one collector of garbage, and what keeps refreshes going. It tells the engine of open runs, removes generations
 * that are due and starts refreshes that are due; `thorough` also looks for damaged generations, for what no catalog row
 * speaks of and for what the index has lost, which costs a walk over all that is stored. Each part goes on where another one fails. Sweeps may
 * run at the same time, beside workers that stage generations: all that is done is idempotent, and nothing is removed
 * that an open run may still use.
 * @throws the signal's reason once it is aborted
 */
export async function sweep(
  ports: SweepPorts,
  { thorough }: { readonly thorough: boolean },
  control: StepControl = unattended,
): Promise<Swept> {
  const chores = createChores(control, ports.onProblem);
  const runs = await chores.attempt(0, () => tellOpenRuns(ports, chores));
  const generations = await chores.attempt(0, () => removeDue(ports, chores));
  const damaged = thorough ? await chores.attempt(0, () => findDamage(ports, chores)) : null;
  const refreshes = await chores.attempt({ started: 0, waiting: 0, unasked: 0 }, () =>
    startDueRefreshes(ports, ports.refreshes, control.signal),
  );
  const orphans = thorough ? await chores.attempt(0, () => removeOrphans(ports, chores)) : 0;
  const index = thorough ? await restoreIndex(ports, chores) : null;
  return { runs, generations, refreshes, damaged, orphans, index, problems: chores.problems };
}

/**
 * Removes what broken attempts left in the folder of this host's steps: folders of runs that are not open, and that
 * nothing was changed in for `olderThan` milliseconds. Answers how many. Each process does so for its own folder.
 */
export async function sweepScratch(
  { catalog, scratch, now }: { readonly catalog: Catalog; readonly scratch: string; readonly now: () => number },
  { olderThan = scratchKept }: { readonly olderThan?: number } = {},
): Promise<number> {
  let removed = 0;
  for (const name of await namesIn(scratch)) {
    const path = join(scratch, name);
    const run = await catalog.runs.get(name.replace(/-[^-]*$/, ""));
    if (run?.state === "open" || (await changedAt(path)) > now() - olderThan) continue;
    await rm(path, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

/** A run whose start was lost is started, one whose execution died is closed: the engine sees to both. */
async function tellOpenRuns({ catalog, indexing }: SweepPorts, chores: Chores): Promise<number> {
  const open = await catalog.runs.openRuns();
  // Where there are more than are told in one sweep, each sweep tells another part of them.
  const first = open.length > runsTold ? Math.floor(Math.random() * open.length) : 0;
  return chores.each([...open.slice(first), ...open.slice(0, first)].slice(0, runsTold), (run) => indexing.start(run));
}

async function removeDue(ports: SweepPorts, chores: Chores): Promise<number> {
  return chores.each(await ports.catalog.generations.removable(ports.now()), async ({ id }) => {
    await removeGeneration(ports, id);
    await ports.catalog.generations.forget(id);
  });
}

async function removeOrphans(ports: SweepPorts, chores: Chores): Promise<number> {
  const { catalog, blobs, snippets, libraries, announce, mayBeUnderway } = ports;
  const stored = new Set(await snippets.generations());
  for await (const key of blobs.list("generations/")) {
    chores.beat();
    stored.add(key.split("/")[1] ?? "");
  }

  // The order of these look-ups keeps what is in use. A run is open before it stores anything, so whatever was listed
  // above belongs to a run that is open here, or to one that has ended. Only an open run can register its generation:
  // one that has ended did so before the second look-up, or never will. The other way round, a run that registers its
  // generation and ends between the two look-ups would be found by neither.
  const open = new Set((await catalog.runs.openRuns()).map(({ runId }) => runId));
  const known = await catalog.generations.known([...stored]);
  const orphans = [...stored].filter((id) => !known.has(id) && !open.has(id) && !mayBeUnderway(id));
  const generations = await chores.each(orphans, (id) => removeGeneration(ports, id));

  const entries = await libraries.uids();
  const live = new Set((await catalog.generations.live()).map(({ libraryUid }) => libraryUid));
  // Announcing looks at the catalog itself: the entry of a library that was published meanwhile stays.
  const gone = await chores.each(
    entries.filter((uid) => !live.has(uid)),
    announce,
  );
  return generations + gone;
}

/** The index first: rows without blobs could not be told from a generation that is to be restored. */
async function removeGeneration({ snippets, blobs }: SweepPorts, id: string): Promise<void> {
  await snippets.drop(id);
  await blobs.removeAll(generationPrefix(id));
}

/** Names in a folder; none where there is no such folder yet. */
async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(absentAs([]));
}

/** When something was last changed in a folder; 0 where it is gone. */
async function changedAt(path: string): Promise<number> {
  return stat(path).then(({ mtimeMs }) => mtimeMs, absentAs(0));
}

function absentAs<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return value;
    throw error;
  };
}
