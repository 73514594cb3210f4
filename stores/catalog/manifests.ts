import type { Kysely } from "kysely";
import type { Declaration, DeclaredLibrary, ManifestRecord, ManifestStore } from "../../domain/catalog-manifests.ts";
import { parse, toLibrary } from "./rows.ts";
import type { DeclarationRow, LibraryRow, ManifestRow, Schema } from "./schema.ts";

/** Builds the store of library manifests. */
export function createManifestStore(db: Kysely<Schema>): ManifestStore {
  const declared = () =>
    db
      .selectFrom("declarations")
      .innerJoin("libraries", "libraries.uid", "declarations.library_uid")
      .selectAll("libraries")
      .select([
        "declarations.teamspace as manifest_teamspace",
        "declarations.manifest",
        "declarations.made",
        "declarations.location",
        "declarations.fields_json",
        "declarations.waiting_json",
      ])
      .orderBy("libraries.id")
      .orderBy("libraries.uid");
  return {
    async note({ appliedAt, problems, ...same }) {
      const set = { ...same, applied_at: appliedAt, problems_json: JSON.stringify(problems) };
      await db
        .insertInto("manifests")
        .values(set)
        .onConflict((conflict) => conflict.columns(["teamspace", "name"]).doUpdateSet(set))
        .execute();
    },

    async list(teamspace) {
      const rows = db.selectFrom("manifests").selectAll().where("teamspace", "=", teamspace).orderBy("name");
      return (await rows.execute()).map(toManifest);
    },

    async declared({ teamspace, name }) {
      const of = declared().where("declarations.teamspace", "=", teamspace).where("declarations.manifest", "=", name);
      return (await of.execute()).map(toDeclared);
    },

    async of(uid) {
      const row = await db.selectFrom("declarations").selectAll().where("library_uid", "=", uid).executeTakeFirst();
      return row && toDeclaration(row);
    },

    declare: (uid, declaration) => declare(db, uid, declaration),

    async waiting(limit) {
      const rows = declared().where("declarations.waiting_json", "is not", null).limit(limit);
      return (await rows.execute()).map(toDeclared);
    },
  };
}

/** Replaces the declaration of a library; null: none. Nothing happens if the library is gone. */
export async function declare(db: Kysely<Schema>, uid: string, declaration: Declaration | null): Promise<void> {
  if (declaration === null) {
    await db.deleteFrom("declarations").where("library_uid", "=", uid).execute();
    return;
  }
  const { teamspace, manifest, made, location, fields, waiting } = declaration;
  const row = {
    teamspace,
    manifest,
    made: Number(made),
    location,
    fields_json: JSON.stringify(fields),
    waiting_json: waiting.length > 0 ? JSON.stringify(waiting) : null,
  };
  const names = ["teamspace", "manifest", "made", "location", "fields_json", "waiting_json"] as const;
  await db
    .insertInto("declarations")
    .columns(["library_uid", ...names])
    .expression((eb) =>
      eb
        .selectFrom("libraries")
        .select(["uid", ...names.map((name) => eb.val(row[name]).as(name))])
        .where("uid", "=", uid),
    )
    .onConflict((conflict) => conflict.column("library_uid").doUpdateSet(row))
    .execute();
}

function toManifest({ applied_at, problems_json, ...same }: ManifestRow): ManifestRecord {
  return { ...same, appliedAt: applied_at, problems: parse(problems_json) };
}

function toDeclaration(row: Omit<DeclarationRow, "library_uid">): Declaration {
  return {
    teamspace: row.teamspace,
    manifest: row.manifest,
    made: row.made === 1,
    location: row.location,
    fields: parse(row.fields_json),
    waiting: row.waiting_json === null ? [] : parse(row.waiting_json),
  };
}

type DeclaredRow = LibraryRow &
  Omit<DeclarationRow, "library_uid" | "teamspace"> & { readonly manifest_teamspace: string };

function toDeclared(row: DeclaredRow): DeclaredLibrary {
  return { library: toLibrary(row), declaration: toDeclaration({ ...row, teamspace: row.manifest_teamspace }) };
}
