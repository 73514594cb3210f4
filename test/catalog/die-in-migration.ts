import { catalogMigrations, migrateCatalog } from "../../stores/catalog/migrations/index.ts";
import { openPostgres, postgresSchema } from "../../stores/catalog/postgres.ts";
import { openSqlite, sqliteSchema } from "../../stores/catalog/sqlite.ts";

// Kills itself after the migrations have created the tables in the given file or database, before they are committed.
const [, , place = ""] = process.argv;
const isUrl = place.startsWith("postgres");
await migrateCatalog(
  isUrl ? openPostgres({ url: place }) : await openSqlite(place),
  isUrl ? postgresSchema : sqliteSchema,
  {
    ...catalogMigrations,
    "9999-die": async (trx) => {
      await trx.selectFrom("libraries").select("uid").execute();
      process.kill(process.pid, "SIGKILL");
      await new Promise((resolve) => setTimeout(resolve, 10_000));
    },
  },
);
