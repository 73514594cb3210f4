import type * as z from "zod";
import type { Caller } from "../domain/access.ts";
import { may, sourceShownTo } from "../domain/authorizing.ts";
import type { LinkedLibrary } from "../domain/linked-packages.ts";
import type {
  GenerationRecord,
  LibraryRecord,
  LibraryView,
  Miss,
  PendingRename,
  RunRecord,
  VersionRecord,
} from "../domain/ports.ts";
import { renameReasons } from "../domain/operating.ts";
import { servedSnippets, type Unread } from "../domain/generation.ts";
import { unreadAdvice } from "./answer/notes.ts";
import { isVerified, trustOf } from "../domain/trust.ts";
import { newestFirst } from "../domain/versions.ts";
import { isoOrNull } from "./schemas/answers.ts";
import { permissions, type stateSchema } from "./schemas/status.ts";

/** The state of a version: whether it can be read, and if not, why. */
function stateOf({ redirect }: LibraryRecord, version: VersionRecord | undefined): z.infer<typeof stateSchema> {
  if (redirect !== null) return "redirected";
  if (version?.live) return "finalized";
  if (version?.openRun?.failure) return "error";
  if (version?.openRun) return version.openRun.startedAt === null ? "initial" : "processing";
  return version?.lastRun?.failure ? "error" : "initial";
}

/** A library in a list, with the counts of the version's live generation. */
export function toListItem(caller: Caller, { library, version, versions, troubles = [] }: LibraryView): object {
  const live = version?.live ?? null;
  return {
    ...identity(caller, library),
    kind: library.source.kind,
    state: stateOf(library, version),
    phase: version?.openRun?.phase ?? null,
    troubles,
    failure: failureOf(version?.openRun?.failure ?? version?.lastRun?.failure),
    retryAt: isoOrNull(version?.retryAt ?? null),
    versions: shownVersions(library, versions),
    totalSnippets: live ? servedSnippets(live.counts) : 0,
    totalTokens: live?.counts.tokens ?? 0,
    lastUpdateDate: isoOrNull(live?.createdAt ?? null),
    checkedAt: isoOrNull(version?.checkedAt ?? null),
  };
}

function failureOf(failure: RunRecord["failure"] | undefined) {
  return failure ? { error: failure.code, message: failure.message } : null;
}

/** The facts in the status of a library version. */
interface StatusFacts extends LibraryView {
  readonly refsLeftOut: number;
  readonly notes: readonly string[];
  readonly unread: Unread | undefined;
  readonly misses: readonly Miss[] | undefined;
  readonly linked: readonly LinkedLibrary[];
  readonly removedAt: number | null;
}

/** The status of a library version. */
export function toStatus(
  caller: Caller,
  { library, versions, refsLeftOut, notes, unread, misses, linked, removedAt }: StatusFacts,
  version: VersionRecord,
  runs: readonly RunRecord[],
  held: (GenerationRecord & { readonly notes: readonly string[] }) | undefined,
): object {
  const { openRun, live, checkedAt, refreshAt } = version;
  return {
    ...identity(caller, library),
    version: version.version,
    versions: shownVersions(library, versions),
    refsLeftOut,
    notes,
    unread: unread === undefined ? null : { formats: unread.formats, advice: unreadAdvice(unread, library.claims) },
    state: stateOf(library, version),
    phase: openRun?.phase ?? null,
    progress: openRun && toProgress(openRun),
    openRun: openRun && toRun(openRun),
    runs: runs.map(toRun),
    live: live && toGeneration(live),
    held: held ? { ...toGeneration(held), notes: held.notes } : null,
    checkedAt: isoOrNull(checkedAt),
    refreshAt: isoOrNull(refreshAt),
    retryAt: isoOrNull(version.retryAt),
    lastAskedAt: isoOrNull(version.readAt),
    removedAt: isoOrNull(removedAt),
    schedule: library.chosen?.schedule ?? null,
    rules: library.chosen?.rules ?? [],
    trust: toTrust(library),
    repository: library.repository?.url ?? null,
    linked: linked.map(({ libraryId, relation, isConfirmed }) => ({ libraryId, relation, isConfirmed })),
    ...(misses && {
      missedQuestions: misses.map(({ words, times, askedAt }) => ({ words, times, lastAskedAt: isoOrNull(askedAt) })),
    }),
    ...(library.pendingRename &&
      may(caller, "library.change", library) && { pendingRename: toPendingRename(library.pendingRename) }),
    permitted: permissions.filter((one) => may(caller, `library.${one}`, library)),
  };
}

function toTrust(library: LibraryRecord): object {
  const { trust, verified, reputation } = library;
  return {
    score: trustOf(library),
    isSet: trust !== null,
    verified: isVerified(library),
    isVerifiedSet: verified !== undefined,
    factors: (reputation?.factors ?? []).map((factor) => ({
      ...factor,
      value: Math.round(factor.value * 100) / 100,
    })),
    caps: reputation?.caps ?? [],
    stars: reputation?.stars ?? null,
    problem: reputation?.problem ?? null,
    checkedAt: isoOrNull(reputation?.checkedAt ?? null),
  };
}

function shownVersions({ id }: LibraryRecord, versions: readonly string[]): readonly string[] {
  return newestFirst(
    versions.filter((name) => name !== ""),
    id,
  );
}

function identity(caller: Caller, library: LibraryRecord): object {
  const { id, title, description, teamspace, redirect, createdAt } = library;
  const trust = trustOf(library);
  return {
    libraryId: id,
    title,
    description,
    source: sourceShownTo(caller, library),
    private: teamspace !== "",
    redirectUrl: redirect !== null && may(caller, "library.read", { id: redirect, teamspace }) ? redirect : null,
    ...(trust !== null && { trustScore: Math.round(trust) }),
    createdAt: isoOrNull(createdAt),
  };
}

function toRun(run: RunRecord): object {
  return {
    id: run.runId,
    reason: run.reason,
    state: run.state,
    phase: run.phase,
    outcome: run.outcome,
    failure: failureOf(run.failure),
    progress: toProgress(run),
    attempt: run.attempt,
    lastFailure: run.lastFailure && { error: run.lastFailure.code, message: run.lastFailure.message },
    progressAt: isoOrNull(run.progressAt),
    createdAt: isoOrNull(run.createdAt),
    startedAt: isoOrNull(run.startedAt),
    closedAt: isoOrNull(run.closedAt),
  };
}

/** The progress of a run; only an open one waits for a host. */
function toProgress({ progress: { waiting, ...figures }, state }: RunRecord): object {
  return {
    ...figures,
    ...(waiting && state === "open" && { waiting: { ...waiting, since: isoOrNull(waiting.since) } }),
  };
}

function toGeneration(generation: GenerationRecord): object {
  const { id, revision, ref, counts, createdAt, damage, unindexedSince } = generation;
  const times = { createdAt: isoOrNull(createdAt), unindexedSince: isoOrNull(unindexedSince) };
  return { id, revision, ref, counts, damage, ...times };
}

function toPendingRename({ id, reason, since }: PendingRename): object {
  return { libraryId: id, reason: renameReasons[reason], since: isoOrNull(since) };
}
