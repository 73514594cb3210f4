import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { CompiledQuery, Kysely, SelectQueryBuilder } from "kysely";
import type { ReachTable } from "../../domain/access.ts";
import { Failure } from "../../domain/failures.ts";
import { foldId } from "../../domain/library.ts";
import type { Licences } from "../../domain/source.ts";
import type { LibraryFacet, LibraryQuery, LibraryStore, LibraryView } from "../../domain/ports.ts";
import { joinedColumns, libraryOf, parse, versionOf } from "./rows.ts";
import type { JoinedRow } from "./rows.ts";
import type { LibraryRow, Schema } from "./schema.ts";
import { isTroubled, troublesOf } from "./troubles.ts";
import { isUnserved } from "./removal.ts";

/** What reads of libraries answer. */
export type LibraryViews = Pick<LibraryStore, "find" | "versionsOf" | "list" | "facets">;

/** Between version names in one text: no Git ref and no ID can hold a line break. */
const separator = "\n";

/** Libraries that are judged before others have their turn. */
const facetsAtOnce = 200;

/** The ID of no teamspace: "" owns public libraries. */
const noTeamspace = "-";

/** Builds the reads of libraries; each is one statement, `list` is two, and one more for what is the matter with each. */
export function createLibraryViews(db: Kysely<Schema>): LibraryViews {
  const find = createFind(db);
  return {
    find,

    async versionsOf(uid) {
      const library = db.selectFrom("libraries").selectAll().where("uid", "=", uid);
      const rows = await selectJoined(db, library).orderBy("version.version").execute();
      return rows.flatMap((row) => versionOf(row) ?? []);
    },

    async list({ limit, cursor, accept, troublesAt, ...query }) {
      if (query.teamspaces.length === 0) return { items: [], total: 0, next: null };
      const from = cursor === undefined ? undefined : parseCursor(cursor);
      const { total, page } = accept
        ? await choosePage(db, query, accept, limit, from)
        : await (query.trouble ? cutTroubled : cutPage)(db, query, limit, from);
      const rows = await selectJoined(db, page, "").orderBy("library.folded_id").orderBy("library.teamspace").execute();
      const listed = rows.slice(0, limit).map((row) => toView(row));
      const items = troublesAt === undefined ? listed : await withTroubles(db, listed, troublesAt);
      const last = items.at(-1);
      return { items, total, next: last && rows.length > limit ? toCursor(last) : null };
    },

    async facets(query) {
      const matching =
        "uids" in query
          ? db.selectFrom("libraries").where("uid", "in", query.uids.length === 0 ? [""] : query.uids)
          : matchingOf(db, query);
      return readFacets(db, matching);
    },
  };
}

type Matching = SelectQueryBuilder<Schema, "libraries", object>;
type Position = readonly [id: string, teamspace: string];

/** The libraries that fit a query, in no order. */
function matchingOf(
  db: Kysely<Schema>,
  { teamspaces, patterns = [], reach, contains, trouble, kind, unserved }: LibraryQuery,
): Matching {
  let matching: Matching = db
    .selectFrom("libraries")
    .where("teamspace", "in", teamspaces.length === 0 ? [noTeamspace] : teamspaces);
  if (contains !== undefined && contains !== "") {
    const holding = `%${literally(foldId(contains))}%`;
    matching = matching.where(({ or }) => or([isLike("folded_id", holding), isLike("folded_title", holding)]));
  }
  // Written by JSON.stringify, without blanks: within a text the quotes would be escaped.
  if (kind !== undefined) matching = matching.where("source_json", "like", `%"kind":"${kind}"%`);
  if (unserved === true) matching = matching.where("redirect", "is", null).where(isUnserved);
  if (unserved === false)
    matching = matching.where((builder) =>
      builder.or([builder("redirect", "is not", null), builder.not(isUnserved(builder))]),
    );
  if (trouble) matching = matching.where((builder) => isTroubled(builder, trouble.kind, trouble.now));
  if (patterns.length > 0)
    matching = matching.where(({ or }) =>
      or(patterns.map((pattern) => isLike("folded_id", foldId(pattern).split("*").map(literally).join("%")))),
    );
  if (reach) matching = matching.where(isOpenIn(reach));
  return matching;
}

/** How many libraries fit, and the rows of a page of them with one more. */
async function cutPage(db: Kysely<Schema>, query: LibraryQuery, limit: number, from: Position | undefined) {
  const matching = matchingOf(db, query);
  const { total } = await matching.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
  // Cut before it is joined: without statistics, PostgreSQL may otherwise join all libraries first.
  const page = (from ? behind(matching, from) : matching)
    .selectAll()
    .orderBy("folded_id")
    .orderBy("teamspace")
    .limit(limit + 1);
  return { total, page };
}

/** The same where finding those that fit takes longest: they are looked for once, and few. */
async function cutTroubled(db: Kysely<Schema>, query: LibraryQuery, limit: number, from: Position | undefined) {
  const fitting = await matchingOf(db, query)
    .select(["uid", "folded_id", "teamspace"])
    .orderBy("folded_id")
    .orderBy("teamspace")
    .execute();
  const start = from ? fitting.findIndex((one) => isBehind([one.folded_id, one.teamspace], from)) : 0;
  return { total: fitting.length, page: those(db, start === -1 ? [] : fitting.slice(start, start + limit + 1)) };
}

/** The same of the libraries that are accepted, each of which is looked at. */
async function choosePage(
  db: Kysely<Schema>,
  query: LibraryQuery,
  accept: (library: LibraryFacet) => boolean,
  limit: number,
  from: Position | undefined,
) {
  const accepted = (await readFacets(db, matchingOf(db, query))).filter(accept);
  const place = ({ id, teamspace }: LibraryFacet): Position => [foldId(id), teamspace];
  const start = from ? accepted.findIndex((one) => isBehind(place(one), from)) : 0;
  return { total: accepted.length, page: those(db, start === -1 ? [] : accepted.slice(start, start + limit + 1)) };
}

/** The rows of some libraries. */
function those(db: Kysely<Schema>, some: readonly { readonly uid: string }[]) {
  const uids = some.map(({ uid }) => uid);
  return db
    .selectFrom("libraries")
    .selectAll()
    .where("uid", "in", uids.length === 0 ? [""] : uids);
}

function isBehind([id, teamspace]: Position, [lastId, lastTeamspace]: Position): boolean {
  return id === lastId ? isAfter(teamspace, lastTeamspace) : isAfter(id, lastId);
}

/** Databases compare by bytes of UTF-8. */
function isAfter(one: string, other: string): boolean {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) > 0;
}

/** What judges libraries, by ID: few columns and some at a time, as there may be many thousands, and SQLite lets nothing else happen meanwhile. */
async function readFacets(db: Kysely<Schema>, matching: Matching): Promise<readonly LibraryFacet[]> {
  const facets: LibraryFacet[] = [];
  let last: Position | undefined;
  for (;;) {
    const rows = await facetRows(db, last ? behind(matching, last) : matching).execute();
    for (const { uid, id, teamspace, source_json, trust, licences_json, redirect, served_at, ...row } of rows)
      facets.push({
        uid,
        id,
        teamspace,
        source: parse(source_json),
        trust,
        ...(row.verified !== null && { verified: row.verified === 1 }),
        reputation: { score: row.score, stars: row.stars },
        redirect,
        ...(licences_json !== null && { licences: parse<Licences>(licences_json) }),
        servedAt: served_at,
      });
    const end = rows.at(-1);
    if (!end || rows.length < facetsAtOnce) return facets;
    last = [end.folded_id, end.teamspace];
    await setImmediate();
  }
}

function facetRows(db: Kysely<Schema>, matching: Matching) {
  const columns = ["uid", "id", "folded_id", "teamspace", "source_json", "trust", "licences_json", "redirect"] as const;
  const standing = ["score", "stars", "verified"] as const;
  const some = matching
    .select([...columns, ...standing])
    .orderBy("folded_id")
    .orderBy("teamspace")
    .limit(facetsAtOnce);
  return db
    .selectFrom(some.as("library"))
    .leftJoin("versions as version", (join) =>
      join.onRef("version.library_uid", "=", "library.uid").on("version.version", "=", ""),
    )
    .leftJoin("generations as live", "live.id", "version.live_generation")
    .select(["library.uid", "library.id", "library.folded_id", "library.teamspace", "library.source_json"])
    .select(["library.score", "library.stars", "library.verified"])
    .select(["library.trust", "library.licences_json", "library.redirect", "live.created_at as served_at"])
    .orderBy("library.folded_id")
    .orderBy("library.teamspace");
}

/** Those of some libraries that come after a position, by ID. */
function behind(matching: Matching, [id, teamspace]: Position): Matching {
  return matching.where(({ eb, and, or }) =>
    and([eb("folded_id", ">=", id), or([eb("folded_id", ">", id), eb("teamspace", ">", teamspace)])]),
  );
}

/**
 * The look-up of every read. Building and compiling its SQL would cost several times what executing it does, so that
 * is done once for each number of teamspaces.
 */
function createFind(db: Kysely<Schema>): LibraryStore["find"] {
  const compiled = new Map<number, { query: CompiledQuery; order: readonly number[] }>();

  function queryFor(teamspaces: number): { query: CompiledQuery; order: readonly number[] } {
    const known = compiled.get(teamspaces);
    if (known) return known;
    // Each value is stood in for by its place among the arguments, from which the order of the parameters is read.
    const places = Array.from({ length: teamspaces + 3 }, (_, place) => `${place}`);
    const [judging = "", version = "", id = "", ...owners] = places;
    const libraries = db
      .selectFrom("libraries")
      .selectAll()
      .where("folded_id", "=", id)
      .where("teamspace", "in", owners);
    const query = selectJoined(db, libraries, version)
      .select(({ selectFrom }) =>
        selectFrom("teamspaces").where("teamspaces.id", "=", judging).select("policy_revision").as("policy_revision"),
      )
      .compile() as CompiledQuery;
    const made = { query, order: query.parameters.map(Number) };
    compiled.set(teamspaces, made);
    return made;
  }

  return async (teamspaces, id, version, judging) => {
    if (teamspaces.length === 0) return undefined;
    const { query, order } = queryFor(teamspaces.length);
    const values = [judging ?? noTeamspace, version, foldId(id), ...teamspaces];
    const { rows } = await db.executeQuery<JoinedRow>({ ...query, parameters: order.map((place) => values[place]) });
    const found = teamspaces
      .map((teamspace) => rows.find((row) => row["library_teamspace"] === teamspace))
      .filter((row) => row !== undefined);
    // What a moved library left behind has no version, and must not hide another one's library.
    const row = found.find((each) => each["version_names"] !== null) ?? found[0];
    if (!row || judging === undefined) return row && toView(row);
    return { ...toView(row), accessRevision: Number(row["policy_revision"] ?? 0) };
  };
}

/** The given libraries with one version, or with all of theirs, and what a read decides by. */
function selectJoined(
  db: Kysely<Schema>,
  libraries: SelectQueryBuilder<Schema, "libraries", LibraryRow>,
  version?: string,
) {
  return db
    .selectFrom(libraries.as("library"))
    .leftJoin("versions as version", (join) => {
      const owned = join.onRef("version.library_uid", "=", "library.uid");
      return version === undefined ? owned : owned.on("version.version", "=", version);
    })
    .leftJoin("generations as live", "live.id", "version.live_generation")
    .leftJoin("runs as open", "open.id", "version.open_run")
    .leftJoin("runs as last", "last.id", "version.last_run")
    .select(joinedColumns)
    .select(({ selectFrom }) =>
      selectFrom("versions")
        .whereRef("versions.library_uid", "=", "library.uid")
        .select(sql<string>`string_agg(versions.version, ${sql.lit(separator)})`.as("names"))
        .as("version_names"),
    );
}

/** Whether rules have a library open: of the longest ID or namespace that fits, else by default. */
function isOpenIn({ rules, otherwise }: ReachTable) {
  const rest = sql.lit(otherwise ? 1 : 0);
  if (rules.length === 0) return sql<boolean>`${rest} = 1`;
  const cases = rules.map(
    // "0" is what follows "/": all IDs below a namespace are between the two.
    ({ folded, isOpen }) =>
      sql`when folded_id = ${folded} or (folded_id > ${`${folded}/`} and folded_id < ${`${folded}0`}) then ${sql.lit(isOpen ? 1 : 0)}`,
  );
  return sql<boolean>`case ${sql.join(cases, sql` `)} else ${rest} end = 1`;
}

function isLike(column: "folded_id" | "folded_title", pattern: string) {
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`;
}

/** Text in a LIKE pattern that stands for itself. */
function literally(text: string): string {
  return text.replace(/[\\%_]/g, String.raw`\$&`);
}

function toView(row: JoinedRow): LibraryView {
  const names = row["version_names"];
  return {
    library: libraryOf(row),
    version: versionOf(row),
    versions: typeof names === "string" ? names.split(separator).sort() : [],
  };
}

async function withTroubles(
  db: Kysely<Schema>,
  views: readonly LibraryView[],
  now: number,
): Promise<readonly LibraryView[]> {
  const uids = views.map(({ library }) => library.uid);
  const found = await troublesOf(db, uids, now);
  return views.map((view) => ({ ...view, troubles: found.get(view.library.uid) ?? [] }));
}

function toCursor({ library }: LibraryView): string {
  return Buffer.from(JSON.stringify([foldId(library.id), library.teamspace])).toString("base64url");
}

function parseCursor(cursor: string): readonly [string, string] {
  try {
    const [id, teamspace, ...more] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as readonly unknown[];
    if (typeof id === "string" && typeof teamspace === "string" && more.length === 0) return [id, teamspace];
  } catch (cause) {
    throw invalidCursor(cause);
  }
  throw invalidCursor();
}

function invalidCursor(cause?: unknown): Failure {
  return new Failure(
    "validation_error",
    "The cursor is invalid. Use the one from the previous page, or omit it to start at the first.",
    { cause },
  );
}
