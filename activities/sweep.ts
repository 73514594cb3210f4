import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { auditRetention } from "../domain/audit.ts";
import { day } from "../domain/days.ts";
import { daysToClose } from "../domain/metrics.ts";
import type { Catalog, LiveGeneration, StepControl } from "../domain/ports.ts";
import { startDueRefreshes, startDueRetries, type RefreshLimits, type StartedRefreshes } from "../domain/scheduling.ts";
import { removeUnusedVersions, type RetentionPorts } from "../domain/unused-versions.ts";
import { uploadPrefix, uploadsPrefix } from "../domain/submitting.ts";
import { addDeclaredVersions } from "../domain/declared-versions.ts";
import { deliveriesKept, startPushed } from "../domain/hooks.ts";
import { noteExpiring, notificationsKept, type ExpiryPorts } from "../domain/notifying.ts";
import { createChores, unattended, type Chores } from "./chores.ts";
import { findDamage, readParts } from "./damage.ts";
import { subjectOf, writeOutlineOf, type OutliningPorts } from "./outline.ts";
import { scarceStorage } from "../domain/storage.ts";
import { generationPrefix, manifestOf, unlessDamaged } from "./parts.ts";
import { reputationLifetime, updateReputation, type ReputationSources } from "./reputation.ts";
import { restoreIndex, startEmbedding, type ReindexPorts, type Restored } from "./reindex.ts";
import type { Manifest } from "../domain/generation.ts";
import { isServed, linesOf, readPassage } from "../domain/passage.ts";
import { snippetsOf } from "../domain/snippets.ts";

/** The ports and limits of the sweep. */
export interface SweepPorts
  extends ReindexPorts, OutliningPorts, ReputationSources, ExpiryPorts, Pick<RetentionPorts, "unusedVersionDays"> {
  readonly refreshes: RefreshLimits;
  /** A stamp of the files of each generation from when this process last checked them. */
  readonly looked: Map<string, string>;
  /** Delivers the notifications that are due. */
  readonly deliver: (signal: AbortSignal) => Promise<unknown>;
  /** Retention of the audit log, in days. */
  readonly auditDays: number;
  /** Retention of feedback and of questions that found nothing, in days; 0: none is kept. */
  readonly feedbackDays: number;
  /** Retention of daily metrics, in days. */
  readonly metricsDays: number;
  /** Retention of libraries whose first run failed, in days; 0: for ever. */
  readonly unservedDays: number;
  /** As in `ActivityPorts`. */
  readonly storageUse: () => Promise<number>;
  readonly grace: number;
  /** Whether an ID may belong to an import in progress, which is not in the catalog yet. */
  readonly mayBeUnderway: (id: string) => boolean;
  /** Whether an upload may belong to a submission in progress, whose library is not in the catalog yet. */
  readonly isFresh: (upload: string) => boolean;
}

/** The extent of a sweep. */
export interface SweepExtent {
  /** Checks everything that is stored. */
  readonly thorough: boolean;
}

/** The result of a sweep. */
export interface Swept {
  /** Open runs that were handed to the engine again. */
  readonly runs: number;
  /** Removed generations, which nobody could read any more. */
  readonly generations: number;
  /** Failed runs that were tried again, and suspended ones that were resumed. */
  readonly retries: number;
  readonly refreshes: StartedRefreshes;
  /** Versions of packages that were given up as unused. */
  readonly versions: number;
  readonly unserved: number;
  /** Damaged live generations; a sweep that is not thorough checks only those that were written to. */
  readonly damaged: number;
  /** Orphaned blobs, uploads, index rows and entries of failed runs. */
  readonly orphans: number;
  /** Live generations missing from the index; a sweep that is not thorough checks only those known to be. */
  readonly index: Restored;
  /** Error messages of failed chores, the first ones. The next sweep retries. */
  readonly problems: readonly string[];
}

const maxRestarts = 1000;

/** Maximum reputations that one sweep updates: hosts allow some dozens of requests an hour. */
const maxReputations = 20;

const maxUnserved = 1000;

/** Age at which a postponed host is forgotten, in milliseconds since the end of its delay. */
const hostsKept = 3_600_000;
/** Time for which agents that do not connect are remembered, in milliseconds. */
const agentsKept = 90 * 86_400_000;

/** Default age at which the scratch folder of a closed run is removed, in milliseconds since its last change. */
const maxScratchAge = 3_600_000;

/**
 * All background work. It hands open runs to the engine, deletes due generations, reloads what the index is known to have lost and starts
 * due refreshes. A `thorough` sweep scans everything that is stored: it also finds damaged generations and all that the index lost, and
 * deletes orphans. A failed part does not stop the others. Sweeps may run concurrently with others, and with workers that stage
 * generations: each action is idempotent, and nothing is deleted that an open run may still use.
 * @throws the signal's reason once it is aborted
 */
export async function sweep(
  ports: SweepPorts,
  { thorough }: SweepExtent,
  control: StepControl = unattended,
): Promise<Swept> {
  const chores = createChores(control, ports.onProblem);
  const runs = await chores.attempt(0, () => restartRuns(ports, chores));
  if ((await chores.attempt(0, ports.storageUse)) >= scarceStorage)
    await chores.attempt(0, () => ports.catalog.generations.retireAll(ports.now() + ports.grace));
  const generations = await chores.attempt(0, () => removeDue(ports, chores));
  // Before refreshes: an open refresh would keep out the run that only loads.
  await chores.attempt(undefined, async () => ports.passages.prepare?.());
  const isWhole = await chores.attempt(true, async () => (await ports.libraries.isWhole?.()) ?? true);
  const index = await restoreIndex(ports, chores, { known: isWhole && !thorough });
  if (thorough) await chores.attempt(undefined, () => startEmbedding(ports, chores, control.signal));
  const damaged = await chores.attempt(0, () => findDamage(ports, chores, { brief: !thorough }));
  if (thorough) await chores.attempt(0, () => recountSnippets(ports, chores));
  if (thorough) await chores.attempt(0, () => writeOutlines(ports, chores, control.signal));
  await chores.attempt(undefined, () => ports.catalog.hosts.forget(ports.now() - hostsKept));
  await chores.attempt(undefined, async () => ports.catalog.limiter?.forget());
  await chores.attempt(undefined, () => ports.catalog.sessions.forget(ports.now()));
  await chores.attempt(undefined, () => ports.catalog.hooks.forget(ports.now() - deliveriesKept));
  await chores.attempt(undefined, () => ports.catalog.receivers.forget(ports.now() - notificationsKept));
  await chores.attempt(undefined, () => ports.catalog.feedback.forget(ports.now() - ports.feedbackDays * day));
  await chores.attempt(undefined, () => ports.catalog.agents.forget(ports.now() - agentsKept));
  // Slow if there are many records.
  if (thorough) await chores.attempt(0, () => ports.catalog.audit.forget(auditRetention(ports.auditDays, ports.now())));
  await chores.attempt(undefined, () => ports.catalog.metrics.close(daysToClose(ports.now(), ports.metricsDays)));
  await chores.attempt(0, () => refreshReputations(ports, chores));
  // Before refreshes: a version that is given up needs none.
  const versions = thorough ? await chores.attempt(0, () => giveUpUnused(ports, chores)) : 0;
  await chores.attempt(0, () => addDeclaredVersions(ports));
  await chores.attempt(0, () => startPushed(ports));
  const retries = await chores.attempt(0, () => startDueRetries(ports, ports.refreshes, control.signal));
  const refreshes = await chores.attempt({ started: 0, waiting: 0, unasked: 0 }, () =>
    startDueRefreshes(ports, ports.refreshes, control.signal),
  );
  const unserved = thorough ? await chores.attempt(0, () => removeUnserved(ports, chores)) : 0;
  const orphans = thorough ? await chores.attempt(0, () => removeOrphans(ports, chores)) : 0;
  const uploads = thorough ? await chores.attempt(0, () => removeUploads(ports, chores)) : 0;
  if (thorough) await chores.attempt(0, () => noteExpiringCredentials(ports, chores));
  // Last, as receivers may take their time.
  await chores.attempt(undefined, () => ports.deliver(control.signal));
  return {
    runs,
    generations,
    retries,
    refreshes,
    versions,
    unserved,
    damaged,
    orphans: orphans + uploads,
    index,
    problems: chores.problems,
  };
}

/**
 * Removes scratch folders of closed runs that were last changed more than `olderThan` milliseconds ago. Returns how many.
 * Each process does so for its own folder.
 */
export async function sweepScratch(
  { catalog, scratch, now }: { readonly catalog: Catalog; readonly scratch: string; readonly now: () => number },
  { olderThan = maxScratchAge }: { readonly olderThan?: number } = {},
): Promise<number> {
  let removed = 0;
  for (const name of await readdir(scratch).catch(absentAs([]))) {
    const path = join(scratch, name);
    const run = await catalog.runs.get(name.replace(/-[^-]*$/, ""));
    const { mtimeMs } = await lstat(path).catch(absentAs({ mtimeMs: 0 }));
    if (run?.state === "open" || mtimeMs > now() - olderThan) continue;
    await rm(path, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

/** Hands open runs to the engine, which starts those that were never started and closes those whose execution died. */
async function restartRuns({ catalog, indexing }: SweepPorts, chores: Chores): Promise<number> {
  const open = await catalog.runs.openRuns();
  // With more open runs than the maximum, each sweep takes another part of them.
  const first = open.length > maxRestarts ? Math.floor(Math.random() * open.length) : 0;
  return chores.each([...open.slice(first), ...open.slice(0, first)].slice(0, maxRestarts), (run) =>
    indexing.start(run),
  );
}

/** Gives up unused versions of packages, and announces their libraries without them. */
async function giveUpUnused(ports: SweepPorts, chores: Chores): Promise<number> {
  const given = await removeUnusedVersions(ports);
  await chores.each([...new Set(given.map(({ library }) => library.uid))], ports.announce);
  return given.length;
}

/** Removes libraries that were never served and are not retried. */
async function removeUnserved({ catalog, unservedDays, now }: SweepPorts, chores: Chores): Promise<number> {
  if (unservedDays === 0) return 0;
  const due = await catalog.libraries.unserved(now() - unservedDays * day, maxUnserved);
  return chores.each(due, async ({ uid }) => void (await catalog.libraries.removeUnserved(uid, now())));
}

/** Records the notifications of credentials that expire soon. Returns the number of checked credentials. */
async function noteExpiringCredentials(ports: SweepPorts, chores: Chores): Promise<number> {
  return chores.each(await ports.catalog.credentials.all(), async (credential) => {
    await noteExpiring(ports, credential);
  });
}

/** Updates the reputation of libraries that nobody refreshes. */
async function refreshReputations(ports: SweepPorts, chores: Chores): Promise<number> {
  const due = await ports.catalog.libraries.withoutReputation(ports.now() - reputationLifetime, maxReputations);
  return chores.each(due, async ({ uid }) => {
    await updateReputation(ports, uid);
    await ports.announce(uid);
  });
}

async function removeDue(ports: SweepPorts, chores: Chores): Promise<number> {
  return chores.each(await ports.catalog.generations.removable(ports.now()), async ({ id }) => {
    await removeGeneration(ports, id);
    await ports.catalog.generations.forget(id);
  });
}

async function removeOrphans(ports: SweepPorts, chores: Chores): Promise<number> {
  const { catalog, blobs, passages, libraries, announce, mayBeUnderway } = ports;
  const stored = new Set(await passages.generations());
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
  // Announcing reads the catalog itself: the entry of a library that was published meanwhile stays.
  const removed = await chores.each(
    entries.filter((uid) => !live.has(uid)),
    announce,
  );
  return generations + removed;
}

/** Removes uploads that no library uses any more. A run that still reads one is superseded. */
async function removeUploads({ catalog, blobs, isFresh }: SweepPorts, chores: Chores): Promise<number> {
  const stored = new Set<string>();
  for await (const key of blobs.list(uploadsPrefix)) {
    chores.beat();
    stored.add(key.split("/")[1] ?? "");
  }
  const used = await catalog.libraries.uploads();
  const orphans = [...stored].filter((id) => !used.has(id) && !isFresh(id));
  return chores.each(orphans, (id) => blobs.removeAll(uploadPrefix(id)));
}

/** Removes a generation, the index first: index rows without blobs would look like a generation to restore. */
async function removeGeneration({ passages, blobs }: SweepPorts, id: string): Promise<void> {
  await passages.drop(id);
  await blobs.removeAll(generationPrefix(id));
}

/** An error handler that replaces a missing file or folder with a value. */
function absentAs<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return value;
    throw error;
  };
}

type RecountPorts = Pick<SweepPorts, "catalog" | "blobs" | "announce" | "now">;

/** Maximum generations whose snippets one sweep counts: each is read as a whole. */
const maxCounted = 100;

/** Counts the snippets of live generations whose manifests lack the count. Returns the number of generations. */
async function recountSnippets(ports: RecountPorts, chores: Chores): Promise<number> {
  const { catalog, blobs } = ports;
  const live = await catalog.generations.live();
  const due = live.filter(({ counts, damage }) => counts.snippets === undefined && damage === null);
  return chores.each(due.slice(0, maxCounted), async ({ id, libraryUid, counts }) => {
    const manifest = await unlessDamaged(manifestOf(blobs, id));
    const snippets = manifest && (await unlessDamaged(countSnippets(ports, manifest, chores)));
    if (snippets === undefined) return;
    await catalog.generations.recount(id, { ...counts, snippets });
    await ports.announce(libraryUid);
  });
}

/** Maximum number of generations whose outline one sweep writes: each is read as a whole. */
const maxOutlined = 500;

/**
 * Writes the outlines of live generations that were loaded before there were any, and announces their libraries with what they are about.
 * Returns the number of generations.
 */
async function writeOutlines(ports: SweepPorts, chores: Chores, signal: AbortSignal): Promise<number> {
  const { catalog, blobs, announce } = ports;
  const due: LiveGeneration[] = [];
  await chores.each(await catalog.generations.live(), async (generation) => {
    if (due.length === maxOutlined || generation.damage !== null) return;
    if ((await subjectOf(blobs, generation.id)) === undefined) due.push(generation);
  });
  return chores.each(due, async ({ id, libraryUid }) => {
    const manifest = await unlessDamaged(manifestOf(blobs, id));
    if (manifest === undefined) return;
    await unlessDamaged(writeOutlineOf(ports, manifest, signal));
    await announce(libraryUid);
  });
}

async function countSnippets(ports: RecountPorts, manifest: Manifest, chores: Chores): Promise<number> {
  let snippets = 0;
  for await (const part of readParts(ports, manifest)) {
    chores.beat();
    for (const line of linesOf(part)) {
      const passage = readPassage(line);
      if (isServed(passage)) snippets += snippetsOf(passage);
    }
  }
  return snippets;
}
