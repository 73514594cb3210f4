import type { Kysely, Selectable, Transaction } from "kysely";
import { maxAccessRules, type AccessRule, type AccessRules } from "../../domain/access.ts";
import { Failure } from "../../domain/failures.ts";
import { foldId } from "../../domain/library.ts";
import type { AccessStore } from "../../domain/ports.ts";
import { parse, toRecord } from "./rows.ts";
import type { AccessRuleRow, Schema, TeamspaceRow } from "./schema.ts";
import { holdTeamspace, transact } from "./transaction.ts";

/** Builds the store of access rules and of grants to groups. */
export function createAccessStore(db: Kysely<Schema>): AccessStore {
  const currentRevision = createRevisionLookUp(db);
  return {
    async rules(teamspace, known) {
      if (known && (await currentRevision(teamspace)) === known.revision) return known;
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
        const replaced = [...remove, ...set.map(({ library }) => library)].map(foldId);
        if (replaced.length > 0)
          await trx
            .deleteFrom("access_rules")
            .where("teamspace", "=", teamspace)
            .where("folded_library", "in", replaced)
            .execute();
        // The last of several rules for a library wins.
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
      return rows.map(({ group_name: group, ...row }) => ({ group, ...toRecord(row) }));
    },

    grant: ({ group, teamspace, scope, createdAt }) =>
      transact(db, async (trx) => {
        if (!(await holdTeamspace(trx, teamspace))) return false;
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

/** Looks up the revision of a teamspace's rules. Compiled once, as every request needs it. */
function createRevisionLookUp(db: Kysely<Schema>): (teamspace: string) => Promise<string | undefined> {
  const query = db.selectFrom("teamspaces").select(["created_at", "access_revision"]).where("id", "=", "").compile();
  return async (teamspace) => {
    const { rows } = await db.executeQuery<Revised>({ ...query, parameters: [teamspace] });
    return rows[0] && revisionOf(rows[0]);
  };
}

type Revised = Pick<Selectable<TeamspaceRow>, "created_at" | "access_revision">;

/** With the time of creation, as a teamspace that was deleted and created again starts counting from 0. */
function revisionOf({ created_at, access_revision }: Revised): string {
  return `${created_at}.${access_revision}`;
}

/** In one statement, so that the default and the rules are consistent. */
async function readRules(db: Kysely<Schema>, teamspace: string): Promise<AccessRules | undefined> {
  const rows = await db
    .selectFrom("teamspaces")
    .leftJoin("access_rules as rule", "rule.teamspace", "teamspaces.id")
    .select(["teamspaces.created_at", "access_revision", "access_default"])
    .select(["folded_library", "library", "users_json", "groups_json"])
    .where("teamspaces.id", "=", teamspace)
    .orderBy("folded_library")
    .execute();
  const [first] = rows;
  if (!first) return undefined;
  return { revision: revisionOf(first), otherwise: first.access_default, rules: new Map(rows.flatMap(toEntry)) };
}

/** The rules of every teamspace that apply to some IDs, by teamspace. */
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
  return new Map([...byTeamspace].map(([teamspace, ruleRows]) => [teamspace, new Map(ruleRows.flatMap(toEntry))]));
}

/** An ID and its namespaces. */
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
