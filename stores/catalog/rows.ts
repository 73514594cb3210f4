import { sql, type AliasedRawBuilder } from "kysely";
import { foldId } from "../../domain/library.ts";
import { siteHost, type Reputation } from "../../domain/trust.ts";
import type { GenerationRecord, LibraryFacet, LibraryRecord, RunRecord, VersionRecord } from "../../domain/ports.ts";
import type { GenerationRow, LibraryRow, RunRow, VersionRow } from "./schema.ts";

/** The columns of a run's record: all but those of the engine, which may be large. */
export const runColumns = [
  "id",
  "library_uid",
  "teamspace",
  "library_id",
  "version",
  "reason",
  "generation",
  "phase",
  "progress_json",
  "outcome",
  "failure_json",
  "priority",
  "created_at",
  "started_at",
  "closed_at",
  "attempt",
  "last_failure_json",
  "progress_at",
] as const satisfies readonly (keyof RunRow)[];

const generationColumns = [
  "id",
  "library_uid",
  "version",
  "state",
  "revision",
  "ref",
  "options_hash",
  "extractor",
  "content_hash",
  "counts_json",
  "created_at",
  "remove_after",
  "damage",
  "unindexed_at",
] as const satisfies readonly (keyof GenerationRow)[];

const libraryColumns = [
  "uid",
  "teamspace",
  "id",
  "title",
  "description",
  "chosen_json",
  "source_json",
  "credential",
  "redirect",
  "trust",
  "created_at",
  "submitted_by_json",
  "pending_rename_json",
  "refused_renames_json",
  "upload",
  "claims_json",
  "licences_json",
  "repository_json",
  "reputation_json",
  "verified",
] as const satisfies readonly (keyof LibraryRow)[];

const versionColumns = [
  "library_uid",
  "version",
  "ref",
  "checked_revision",
  "followed_revision",
  "refused_revision",
  "checked_at",
  "refresh_at",
  "read_at",
  "retry_at",
] as const satisfies readonly (keyof VersionRow)[];

type RunPart = Omit<Pick<RunRow, (typeof runColumns)[number]>, "attempt"> & { readonly attempt: number };
type LibraryPart = Pick<LibraryRow, (typeof libraryColumns)[number]>;
type VersionPart = Pick<VersionRow, (typeof versionColumns)[number]>;

/** The columns of a joined row, by the alias of their table, which prefixes them. */
const parts = {
  library: libraryColumns,
  version: versionColumns,
  live: generationColumns,
  open: runColumns,
  last: runColumns,
} as const;
type Part = keyof typeof parts;

/** A row of library, version, live generation, open run and last run; null in the columns of missing ones. */
export type JoinedRow = Readonly<Record<string, string | number | null>>;

/** The selections of a joined row, as `<alias>_<column>`. */
export const joinedColumns: readonly AliasedRawBuilder<string | number | null, string>[] = Object.entries(
  parts,
).flatMap(([alias, columns]) =>
  columns.map((column) => sql.ref<string | number | null>(`${alias}.${column}`).as(`${alias}_${column}`)),
);

/** The columns of each alias, with their names in a joined row. */
const joinedNames: ReadonlyMap<string, readonly (readonly [string, string])[]> = new Map(
  Object.entries(parts).map(([alias, columns]) => [alias, columns.map((column) => [column, `${alias}_${column}`])]),
);

/** The library of a joined row. */
export function libraryOf(row: JoinedRow): LibraryRecord {
  return toLibrary(partOf<LibraryPart>(row, "library"));
}

/** The version of a joined row; undefined if there is none. */
export function versionOf(row: JoinedRow): VersionRecord | undefined {
  if (row["version_library_uid"] === null) return undefined;
  const version = partOf<VersionPart>(row, "version");
  return {
    libraryUid: version.library_uid,
    version: version.version,
    ref: version.ref,
    live: row["live_id"] === null ? null : toGeneration(partOf<GenerationRow>(row, "live")),
    openRun: row["open_id"] === null ? null : toRun(partOf<RunPart>(row, "open")),
    lastRun: row["last_id"] === null ? null : toRun(partOf<RunPart>(row, "last")),
    checkedRevision: version.checked_revision,
    followedRevision: version.followed_revision,
    refusedRevision: version.refused_revision,
    checkedAt: version.checked_at,
    refreshAt: version.refresh_at,
    readAt: version.read_at,
    retryAt: version.retry_at,
  };
}

/** Converts a row to a library. */
export function toLibrary(row: LibraryPart): LibraryRecord {
  return {
    uid: row.uid,
    teamspace: row.teamspace,
    id: row.id,
    title: row.title,
    description: row.description,
    ...(row.chosen_json !== null && { chosen: parse(row.chosen_json) }),
    source: parse(row.source_json),
    credential: row.credential,
    redirect: row.redirect,
    ...toStanding(row),
    createdAt: row.created_at,
    submittedBy: parse(row.submitted_by_json ?? "null"),
    pendingRename: parse(row.pending_rename_json ?? "null"),
    refusedRenames: parse(row.refused_renames_json ?? "[]"),
    upload: row.upload,
    claims: parse(row.claims_json ?? "[]"),
    ...(row.licences_json !== null && { licences: parse(row.licences_json) }),
    ...(row.repository_json !== null && { repository: parse(row.repository_json) }),
    ...(row.reputation_json !== null && { reputation: parse(row.reputation_json) }),
  };
}

/** The columns of a library's facet. */
export const facetColumns = [
  "uid",
  "id",
  "teamspace",
  "source_json",
  "trust",
  "verified",
  "score",
  "stars",
  "licences_json",
  "redirect",
] as const satisfies readonly (keyof LibraryRow)[];

/** The facet of a library, without the time of its live generation. */
export function toFacet(row: Pick<LibraryRow, (typeof facetColumns)[number]>): Omit<LibraryFacet, "servedAt"> {
  return {
    uid: row.uid,
    id: row.id,
    teamspace: row.teamspace,
    source: parse(row.source_json),
    ...toStanding(row),
    reputation: { score: row.score, stars: row.stars },
    redirect: row.redirect,
    ...(row.licences_json !== null && { licences: parse(row.licences_json) }),
  };
}

/** What administrators have set about the trust in a library. */
function toStanding({
  trust,
  verified,
}: Pick<LibraryRow, "trust" | "verified">): Pick<LibraryRecord, "trust" | "verified"> {
  return { trust, ...(verified !== null && { verified: verified === 1 }) };
}

/** The columns of a library's reputation. */
export function reputationColumns(
  reputation: Reputation | undefined,
): Pick<LibraryRow, "reputation_json" | "score" | "stars" | "reputation_at" | "homepage_host"> {
  const { score = null, stars = null, checkedAt = null, homepage = null } = reputation ?? {};
  return {
    reputation_json: reputation ? JSON.stringify(reputation) : null,
    score,
    stars,
    reputation_at: checkedAt,
    homepage_host: homepage === null ? null : siteHost(homepage),
  };
}

/** Converts a library to a row. */
export function toLibraryRow(library: LibraryRecord): LibraryRow {
  return {
    uid: library.uid,
    teamspace: library.teamspace,
    id: library.id,
    folded_id: foldId(library.id),
    title: library.title,
    folded_title: foldId(library.title),
    description: library.description,
    chosen_json: library.chosen ? JSON.stringify(library.chosen) : null,
    source_json: JSON.stringify(library.source),
    credential: library.credential,
    redirect: library.redirect,
    trust: library.trust,
    verified: library.verified === undefined ? null : Number(library.verified),
    ...reputationColumns(library.reputation),
    created_at: library.createdAt,
    submitted_by_json: library.submittedBy && JSON.stringify(library.submittedBy),
    pending_rename_json: library.pendingRename && JSON.stringify(library.pendingRename),
    refused_renames_json: library.refusedRenames.length > 0 ? JSON.stringify(library.refusedRenames) : null,
    upload: library.upload,
    claims_json: library.claims.length > 0 ? JSON.stringify(library.claims) : null,
    licences_json: library.licences ? JSON.stringify(library.licences) : null,
    repository_json: library.repository ? JSON.stringify(library.repository) : null,
  };
}

/** Converts a row to a generation. */
export function toGeneration(row: GenerationRow): GenerationRecord {
  return {
    id: row.id,
    libraryUid: row.library_uid,
    version: row.version,
    state: row.state,
    revision: row.revision,
    ref: row.ref,
    optionsHash: row.options_hash,
    extractor: row.extractor,
    contentHash: row.content_hash,
    counts: parse(row.counts_json),
    createdAt: row.created_at,
    removeAfter: row.remove_after,
    damage: row.damage,
    unindexedSince: row.unindexed_at,
  };
}

/** Converts a row to a run. */
export function toRun(row: RunPart): RunRecord {
  return {
    runId: row.id,
    libraryUid: row.library_uid,
    teamspace: row.teamspace,
    libraryId: row.library_id,
    version: row.version,
    reason: row.reason,
    ...(row.generation !== null && { generation: row.generation }),
    state: row.closed_at === null ? "open" : "closed",
    phase: row.phase,
    progress: parse(row.progress_json),
    outcome: row.outcome,
    failure: row.failure_json === null ? null : parse(row.failure_json),
    priority: row.priority,
    createdAt: row.created_at,
    startedAt: row.started_at,
    closedAt: row.closed_at,
    attempt: row.attempt,
    lastFailure: row.last_failure_json === null ? null : parse(row.last_failure_json),
    progressAt: row.progress_at,
  };
}

/** Parses JSON that the catalog itself wrote. */
export function parse<T>(json: string): T {
  return JSON.parse(json) as T;
}

function partOf<Row>(row: JoinedRow, alias: Part): Row {
  const part: Record<string, string | number | null | undefined> = {};
  for (const [column, name] of joinedNames.get(alias) ?? []) part[column] = row[name];
  return part as Row;
}
