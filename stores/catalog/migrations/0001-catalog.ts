import { sql, type Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** The first tables. A released migration is never edited: a change is a new file. */
export async function createFirstTables(db: Kysely<Schema>, text: TextType): Promise<void> {
  await createLibraryTables(db, text);
  await createUsageTables(db, text);
  await createGenerationTables(db, text);
  await createRunTables(db, text);
  await createAccessTables(db, text);
}

async function createLibraryTables({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  await schema
    .createTable("libraries")
    .addColumn("uid", text, (column) => column.primaryKey())
    .addColumn("teamspace", text, (column) => column.notNull())
    .addColumn("id", text, (column) => column.notNull())
    .addColumn("folded_id", text, (column) => column.notNull())
    .addColumn("title", text, (column) => column.notNull())
    .addColumn("folded_title", text, (column) => column.notNull())
    .addColumn("description", text, (column) => column.notNull())
    .addColumn("source_json", text, (column) => column.notNull())
    .addColumn("credential", text)
    .addColumn("redirect", text)
    .addColumn("trust", "double precision")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  // Starts with the ID, so that one index serves the look-up and the sorted list.
  await schema.createIndex("libraries_key").unique().on("libraries").columns(["folded_id", "teamspace"]).execute();

  await schema
    .createTable("versions")
    .addColumn("library_uid", text, (column) => column.notNull().references("libraries.uid").onDelete("cascade"))
    .addColumn("version", text, (column) => column.notNull())
    .addColumn("ref", text)
    .addColumn("live_generation", text)
    .addColumn("open_run", text)
    .addColumn("last_run", text)
    .addColumn("checked_revision", text)
    .addColumn("refused_revision", text)
    .addColumn("checked_at", "bigint")
    .addColumn("refresh_at", "bigint")
    .addPrimaryKeyConstraint("versions_key", ["library_uid", "version"])
    .execute();

  await schema
    .createTable("refs")
    .addColumn("library_uid", text, (column) => column.primaryKey().references("libraries.uid").onDelete("cascade"))
    .addColumn("refs_json", text, (column) => column.notNull())
    .execute();
}

async function createUsageTables({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  // Contains only versions that a sweep may refresh, sorted by their due time.
  await schema
    .createIndex("versions_due")
    .on("versions")
    .columns(["refresh_at", "library_uid", "version"])
    .where(sql.ref("refresh_at"), "is not", null)
    .where(sql.ref("live_generation"), "is not", null)
    .where(sql.ref("open_run"), "is", null)
    .execute();

  await schema
    .createTable("reads")
    .addColumn("library_uid", text, (column) => column.notNull().references("libraries.uid").onDelete("cascade"))
    .addColumn("day", text, (column) => column.notNull())
    .addColumn("reads", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("reads_key", ["library_uid", "day"])
    .execute();
  await schema.createIndex("reads_by_day").on("reads").column("day").execute();
}

async function createGenerationTables({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  await schema
    .createTable("generations")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("library_uid", text, (column) => column.notNull())
    .addColumn("version", text, (column) => column.notNull())
    .addColumn("state", text, (column) => column.notNull())
    .addColumn("revision", text, (column) => column.notNull())
    .addColumn("ref", text)
    .addColumn("options_hash", text, (column) => column.notNull())
    .addColumn("extractor", text, (column) => column.notNull())
    .addColumn("content_hash", text, (column) => column.notNull())
    .addColumn("counts_json", text, (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("remove_after", "bigint")
    .execute();
  await schema
    .createIndex("generations_of_version")
    .on("generations")
    .columns(["library_uid", "version", "created_at"])
    .execute();
  await schema
    .createIndex("generations_removable")
    .on("generations")
    .column("remove_after")
    .where("remove_after", "is not", null)
    .execute();
}

async function createRunTables({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  await schema
    .createTable("runs")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("library_uid", text, (column) => column.notNull())
    .addColumn("teamspace", text, (column) => column.notNull())
    .addColumn("library_id", text, (column) => column.notNull())
    .addColumn("version", text, (column) => column.notNull())
    .addColumn("reason", text, (column) => column.notNull())
    .addColumn("generation", text)
    .addColumn("phase", text, (column) => column.notNull())
    .addColumn("progress_json", text, (column) => column.notNull())
    .addColumn("outcome", text)
    .addColumn("failure_json", text)
    .addColumn("priority", "integer", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("started_at", "bigint")
    .addColumn("closed_at", "bigint")
    .addColumn("removed_at", "bigint")
    .addColumn("owner", text)
    .addColumn("lease_until", "bigint")
    .addColumn("claims", "integer", (column) => column.notNull())
    .addColumn("journal_json", text, (column) => column.notNull())
    // Unused. Dropping it would break older processes that still run while a cluster is upgraded.
    .addColumn("checkpoint_json", text)
    .execute();
  await schema.createIndex("runs_of_library").on("runs").columns(["library_uid", "created_at"]).execute();
  await schema
    .createIndex("runs_closed_of_version")
    .on("runs")
    .columns(["library_uid", "version", "closed_at", "id"])
    .where(sql.ref("closed_at"), "is not", null)
    .execute();
  // So that the database rejects a second open run of a version.
  await schema
    .createIndex("runs_open_of_version")
    .unique()
    .on("runs")
    .columns(["library_uid", "version"])
    .where(sql.ref("closed_at"), "is", null)
    .execute();
  await schema
    .createIndex("runs_next")
    .on("runs")
    .columns(["priority desc", "created_at", "id"])
    .where(sql.ref("closed_at"), "is", null)
    .execute();
  await schema
    .createIndex("runs_removed")
    .on("runs")
    .column("removed_at")
    .where("removed_at", "is not", null)
    .execute();
}

async function createAccessTables(db: Kysely<Schema>, text: TextType): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("teamspaces")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await db.insertInto("teamspaces").values({ id: "default", created_at: Date.now() }).execute();

  await schema
    .createTable("keys")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("teamspace", text, (column) => column.notNull())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("hash", text, (column) => column.notNull().unique())
    .addColumn("hint", text, (column) => column.notNull())
    .addColumn("scopes_json", text, (column) => column.notNull())
    .addColumn("libraries_json", text, (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("revoked_at", "bigint")
    .execute();
  await schema.createIndex("keys_of_teamspace").on("keys").columns(["teamspace", "created_at"]).execute();

  await schema
    .createTable("credentials")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("teamspace", text, (column) => column.notNull())
    .addColumn("host", text, (column) => column.notNull())
    .addColumn("sealed", text, (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
}
