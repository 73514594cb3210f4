import { catalogMigrations, migrateCatalog } from "../../catalog/migrations/index.ts";
import { openSqlite, sqliteSchema } from "../../catalog/sqlite.ts";

// Kills itself when the tables have been made in the file named by the first argument, before the migration is done.
const [, , file = ""] = process.argv;
const db = await openSqlite(file);
await migrateCatalog(db, sqliteSchema, {
  ...catalogMigrations,
  "9999-die": async (trx) => {
    await trx.selectFrom("libraries").select("uid").execute();
    process.kill(process.pid, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 10_000));
  },
});
