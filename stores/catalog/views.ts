import { setImmediate } from "node:timers/promises";
import { sql, type CompiledQuery, type Kysely, type SelectQueryBuilder } from "kysely";
import type { ReachTable } from "../../domain/access.ts";
import { Failure } from "../../domain/failures.ts";
import { foldId } from "../../domain/library.ts";
import type { LibraryFacet, LibraryQuery, LibraryStore, LibraryView } from "../../domain/ports.ts";
import { facetColumns, joinedColumns, libraryOf, toFacet, versionOf, type JoinedRow } from "./rows.ts";
import type { LibraryRow, Schema } from "./schema.ts";
import { isTroubled, troublesOf } from "./troubles.ts";
import { isUnserved } from "./removal.ts";

/** The part of the library store that reads libraries. */
export type LibraryViews = Pick<LibraryStore, "find" | "versionsOf" | "list" | "facets">;

/** Separates version names in a text: neither Git refs nor IDs contain line breaks. */
const separator = "\n";

/** Number of libraries read before the event loop gets a turn. */
const facetsAtOnce = 200;

/** No teamspace has this ID; "" would match public libraries. */
const noTeamspace = "-";

/** Builds the reads of libraries. Each is one statement; `list` is two, and a third one for troubles. */
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

/** The libraries that match a query, unordered. */
function matchingOf(
  db: Kysely<Schema>,
  { teamspaces, patterns = [], reach, contains, trouble, kind, unserved }: LibraryQuery,
): Matching {
  let matching: Matching = db
    .selectFrom("libraries")
    .where("teamspace", "in", teamspaces.length === 0 ? [noTeamspace] : teamspaces);
  if (contains !== undefined && contains !== "") {
    const pattern = `%${escapeLike(foldId(contains))}%`;
    matching = matching.where(({ or }) => or([isLike("folded_id", pattern), isLike("folded_title", pattern)]));
  }
  // JSON.stringify writes no spaces, and would escape the quotes within a text.
  if (kind !== undefined) matching = matching.where("source_json", "like", `%"kind":"${kind}"%`);
  if (unserved === true) matching = matching.where("redirect", "is", null).where(isUnserved);
  if (unserved === false)
    matching = matching.where((builder) =>
      builder.or([builder("redirect", "is not", null), builder.not(isUnserved(builder))]),
    );
  if (trouble) matching = matching.where((builder) => isTroubled(builder, trouble.kind, trouble.now));
  if (patterns.length > 0)
    matching = matching.where(({ or }) =>
      or(patterns.map((pattern) => isLike("folded_id", foldId(pattern).split("*").map(escapeLike).join("%")))),
    );
  if (reach) matching = matching.where(isOpenIn(reach));
  return matching;
}

/** The number of matching libraries, and the query for a page of them and one more. */
async function cutPage(db: Kysely<Schema>, query: LibraryQuery, limit: number, from: Position | undefined) {
  const matching = matchingOf(db, query);
  const { total } = await matching.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
  // Limited before the join, as PostgreSQL may join all libraries first if it has no statistics.
  const page = (from ? after(matching, from) : matching)
    .selectAll()
    .orderBy("folded_id")
    .orderBy("teamspace")
    .limit(limit + 1);
  return { total, page };
}

/** Like `cutPage`, for expensive filters: runs the filter once, as few libraries match. */
async function cutTroubled(db: Kysely<Schema>, query: LibraryQuery, limit: number, from: Position | undefined) {
  const matches = await matchingOf(db, query)
    .select(["uid", "folded_id", "teamspace"])
    .orderBy("folded_id")
    .orderBy("teamspace")
    .execute();
  const page = pageOf(matches, (row) => [row.folded_id, row.teamspace], limit, from);
  return { total: matches.length, page: selectThese(db, page) };
}

/** Like `cutPage`, with `accept` applied to every library. */
async function choosePage(
  db: Kysely<Schema>,
  query: LibraryQuery,
  accept: (library: LibraryFacet) => boolean,
  limit: number,
  from: Position | undefined,
) {
  const accepted = (await readFacets(db, matchingOf(db, query))).filter(accept);
  const page = pageOf(accepted, ({ id, teamspace }) => [foldId(id), teamspace], limit, from);
  return { total: accepted.length, page: selectThese(db, page) };
}

/** A page of sorted items after a position, and one more. */
function pageOf<Item>(
  items: readonly Item[],
  positionOf: (item: Item) => Position,
  limit: number,
  from: Position | undefined,
): readonly Item[] {
  const start = from ? items.findIndex((item) => isAfter(positionOf(item), from)) : 0;
  return start === -1 ? [] : items.slice(start, start + limit + 1);
}

function selectThese(db: Kysely<Schema>, libraries: readonly { readonly uid: string }[]) {
  const uids = libraries.map(({ uid }) => uid);
  return db
    .selectFrom("libraries")
    .selectAll()
    .where("uid", "in", uids.length === 0 ? [""] : uids);
}

function isAfter([id, teamspace]: Position, [lastId, lastTeamspace]: Position): boolean {
  const [one, other] = id === lastId ? [teamspace, lastTeamspace] : [id, lastId];
  // Databases compare the bytes of UTF-8.
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) > 0;
}

/** Facets for policies, by ID: few columns, in batches, as there may be many thousands, and SQLite blocks the event loop meanwhile. */
async function readFacets(db: Kysely<Schema>, matching: Matching): Promise<readonly LibraryFacet[]> {
  const facets: LibraryFacet[] = [];
  let last: Position | undefined;
  for (;;) {
    const rows = await facetRows(db, last ? after(matching, last) : matching).execute();
    facets.push(...rows.map((row) => ({ ...toFacet(row), servedAt: row.served_at })));
    const end = rows.at(-1);
    if (!end || rows.length < facetsAtOnce) return facets;
    last = [end.folded_id, end.teamspace];
    await setImmediate();
  }
}

function facetRows(db: Kysely<Schema>, matching: Matching) {
  const batch = matching
    .select([...facetColumns, "folded_id"])
    .orderBy("folded_id")
    .orderBy("teamspace")
    .limit(facetsAtOnce);
  return db
    .selectFrom(batch.as("library"))
    .leftJoin("versions as version", (join) =>
      join.onRef("version.library_uid", "=", "library.uid").on("version.version", "=", ""),
    )
    .leftJoin("generations as live", "live.id", "version.live_generation")
    .selectAll("library")
    .select("live.created_at as served_at")
    .orderBy("library.folded_id")
    .orderBy("library.teamspace");
}

/** The matching libraries after a position, by ID. */
function after(matching: Matching, [id, teamspace]: Position): Matching {
  return matching.where(({ eb, and, or }) =>
    and([eb("folded_id", ">=", id), or([eb("folded_id", ">", id), eb("teamspace", ">", teamspace)])]),
  );
}

/**
 * The look-up of every read. Building and compiling its SQL takes several times as long as executing it, so this is done once for each
 * number of teamspaces.
 */
function createFind(db: Kysely<Schema>): LibraryStore["find"] {
  type Compiled = { readonly query: CompiledQuery; readonly order: readonly number[] };
  const compiled = new Map<number, Compiled>();

  function queryFor(teamspaces: number): Compiled {
    const known = compiled.get(teamspaces);
    if (known) return known;
    // Compiled with the positions of the values in position of the values, to find out the order of the parameters.
    const positions = Array.from({ length: teamspaces + 3 }, (_, position) => `${position}`);
    const [judging = "", version = "", id = "", ...owners] = positions;
    const libraries = db
      .selectFrom("libraries")
      .selectAll()
      .where("folded_id", "=", id)
      .where("teamspace", "in", owners);
    const query = selectJoined(db, libraries, version)
      .select(({ selectFrom }) =>
        selectFrom("teamspaces").where("teamspaces.id", "=", judging).select("policy_revision").as("policy_revision"),
      )
      .select(({ selectFrom }) =>
        selectFrom("team_notes")
          .whereRef("team_notes.library_uid", "=", "library.uid")
          .where("team_notes.teamspace", "=", judging)
          .select("text")
          .as("team_note"),
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
    const { rows } = await db.executeQuery<JoinedRow>({
      ...query,
      parameters: order.map((position) => values[position]),
    });
    const candidates = teamspaces
      .map((teamspace) => rows.find((row) => row["library_teamspace"] === teamspace))
      .filter((row) => row !== undefined);
    // The redirect of a moved library has no version, and must not hide a library of another teamspace.
    const row = candidates.find((candidate) => candidate["version_names"] !== null) ?? candidates[0];
    if (!row || judging === undefined) return row && toView(row);
    const note = row["team_note"];
    return {
      ...toView(row),
      accessRevision: Number(row["policy_revision"] ?? 0),
      ...(typeof note === "string" && { teamNote: note }),
    };
  };
}

/** Some libraries with one or all of their versions, and with the generations and runs that a read depends on. */
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

/** Whether rules allow reading a library: that of its ID or longest namespace, else the default. */
function isOpenIn({ rules, otherwise }: ReachTable) {
  const byDefault = sql.lit(otherwise ? 1 : 0);
  if (rules.length === 0) return sql<boolean>`${byDefault} = 1`;
  const cases = rules.map(
    // "0" is the character after "/", so all IDs of a namespace are between the two.
    ({ folded, isOpen }) =>
      sql`when folded_id = ${folded} or (folded_id > ${`${folded}/`} and folded_id < ${`${folded}0`}) then ${sql.lit(isOpen ? 1 : 0)}`,
  );
  return sql<boolean>`case ${sql.join(cases, sql` `)} else ${byDefault} end = 1`;
}

function isLike(column: "folded_id" | "folded_title", pattern: string) {
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`;
}

/** Escapes the special characters of LIKE. */
function escapeLike(text: string): string {
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
  const troubles = await troublesOf(db, uids, now);
  return views.map((view) => ({ ...view, troubles: troubles.get(view.library.uid) ?? [] }));
}

function toCursor({ library }: LibraryView): string {
  return Buffer.from(JSON.stringify([foldId(library.id), library.teamspace])).toString("base64url");
}

function parseCursor(cursor: string): Position {
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
