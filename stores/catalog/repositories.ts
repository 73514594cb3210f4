import { sql } from "kysely";
import type { Expression, ExpressionBuilder, Kysely, SqlBool, Transaction } from "kysely";
import { kindOf } from "../../domain/kinds/index.ts";
import { foldId } from "../../domain/library.ts";
import type { LibraryRecord, LibraryStore } from "../../domain/ports.ts";
import { repositoryAddress } from "../../domain/addresses.ts";
import type { NamedRepository } from "../../domain/addresses.ts";
import { parse } from "./rows.ts";
import type { LibraryRow, RepositoryRow, Schema } from "./schema.ts";

/** The tables of a link, under the names of what they hold. */
type Tables = Schema & {
  named: RepositoryRow;
  place: RepositoryRow;
  package: LibraryRow;
  repository: LibraryRow;
};
type Builder = ExpressionBuilder<Tables, "named" | "place" | "package" | "repository">;

/** Builds the part of the library store that links packages with the libraries of their repositories. */
export function createLinks(db: Kysely<Schema>): Pick<LibraryStore, "links"> {
  return {
    async links(of, teamspaces) {
      if (teamspaces.length === 0 || ("packages" in of && of.packages.length === 0)) return [];
      const query = db
        .selectFrom("repositories as named")
        .innerJoin("repositories as place", "place.address", "named.address")
        .innerJoin("libraries as package", "package.uid", "named.library_uid")
        .innerJoin("libraries as repository", "repository.uid", "place.library_uid")
        .select(["package.uid as packageUid", "repository.uid as repositoryUid", "package.repository_json as json"])
        .where("named.relation", "=", "named")
        .where(({ or, and, eb, not }) =>
          or([
            eb("place.relation", "=", "own"),
            and([eb("place.relation", "=", "former"), not(isTakenNow(eb, teamspaces))]),
          ]),
        )
        .where(({ eb }) => isLedTo(eb, "package", teamspaces))
        .where(({ eb }) => isLedTo(eb, "repository", teamspaces))
        .orderBy("package.folded_id")
        .orderBy("repository.folded_id")
        .orderBy("repository.uid");
      const rows = await (
        "packages" in of
          ? query.where("named.library_uid", "in", of.packages)
          : query.where("place.library_uid", "=", of.repository).limit(of.limit)
      ).execute();
      return rows.map(({ packageUid, repositoryUid, json }) => {
        const { isConfirmed = false } = parse<Partial<NamedRepository> | null>(json ?? "null") ?? {};
        return { packageUid, repositoryUid, isConfirmed };
      });
    },
  };
}

/** Whether an ID leads to a library for readers of some teamspaces: their own comes before a public one. */
function isLedTo(eb: Builder, library: "package" | "repository", teamspaces: readonly string[]): Expression<SqlBool> {
  const own = eb
    .selectFrom("libraries as own")
    .select("own.uid")
    .whereRef("own.folded_id", "=", `${library}.folded_id`)
    .where("own.teamspace", "in", teamspaces)
    .where("own.teamspace", "<>", "")
    .where("own.redirect", "is", null);
  return eb.and([
    eb(`${library}.teamspace`, "in", teamspaces),
    eb(`${library}.redirect`, "is", null),
    eb.or([eb(`${library}.teamspace`, "<>", ""), eb.not(eb.exists(own))]),
  ]);
}

/** Whether a library of some teamspaces is at an address now: then it is not that of one that was there. */
function isTakenNow(eb: Builder, teamspaces: readonly string[]): Expression<SqlBool> {
  return eb.exists(
    eb
      .selectFrom("repositories as present")
      .innerJoin("libraries as holder", "holder.uid", "present.library_uid")
      .select(sql<number>`1`.as("one"))
      .whereRef("present.address", "=", "named.address")
      .where("present.relation", "=", "own")
      .where("holder.teamspace", "in", teamspaces)
      .where("holder.redirect", "is", null),
  );
}

/** Notes where a library is that is a repository. */
export async function addAddress(trx: Transaction<Schema>, { uid, source }: LibraryRecord): Promise<void> {
  const address = kindOf(source).repository?.(source);
  if (address !== undefined) await add(trx, [{ library_uid: uid, address, relation: "own" }]);
}

/** Notes where a library is now; it is still found by where it was. */
export async function moveAddress(trx: Transaction<Schema>, moved: LibraryRecord): Promise<void> {
  const { uid, source } = moved;
  if (kindOf(source).repository?.(source) === undefined) return;
  const before = await trx
    .selectFrom("repositories")
    .selectAll()
    .where("library_uid", "=", uid)
    .where("relation", "=", "own")
    .execute();
  await add(
    trx,
    before.map((row) => ({ ...row, relation: "former" })),
  );
  await trx.deleteFrom("repositories").where("library_uid", "=", uid).where("relation", "=", "own").execute();
  await addAddress(trx, moved);
}

/** Lets the library that another one redirects to be found by where that one is and was. */
export async function leaveAddresses(
  trx: Transaction<Schema>,
  { uid, teamspace }: Pick<LibraryRecord, "uid" | "teamspace">,
  redirect: string,
): Promise<void> {
  const target = await trx
    .selectFrom("libraries")
    .select("uid")
    .where("folded_id", "=", foldId(redirect))
    .where("teamspace", "=", teamspace)
    .forKeyShare()
    .executeTakeFirst();
  if (target === undefined || target.uid === uid) return;
  const rows = await trx
    .selectFrom("repositories")
    .select("address")
    .where("library_uid", "=", uid)
    .where("relation", "in", ["own", "former"])
    .execute();
  await add(
    trx,
    [...new Set(rows.map(({ address }) => address))].map((address) => ({
      library_uid: target.uid,
      address,
      relation: "former",
    })),
  );
}

/** Notes the repository that a package names in place of the one that it has named; null: it names none. */
export async function nameRepository(
  trx: Transaction<Schema>,
  uid: string,
  repository: NamedRepository | null,
): Promise<void> {
  await trx.deleteFrom("repositories").where("library_uid", "=", uid).where("relation", "=", "named").execute();
  const address = repository === null ? undefined : repositoryAddress(repository.url);
  if (address !== undefined) await add(trx, [{ library_uid: uid, address, relation: "named" }]);
}

async function add(trx: Transaction<Schema>, rows: readonly RepositoryRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx
    .insertInto("repositories")
    .values(rows)
    .onConflict((conflict) => conflict.columns(["library_uid", "address", "relation"]).doNothing())
    .execute();
}
