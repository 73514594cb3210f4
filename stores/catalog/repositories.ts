import { sql, type Expression, type ExpressionBuilder, type Kysely, type SqlBool, type Transaction } from "kysely";
import { kindOf } from "../../domain/kinds/index.ts";
import { foldId } from "../../domain/library.ts";
import type { LibraryRecord, LibraryStore } from "../../domain/ports.ts";
import { repositoryAddress, type NamedRepository } from "../../domain/addresses.ts";
import { parse } from "./rows.ts";
import type { LibraryRow, RepositoryRow, Schema } from "./schema.ts";

/** The aliases of the tables in the query for links. */
type Tables = Schema & {
  named: RepositoryRow;
  located: RepositoryRow;
  package: LibraryRow;
  repository: LibraryRow;
};
type Builder = ExpressionBuilder<Tables, "named" | "located" | "package" | "repository">;

/** Builds the part of the library store that links packages to the libraries of their repositories. */
export function createLinks(db: Kysely<Schema>): Pick<LibraryStore, "links"> {
  return {
    async links(of, teamspaces) {
      if (teamspaces.length === 0 || ("packages" in of && of.packages.length === 0)) return [];
      const query = db
        .selectFrom("repositories as named")
        .innerJoin("repositories as located", "located.address", "named.address")
        .innerJoin("libraries as package", "package.uid", "named.library_uid")
        .innerJoin("libraries as repository", "repository.uid", "located.library_uid")
        .select(["package.uid as packageUid", "repository.uid as repositoryUid", "package.repository_json as json"])
        .where("named.relation", "=", "named")
        .where(({ or, and, eb, not }) =>
          or([
            eb("located.relation", "=", "own"),
            and([eb("located.relation", "=", "former"), not(isOccupied(eb, teamspaces))]),
          ]),
        )
        .where(({ eb }) => isReached(eb, "package", teamspaces))
        .where(({ eb }) => isReached(eb, "repository", teamspaces))
        .orderBy("package.folded_id")
        .orderBy("repository.folded_id")
        .orderBy("repository.uid");
      const rows = await (
        "packages" in of
          ? query.where("named.library_uid", "in", of.packages)
          : query.where("located.library_uid", "=", of.repository).limit(of.limit)
      ).execute();
      return rows.map(({ packageUid, repositoryUid, json }) => {
        const { isConfirmed = false } = parse<Partial<NamedRepository> | null>(json ?? "null") ?? {};
        return { packageUid, repositoryUid, isConfirmed };
      });
    },
  };
}

/** Whether the ID of a library leads readers of some teamspaces to it: their own libraries hide public ones. */
function isReached(eb: Builder, library: "package" | "repository", teamspaces: readonly string[]): Expression<SqlBool> {
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

/** Whether an address belongs to a library of some teamspaces now, so that former owners do not count. */
function isOccupied(eb: Builder, teamspaces: readonly string[]): Expression<SqlBool> {
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

/** Stores the address of a library that is a repository. */
export async function addAddress(trx: Transaction<Schema>, { uid, source }: LibraryRecord): Promise<void> {
  const address = kindOf(source).repository?.(source);
  if (address !== undefined) await add(trx, [{ library_uid: uid, address, relation: "own" }]);
}

/** Stores the new address of a moved library, and its old one as a former address. */
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

/** Gives the addresses of a library to the target of its redirect, as former addresses. */
export async function handOverAddresses(
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

/** Replaces the repository that a package names; null: none. */
export async function replaceNamedRepository(
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
