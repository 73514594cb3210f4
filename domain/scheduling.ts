import { day, dayOf } from "./days.ts";
import type { Catalog, Indexing, LibraryRecord, NewRun, ReadCount, VersionRecord } from "./ports.ts";
import { kindOf, type SourceSpec } from "./kinds/index.ts";
import type { RunReason } from "./steps.ts";
import { failures, type FailureCode } from "./failures.ts";

/** The ports that planning refreshes needs. */
export interface RefreshingPorts {
  readonly catalog: Catalog;
  readonly now: () => number;
}

/** The ports that starting refreshes needs. */
export interface StartingPorts extends RefreshingPorts {
  readonly indexing: Indexing;
  readonly newRun: (reason: RunReason, generation?: string) => NewRun;
}

/** Maximum number of concurrent refreshes. */
export interface RefreshLimits {
  /** In total. */
  readonly atOnce: number;
  /** Per host. */
  readonly perHost: number;
}

/** Result of a round of starting refreshes. */
export interface StartedRefreshes {
  readonly started: number;
  /** Due, but beyond the limits: left to the next round. */
  readonly waiting: number;
  /** Due, but the library is no longer read. */
  readonly unasked: number;
}

/** Default limits. */
export const refreshLimits: RefreshLimits = { atOnce: 40, perHost: 10 };

const thoroughInterval = 3_600_000;

/** Refresh interval in days by the reads of a library in the last 30 days: the first match applies. */
const refreshTiers = [
  { reads: 100, days: 1 },
  { reads: 10, days: 15 },
  { reads: 1, days: 30 },
] as const;

/** The interval for a library that was read in the last 60 days, but not in the last 30. */
const idleDays = 45;

/** The interval while the live generation is damaged, also of a library that is not read. */
const healingDays = 1;

/** Jitter, as a share of the interval, so that refreshes do not fall due together. */
const jitter = 0.1;

/** Priority of runs that nobody waits for. */
const unhurried = 0;

/** Number of due versions that a round reads for each that it may start, as some have to wait for their host. */
const lookAhead = 10;

/** Whether a sweep is thorough, as the first of each hour is. `time` is its time, `before` that of the previous sweep. */
export function isThorough(time: number, before: number): boolean {
  return Math.floor(time / thoroughInterval) !== Math.floor(before / thoroughInterval);
}

/** Plans the next refresh of a version, by the chosen schedule or by use. Called when a run of it has ended. */
export async function scheduleRefresh(ports: RefreshingPorts, uid: string, version: string): Promise<void> {
  const now = ports.now();
  const versions = await ports.catalog.libraries.versionsOf(uid);
  const damaged = versions.some((one) => one.version === version && isDamaged(one));
  const days = await daysBetween(ports.catalog, await subject(ports.catalog, uid), damaged, now);
  await ports.catalog.libraries.setRefreshAt(uid, version, days === null ? null : dueTime(uid, version, now, days));
}

/** Plans the refreshes of all versions of a library again, from the last run of each. */
export async function rescheduleRefreshes(ports: RefreshingPorts, uid: string): Promise<void> {
  const { catalog } = ports;
  const now = ports.now();
  const library = await subject(catalog, uid);
  for (const record of await catalog.libraries.versionsOf(uid)) {
    const { version, live, lastRun } = record;
    const days = await daysBetween(catalog, library, isDamaged(record), now);
    const at = days === null || !live ? null : dueTime(uid, version, lastRun?.closedAt ?? now, days);
    await catalog.libraries.setRefreshAt(uid, version, at);
  }
}

/** Counts reads, and brings refreshes forward if they made them due earlier. If it throws, nothing was counted. */
export async function noteReads(ports: RefreshingPorts, reads: readonly ReadCount[]): Promise<void> {
  const now = ports.now();
  const totals = new Map<string, number>();
  for (const { libraryUid, reads: count } of reads) totals.set(libraryUid, (totals.get(libraryUid) ?? 0) + count);
  for (const [uid, count] of totals) await bringForward(ports.catalog, uid, count, now);
  await ports.catalog.libraries.countReads(reads, now);
}

/**
 * Starts due refreshes, longest overdue first, within the limits. The others stay due. The sweep starts open runs that could not
 * be started. The next refresh is planned before the run starts, so that a run without a conclusion does not repeat at once.
 * Concurrent rounds open no run twice, but each applies the limits separately.
 * @throws Failure service_unavailable if the engine is unavailable; nothing is lost
 */
export async function startDueRefreshes(
  ports: StartingPorts,
  limits: RefreshLimits,
  signal?: AbortSignal,
): Promise<StartedRefreshes> {
  const { catalog, indexing, now, newRun } = ports;
  const due = await catalog.libraries.dueRefreshes(now(), limits.atOnce * lookAhead);
  const result = { started: 0, waiting: 0, unasked: 0 };
  if (due.length === 0) return result;
  const { fits, take } = await placesOf(catalog, limits);
  await indexing.ready();

  for (const { library, version, damaged } of due) {
    signal?.throwIfAborted();
    const { uid, source } = library;
    if (!fits(source)) {
      result.waiting += 1;
      continue;
    }
    const days = await daysBetween(catalog, library, damaged, now());
    if (days === null) {
      await catalog.libraries.setRefreshAt(uid, version, null);
      result.unasked += 1;
      continue;
    }
    const opened = await catalog.runs.open(uid, version, newRun("sweep"), now());
    // Gone, or another run is open.
    if (!opened || opened.joined) continue;
    take(source);
    await catalog.libraries.setRefreshAt(uid, version, dueTime(uid, version, now(), days));
    await indexing.start(opened.run);
    result.started += 1;
  }
  return result;
}

/**
 * Retries failed runs and resumes suspended ones that are due, longest overdue first, within the limits. Returns their number.
 * @throws Failure service_unavailable if the engine is unavailable; nothing is lost
 */
export async function startDueRetries(
  { catalog, indexing, now, newRun }: StartingPorts,
  limits: RefreshLimits,
  signal?: AbortSignal,
): Promise<number> {
  const due = await catalog.libraries.dueRetries(now(), limits.atOnce * lookAhead);
  if (due.length === 0) return 0;
  const { fits, take } = await placesOf(catalog, limits);
  await indexing.ready();
  let started = 0;
  for (const { library, version, suspended, reason, generation, failed } of due) {
    signal?.throwIfAborted();
    if (!fits(library.source)) continue;
    if (suspended !== undefined) await catalog.runs.resume(suspended, { forgiven: false });
    const retry = { ...newRun(reason, generation), priority: unhurried, failed };
    const opened = await catalog.runs.open(library.uid, version, retry, now());
    if (!opened || (opened.joined && suspended === undefined)) continue;
    take(library.source);
    await indexing.start(opened.run);
    started += 1;
  }
  return started;
}

/** The limits for runs that nobody waits for: `fits` tells whether a source may start one, `take` counts one. */
async function placesOf(
  catalog: Catalog,
  { atOnce, perHost }: RefreshLimits,
): Promise<{ fits(source: SourceSpec): boolean; take(source: SourceSpec): void }> {
  const busy = new Map<string, number>();
  let places = atOnce;
  const take = (source: SourceSpec): void => {
    const host = kindOf(source).host(source);
    places -= 1;
    if (host !== null) busy.set(host, (busy.get(host) ?? 0) + 1);
  };
  for (const { libraryUid, priority, generation, failure } of await catalog.runs.openRuns()) {
    if (priority > unhurried || generation !== undefined || failure !== null) continue;
    const library = await catalog.libraries.get(libraryUid);
    if (library) take(library.source);
  }
  return {
    take,
    fits(source) {
      const host = kindOf(source).host(source);
      return places > 0 && (host === null || (busy.get(host) ?? 0) < perHost);
    },
  };
}

/** Brings the refreshes of a library's versions forward if its reads, with `more` new ones, make them due earlier. */
async function bringForward(catalog: Catalog, uid: string, more: number, now: number): Promise<void> {
  const days = await daysBetween(catalog, await subject(catalog, uid), false, now, more);
  if (days === null) return;
  for (const { version, live, lastRun, refreshAt } of await catalog.libraries.versionsOf(uid)) {
    // From the last run, even if that failed.
    const at = dueTime(uid, version, lastRun?.closedAt ?? now, days);
    const isEarlier = refreshAt === null || at < refreshAt;
    if (live && isEarlier) await catalog.libraries.setRefreshAt(uid, version, at);
  }
}

/** The members of a library that its refreshes depend on. */
type Subject = Pick<LibraryRecord, "uid" | "chosen">;

/** The library of a uid; without choices if it is gone. */
async function subject(catalog: Catalog, uid: string): Promise<Subject> {
  return (await catalog.libraries.get(uid)) ?? { uid };
}

function isDamaged({ live }: VersionRecord): boolean {
  return live !== null && live.damage !== null;
}

/** The refresh interval of a version in days; null: none. `more` reads are not counted yet. */
async function daysBetween(
  catalog: Catalog,
  { uid, chosen }: Subject,
  damaged: boolean,
  now: number,
  more = 0,
): Promise<number | null> {
  const schedule = chosen?.schedule;
  if (schedule === "never") return null;
  if (damaged) return healingDays;
  if (schedule !== undefined) return schedule;
  const recent = more + (await catalog.libraries.readsSince(uid, dayOf(now - 30 * day)));
  const tier = refreshTiers.find(({ reads }) => recent >= reads);
  if (tier) return tier.days;
  return (await catalog.libraries.readsSince(uid, dayOf(now - 60 * day))) > 0 ? idleDays : null;
}

/** A number of days after a time, with the jitter of the version. */
function dueTime(uid: string, version: string, since: number, days: number): number {
  return since + Math.round(days * day * (1 - jitter + 2 * jitter * fractionOf(`${uid}@${version}`)));
}

/** A hash of a text as a number from 0 to 1, evenly distributed (FNV-1a, then mixed). */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

const minute = 60_000;
const hour = 60 * minute;

/** Maximum number of consecutive retries: for about three days, six for slow ones. */
const maxTries = 10;

/** Failures that may pass, although their step is not retried. */
const passing: ReadonlySet<FailureCode> = new Set(["timeout"]);

/** Failures that the run itself may cause, or whose retry takes as long as the failed run. */
const slow: ReadonlySet<FailureCode> = new Set(["run_interrupted", "internal_error", "timeout"]);

/**
 * When the sweep retries a failed run; null: never, as a retry cannot help, or there were enough. `failed` is the number of
 * consecutive failed runs of the version, this one included. The delay doubles with each, from 5 minutes (an hour for slow
 * failures) to a day.
 */
export function retryTime(code: FailureCode, failed: number, now: number): number | null {
  if (!failures[code].retryable && !passing.has(code)) return null;
  return delayed(slow.has(code) ? hour : 5 * minute, failed, now);
}

/** When the sweep resumes a run after `deaths` of the process, the first `least` of which suspended it: as `retryTime`, from an hour. */
export function resumeTime(deaths: number, least: number, now: number): number | null {
  return delayed(hour, deaths - least + 1, now);
}

/** The end of a message about a failed run: when it is retried; "" for null. */
export function retryText(at: number | null): string {
  return at === null ? "" : ` It is tried again at ${new Date(at).toISOString()}, or when it is refreshed.`;
}

function delayed(first: number, tries: number, now: number): number | null {
  return tries > maxTries ? null : now + Math.min(first * 2 ** (tries - 1), day);
}
