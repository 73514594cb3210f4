import { catalogMigrations, migrateCatalog } from "../../catalog/migrations/index.ts";
import { openPostgres, postgresSchema } from "../../catalog/postgres.ts";

// Kills itself when the tables have been made in the database named by the first argument, before the migration is done.
const [, , url = ""] = process.argv;
const db = openPostgres({ url });
await migrateCatalog(db, postgresSchema, {
  ...catalogMigrations,
  "9999-die": async (trx) => {
    await trx.selectFrom("libraries").select("uid").execute();
    process.kill(process.pid, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 10_000));
  },
});
