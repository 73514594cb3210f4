import { randomUUID } from "node:crypto";
import type { Kysely, Transaction } from "kysely";
import { operator, ruleFor } from "../../domain/access.ts";
import { callerOf, isExpired, may } from "../../domain/authorizing.ts";
import { kindOf } from "../../domain/kinds/index.ts";
import { foldId } from "../../domain/library.ts";
import type { Choices, LibraryRecord, LibraryStore, RenameObstacle } from "../../domain/ports.ts";
import { rulesOfAll } from "./access.ts";
import { toKey } from "./keys.ts";
import { declare } from "./manifests.ts";
import { removeLibrary } from "./removal.ts";
import { addAddress, handOverAddresses, moveAddress, replaceNamedRepository } from "./repositories.ts";
import { reputationColumns, toLibrary, toLibraryRow } from "./rows.ts";
import type { LibraryRow, Schema } from "./schema.ts";
import { lockLibrary, transact } from "./transaction.ts";

/** The choices with the current releases, which only `release` changes, as others may have released more meanwhile. */
function withReleases(
  before: LibraryRecord,
  chosen: Choices = before.chosen ?? {},
  { keys, withdraw }: { readonly keys: readonly string[]; readonly withdraw: boolean } = { keys: [], withdraw: false },
): Choices {
  const { released: _released, ...others } = chosen;
  const known = before.chosen?.released ?? [];
  const released = withdraw ? known.filter((key) => !keys.includes(key)) : [...new Set([...known, ...keys])];
  return released.length === 0 ? others : { ...others, released };
}

/** Members of a library that are columns of the same name; databases without booleans keep them as numbers. */
function toColumns(members: Readonly<Record<string, string | number | boolean | null>>): Partial<LibraryRow> {
  const columns = Object.entries(members).map(([name, value]) => [
    name,
    typeof value === "boolean" ? Number(value) : value,
  ]);
  return Object.fromEntries(columns) as Partial<LibraryRow>;
}

/** Builds the part of the library store that updates, moves and renames libraries. */
export function createLibraryChanges(db: Kysely<Schema>): Pick<LibraryStore, "update" | "move" | "decideRename"> {
  return {
    update: (uid, { source, options, ref, title, chosen, release, claims, licences, declaration, pushedAt, ...more }) =>
      transact(db, async (trx) => {
        const { repository, reputation, ...same } = more;
        const before = await lockLibrary(trx, uid);
        if (!before) return;
        const chosenSource = source ?? toLibrary(before).source;
        const set: Partial<LibraryRow> = {
          ...toColumns(same),
          ...((source ?? options) && { source_json: JSON.stringify({ ...chosenSource, ...options }) }),
          ...((chosen ?? release) && { chosen_json: JSON.stringify(withReleases(toLibrary(before), chosen, release)) }),
          ...(licences !== undefined && { licences_json: licences && JSON.stringify(licences) }),
          ...(reputation && reputationColumns(reputation)),
          ...(claims && { claims_json: claims.length > 0 ? JSON.stringify(claims) : null }),
          ...(repository !== undefined && { repository_json: repository && JSON.stringify(repository) }),
          ...(title !== undefined && { title, folded_title: foldId(title) }),
        };
        if (Object.keys(set).length > 0) await trx.updateTable("libraries").set(set).where("uid", "=", uid).execute();
        if (declaration) await declare(trx, uid, declaration);
        if (pushedAt !== undefined)
          await trx.updateTable("versions").set({ pushed_at: pushedAt }).where("library_uid", "=", uid).execute();
        if (repository !== undefined) await replaceNamedRepository(trx, uid, repository);
        // A process of an earlier version may have added the library without its address.
        await addAddress(trx, toLibrary(before));
        if (ref !== undefined)
          await trx
            .updateTable("versions")
            .set({ ref })
            .where("library_uid", "=", uid)
            .where("version", "=", "")
            .execute();
        if (typeof set.redirect !== "string") return;
        await handOverAddresses(trx, toLibrary(before), set.redirect);
        await redirectTo(trx, toLibrary(before), set.redirect);
      }),

    move: (uid, { from, to, id }, now) =>
      transact(db, async (trx) => {
        const row = await lockLibrary(trx, uid);
        if (!row) return undefined;
        const before = toLibrary(row);
        const { location, at } = kindOf(before.source);
        if (location(before.source) !== from) return before;
        const moved: LibraryRecord = { ...before, source: at(before.source, to), pendingRename: null };
        await moveAddress(trx, moved);
        const refusedIds = before.refusedRenames.map(foldId);
        if (id === null || foldId(id) === row.folded_id || refusedIds.includes(foldId(id))) return save(trx, moved);
        const reason = await obstacleTo(trx, before, id, now);
        if (reason === undefined) return rename(trx, moved, id, now);
        const known = before.pendingRename?.id === id ? before.pendingRename : { id, reason, since: now };
        return save(trx, { ...moved, pendingRename: known });
      }),

    decideRename: (uid, { id, accept }, now) =>
      transact(db, async (trx) => {
        const row = await lockLibrary(trx, uid);
        const before = row && toLibrary(row);
        if (!before || before.pendingRename?.id !== id) return undefined;
        const decided: LibraryRecord = { ...before, pendingRename: null };
        if (!accept)
          return { library: await save(trx, { ...decided, refusedRenames: [...before.refusedRenames, id] }) };
        const [taken] = (await holdersOf(trx, before, id, [before.teamspace])).others;
        return taken ? { taken } : { library: await rename(trx, decided, id, now) };
      }),
  };
}

async function save(trx: Transaction<Schema>, library: LibraryRecord): Promise<LibraryRecord> {
  const { uid, ...row } = toLibraryRow(library);
  await trx.updateTable("libraries").set(row).where("uid", "=", uid).execute();
  return library;
}

/** Changes the ID of a library to a free one; the old ID redirects to it. */
async function rename(
  trx: Transaction<Schema>,
  before: LibraryRecord,
  id: string,
  now: number,
): Promise<LibraryRecord> {
  // Only traces: a library that took the ID meanwhile violates the unique index, and the transaction is repeated.
  const { traces } = await holdersOf(trx, before, id, [before.teamspace]);
  for (const { uid } of traces) await removeLibrary(trx, uid, now);
  const library = await save(trx, { ...before, id });
  const trace: LibraryRecord = {
    ...before,
    uid: randomUUID(),
    credential: null,
    redirect: id,
    trust: null,
    createdAt: now,
    refusedRenames: [],
    claims: [],
    upload: null,
  };
  await trx.insertInto("libraries").values(toLibraryRow(trace)).execute();
  await trx
    .updateTable("libraries")
    .set({ redirect: id })
    .where("teamspace", "=", before.teamspace)
    .where("redirect", "=", before.id)
    .execute();
  return library;
}

/** Makes the redirects to a library lead to its own redirect, and ends its refreshes. */
async function redirectTo(trx: Transaction<Schema>, library: LibraryRecord, redirect: string): Promise<void> {
  await trx
    .updateTable("libraries")
    .set({ redirect })
    .where("teamspace", "=", library.teamspace)
    .where("redirect", "=", library.id)
    .where("uid", "<>", library.uid)
    .execute();
  await trx.updateTable("versions").set({ refresh_at: null }).where("library_uid", "=", library.uid).execute();
}

/** Why a rename needs an administrator: a host must not give a library an ID that its submitter could not choose. */
async function obstacleTo(
  trx: Transaction<Schema>,
  library: LibraryRecord,
  id: string,
  now: number,
): Promise<RenameObstacle | undefined> {
  const { submittedBy, teamspace } = library;
  if (!submittedBy) return "submitter";
  const row = await trx
    .selectFrom("keys")
    .selectAll()
    .where("id", "=", submittedBy.keyId)
    .forShare()
    .executeTakeFirst();
  const key = row && toKey(row);
  const keyHolder = key && key.revokedAt === null && !isExpired(key, now) ? callerOf(key) : undefined;
  const submitter = submittedBy.keyId === operator.keyId ? operator : keyHolder;
  if (!submitter) return "submitter";
  if (!may(submitter, "library.submit", { id, teamspace })) return "patterns";
  if (await isRuledOtherwise(trx, library, id)) return "rules";
  const { others } = await holdersOf(trx, library, id, ["", teamspace, submittedBy.teamspace]);
  return others.length > 0 ? "taken" : undefined;
}

/** Whether access rules differ between the ID of a library and another one. */
async function isRuledOtherwise(
  trx: Transaction<Schema>,
  { id: ownId, teamspace }: LibraryRecord,
  id: string,
): Promise<boolean> {
  const all = await rulesOfAll(trx, [ownId, id]);
  return [...all].some(
    ([owner, rules]) =>
      (teamspace === "" || owner === teamspace) && ruleFor({ rules }, ownId) !== ruleFor({ rules }, id),
  );
}

/** The other libraries with an ID in some teamspaces: traces are redirects left by this library itself. */
async function holdersOf(
  trx: Transaction<Schema>,
  { uid, id: ownId, teamspace }: LibraryRecord,
  id: string,
  teamspaces: readonly string[],
): Promise<{ readonly traces: readonly LibraryRecord[]; readonly others: readonly LibraryRecord[] }> {
  const rows = await trx
    .selectFrom("libraries")
    .selectAll()
    .where("folded_id", "=", foldId(id))
    .where("teamspace", "in", teamspaces)
    .where("uid", "<>", uid)
    .orderBy("uid")
    .forUpdate()
    .execute();
  const traces: LibraryRecord[] = [];
  const others: LibraryRecord[] = [];
  for (const row of rows) {
    const leadsHere = row.teamspace === teamspace && row.redirect === ownId;
    (leadsHere && !(await hasVersions(trx, row.uid)) ? traces : others).push(toLibrary(row));
  }
  return { traces, others };
}

async function hasVersions(trx: Transaction<Schema>, uid: string): Promise<boolean> {
  const version = trx.selectFrom("versions").select("version").where("library_uid", "=", uid).limit(1);
  return (await version.executeTakeFirst()) !== undefined;
}

/** Selects the library with an ID. */
export function selectById(trx: Transaction<Schema>, { id, teamspace }: Pick<LibraryRecord, "id" | "teamspace">) {
  return trx.selectFrom("libraries").selectAll().where("folded_id", "=", foldId(id)).where("teamspace", "=", teamspace);
}

/** Whether a version of a library is live or has an open run. Locks its versions. */
export async function hasLiveOrOpenVersion(trx: Transaction<Schema>, uid: string): Promise<boolean> {
  const versions = await trx
    .selectFrom("versions")
    .select(["live_generation", "open_run"])
    .where("library_uid", "=", uid)
    .orderBy("version")
    .forUpdate()
    .execute();
  return versions.some(({ live_generation, open_run }) => live_generation !== null || open_run !== null);
}
