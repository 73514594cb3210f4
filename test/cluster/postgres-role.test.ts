import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { expect, inject, it, onTestFinished } from "vitest";
import { openPostgresCatalog } from "../../stores/catalog/postgres.ts";
import { freshDatabase } from "./support/database.ts";

const server = inject("postgres");
const script = join(import.meta.dirname, "..", "..", "deploy", "postgres-role.sql");

/** Where Debian puts PostgreSQL's programs, beside the PATH. */
const programs = globSync("/usr/lib/postgresql/*/bin/psql").map((path) => dirname(path));

it.skipIf(server === null)(
  "gives processes a role that owns their database, and takes over what the superuser has made",
  async () => {
    const database = await freshDatabase(server ?? "");
    const admin = new pg.Client({ connectionString: server ?? "" });
    await admin.connect();
    onTestFinished(async () => {
      await database.drop();
      await admin.query("drop role if exists lectern_app");
      await admin.end();
    });
    // As an installation whose processes were the superuser.
    await (await openPostgresCatalog({ url: database.url, migrate: true })).close();
    const takeOver = async (password: string): Promise<void> => {
      const env = { PATH: [process.env["PATH"], ...programs].join(":"), DATABASE_PASSWORD: password };
      const args = [database.url, "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", `--file=${script}`];
      await promisify(execFile)("psql", args, { env });
    };
    await takeOver("first");
    await takeOver("it's another");
    const url = new URL(database.url);
    url.username = "lectern_app";
    url.password = encodeURIComponent("it's another");
    const catalog = await openPostgresCatalog({ url: url.href, migrate: true });
    await catalog.teamspaces.add({ id: "acme", title: "Acme", createdAt: 1 });
    expect((await catalog.teamspaces.list()).map(({ id }) => id)).toContain("acme");
    await catalog.close();
    const { rows } = await admin.query<object>(
      "select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls from pg_roles where rolname = 'lectern_app'",
    );
    expect(rows).toEqual([
      { rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolreplication: false, rolbypassrls: false },
    ]);
  },
);
