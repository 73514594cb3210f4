import { sql, type AliasedRawBuilder } from "kysely";
import { foldId } from "../../domain/library.ts";
import { siteHost, type Reputation } from "../../domain/trust.ts";
import type { GenerationRecord, LibraryFacet, LibraryRecord, RunRecord, VersionRecord } from "../../domain/ports.ts";
import type { GenerationRow, LibraryRow, RunRow, VersionRow } from "./schema.ts";

/** The columns of a run's record: all but those of the engine, which may be large. */
export const runColumns = columnsOf(
  "id,library_uid,teamspace,library_id,version,reason,generation,phase,progress_json,outcome,failure_json,priority",
  "created_at,started_at,closed_at,attempt,last_failure_json,progress_at",
) satisfies readonly (keyof RunRow)[];

const generationColumns = columnsOf(
  "id,library_uid,version,state,revision,ref,options_hash,extractor,content_hash,counts_json,created_at",
  "remove_after,damage,unindexed_at",
) satisfies readonly (keyof GenerationRow)[];

const libraryColumns = columnsOf(
  "uid,teamspace,id,title,description,chosen_json,source_json,credential,redirect,trust,created_at",
  "submitted_by_json,pending_rename_json,refused_renames_json,upload,claims_json,licences_json,repository_json",
  "reputation_json,verified",
) satisfies readonly (keyof LibraryRow)[];

const versionColumns = columnsOf(
  "library_uid,version,ref,checked_revision,followed_revision,refused_revision,checked_at,refresh_at,read_at,retry_at",
) satisfies readonly (keyof VersionRow)[];

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
  return {
    ...toRecord(partOf<VersionPart>(row, "version")),
    live: row["live_id"] === null ? null : toGeneration(partOf<GenerationRow>(row, "live")),
    openRun: row["open_id"] === null ? null : toRun(partOf<RunPart>(row, "open")),
    lastRun: row["last_id"] === null ? null : toRun(partOf<RunPart>(row, "last")),
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
export const facetColumns = columnsOf(
  "uid,id,teamspace,source_json,trust,verified,score,stars,licences_json,redirect",
) satisfies readonly (keyof LibraryRow)[];

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
export function toGeneration({ counts_json, unindexed_at, ...row }: GenerationRow): GenerationRecord {
  return { ...toRecord(row), counts: parse(counts_json), unindexedSince: unindexed_at };
}

/** Converts a row to a run. */
export function toRun({ id, generation, progress_json, failure_json, last_failure_json, ...row }: RunPart): RunRecord {
  return {
    runId: id,
    ...toRecord(row),
    ...(generation !== null && { generation }),
    state: row.closed_at === null ? "open" : "closed",
    progress: parse(progress_json),
    failure: failure_json === null ? null : parse(failure_json),
    lastFailure: last_failure_json === null ? null : parse(last_failure_json),
  };
}

/** The members of a row, named as in the program: `created_at` becomes `createdAt`. */
export function toRecord<Row extends object>(row: Row): NamedInProgram<Row> {
  const record: Record<string, unknown> = {};
  for (const column in row) record[memberOf(column)] = row[column];
  return record as NamedInProgram<Row>;
}

type MemberOf<Column> = Column extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<MemberOf<Rest>>}`
  : Column;
type NamedInProgram<Row> = { [Column in keyof Row as MemberOf<Column> & string]: Row[Column] };

function memberOf(column: string): string {
  return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The members of a record, named as columns: `createdAt` becomes `created_at`. */
export function toRow<Item extends object>(item: Item): NamedInTable<Item> {
  const columns = Object.entries(item).map(([member, value]) => [columnOf(member), value]);
  return Object.fromEntries(columns) as NamedInTable<Item>;
}

type ColumnOf<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnOf<Rest>}`
  : Name;
type NamedInTable<Item> = { [Name in keyof Item as ColumnOf<Name> & string]: Item[Name] };

function columnOf(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type ColumnIn<Names extends string> = Names extends `${infer First},${infer Rest}` ? First | ColumnIn<Rest> : Names;

/** The columns in lines of names that are separated by commas. */
function columnsOf<const Line extends string>(...lines: readonly Line[]): readonly ColumnIn<Line>[] {
  return lines.join(",").split(",") as ColumnIn<Line>[];
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
