import type { Kysely, Selectable, Transaction } from "kysely";
import { maxAccessRules } from "../../domain/access.ts";
import type { AccessRule, AccessRules } from "../../domain/access.ts";
import { Failure } from "../../domain/failures.ts";
import { foldId } from "../../domain/library.ts";
import type { AccessStore } from "../../domain/ports.ts";
import { parse } from "./rows.ts";
import type { AccessRuleRow, Schema, TeamspaceRow } from "./schema.ts";
import { transact } from "./transaction.ts";

/** Builds the store of rules about who reads what, and of what groups may do. */
export function createAccessStore(db: Kysely<Schema>): AccessStore {
  const currentOf = createCurrentOf(db);
  return {
    async rules(teamspace, known) {
      if (known && (await currentOf(teamspace)) === known.revision) return known;
      return readRules(db, teamspace);
    },

    change: (teamspace, { otherwise, set = [], remove = [] }) =>
      transact(db, async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable("teamspaces")
          .set(({ eb }) => ({
            access_revision: eb("access_revision", "+", 1),
            ...(otherwise !== undefined && { access_default: otherwise }),
          }))
          .where("id", "=", teamspace)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return undefined;
        const gone = [...remove, ...set.map(({ library }) => library)].map(foldId);
        if (gone.length > 0)
          await trx
            .deleteFrom("access_rules")
            .where("teamspace", "=", teamspace)
            .where("folded_library", "in", gone)
            .execute();
        // Of several for one library the last one counts.
        const rows = [...new Map(set.map((rule) => [foldId(rule.library), toRow(teamspace, rule)])).values()];
        if (rows.length > 0) await trx.insertInto("access_rules").values(rows).execute();
        const changed = await readRules(trx, teamspace);
        if (changed && changed.rules.size > maxAccessRules) throw tooManyRules();
        return changed;
      }),

    async grants(groups) {
      if (groups?.length === 0) return [];
      let query = db.selectFrom("group_grants").selectAll();
      if (groups) query = query.where("group_name", "in", groups);
      const rows = await query.orderBy("created_at").orderBy("group_name").orderBy("teamspace").execute();
      return rows.map(({ group_name, teamspace, scope, created_at }) => ({
        group: group_name,
        teamspace,
        scope,
        createdAt: created_at,
      }));
    },

    grant: ({ group, teamspace, scope, createdAt }) =>
      transact(db, async (trx) => {
        const held = trx.selectFrom("teamspaces").select("id").where("id", "=", teamspace).forShare();
        if (!(await held.executeTakeFirst())) return false;
        await trx
          .insertInto("group_grants")
          .values({ group_name: group, teamspace, scope, created_at: createdAt })
          .onConflict((conflict) => conflict.columns(["group_name", "teamspace"]).doUpdateSet({ scope }))
          .execute();
        return true;
      }),

    async withdraw(group, teamspace) {
      const { numDeletedRows } = await db
        .deleteFrom("group_grants")
        .where("group_name", "=", group)
        .where("teamspace", "=", teamspace)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
  };
}

/** The look-up of every request, compiled once: the revision of a teamspace's rules. */
function createCurrentOf(db: Kysely<Schema>): (teamspace: string) => Promise<string | undefined> {
  const query = db.selectFrom("teamspaces").select(["created_at", "access_revision"]).where("id", "=", "").compile();
  return async (teamspace) => {
    const { rows } = await db.executeQuery<Revised>({ ...query, parameters: [teamspace] });
    return rows[0] && revisionOf(rows[0]);
  };
}

type Revised = Pick<Selectable<TeamspaceRow>, "created_at" | "access_revision">;

/** A teamspace that was deleted and made again counts its changes anew. */
function revisionOf({ created_at, access_revision }: Revised): string {
  return `${created_at}.${access_revision}`;
}

/** One statement, so that default and rules are of one moment. */
async function readRules(
  db: Kysely<Schema> | Transaction<Schema>,
  teamspace: string,
): Promise<AccessRules | undefined> {
  const rows = await db
    .selectFrom("teamspaces")
    .leftJoin("access_rules as rule", "rule.teamspace", "teamspaces.id")
    .select([
      "teamspaces.created_at",
      "access_revision",
      "access_default",
      "folded_library",
      "library",
      "users_json",
      "groups_json",
    ])
    .where("teamspaces.id", "=", teamspace)
    .orderBy("folded_library")
    .execute();
  const [first] = rows;
  if (!first) return undefined;
  return { revision: revisionOf(first), otherwise: first.access_default, rules: new Map(rows.flatMap(toEntry)) };
}

/** Every teamspace's rule about an ID, for all that have one; by teamspace. */
export async function rulesOfAll(
  trx: Transaction<Schema>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AccessRules["rules"]>> {
  const rows = await trx
    .selectFrom("access_rules")
    .selectAll()
    .where("folded_library", "in", [...new Set(ids.flatMap(placesOf))])
    .execute();
  const byTeamspace = Map.groupBy(rows, ({ teamspace }) => teamspace);
  return new Map([...byTeamspace].map(([teamspace, its]) => [teamspace, new Map(its.flatMap(toEntry))]));
}

/** An ID, and every namespace that it is in. */
function placesOf(id: string): readonly string[] {
  const segments = foldId(id).split("/").slice(1);
  return segments.map((_, at) => `/${segments.slice(0, at + 1).join("/")}`);
}

type MaybeRule = { readonly [Name in "folded_library" | "library" | "users_json" | "groups_json"]: string | null };

function toEntry({
  folded_library,
  library,
  users_json,
  groups_json,
}: MaybeRule): readonly (readonly [string, AccessRule])[] {
  if (folded_library === null || library === null) return [];
  return [[folded_library, { library, users: parse(users_json ?? "[]"), groups: parse(groups_json ?? "[]") }]];
}

function toRow(teamspace: string, { library, users, groups }: AccessRule): AccessRuleRow {
  return {
    teamspace,
    folded_library: foldId(library),
    library,
    users_json: JSON.stringify(users),
    groups_json: JSON.stringify(groups),
  };
}

function tooManyRules(): Failure {
  const message = `A teamspace has at most ${maxAccessRules} rules. Use namespaces such as /acme, or groups, in place of single libraries.`;
  return new Failure("validation_error", message);
}
