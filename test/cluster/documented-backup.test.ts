import { globSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, inject, it, onTestFinished } from "vitest";
import { openPostgresCatalog } from "../../stores/catalog/postgres.ts";
import { openShell } from "../support/documented-commands.ts";
import { blocksOfDocuments } from "../support/documents.ts";
import { temporaryFolder } from "../support/lectern-process.ts";
import { freshDatabase } from "./support/database.ts";

const server = inject("postgres");

/** Where Debian puts PostgreSQL's programs, beside the PATH. */
const programs = globSync("/usr/lib/postgresql/*/bin/pg_dump").map((path) => dirname(path));

/** Runs the program of a container here: `compose exec -T SERVICE …`, and `compose run … --entrypoint PROGRAM SERVICE …`. */
const docker = `PATH=$SYSTEM_PATH:${programs.join(":")}
case "$2" in
  exec) shift 4; exec "$@";;
  run) program=$7; shift 8; exec "$program" "$@";;
esac
exit 1
`;

it.skipIf(server === null)(
  "the commands of docs/guides/run-a-cluster.md back a catalog and its blobs up, and restore both",
  async () => {
    const database = await freshDatabase(server ?? "");
    const folder = await temporaryFolder();
    onTestFinished(async () => {
      await database.drop();
      await folder[Symbol.asyncDispose]();
    });
    const url = new URL(database.url);
    const blobs = join(folder.path, "blobs");
    const shell = await openShell(folder.path, { docker });
    const [, blocks = []] = blocksOfDocuments().find(([document]) => document === "docs/guides/run-a-cluster.md") ?? [];
    const run = async (program: string) => {
      const text = blocks.find((block) => block.text.includes(program))?.text ?? "";
      const here = text
        .replaceAll("--username lectern", `--username ${url.username}`)
        .replaceAll(/(?<=custom |--dbname )lectern/g, url.pathname.slice(1))
        .replaceAll("/blobs", blobs);
      const env = { PGHOST: url.hostname, PGPORT: url.port, PGPASSWORD: decodeURIComponent(url.password) };
      expect(await shell.run(here, env)).toMatchObject({ code: 0 });
    };
    const inCatalog = async (add?: string): Promise<readonly string[]> => {
      const catalog = await openPostgresCatalog({ url: database.url, migrate: true });
      if (add !== undefined) await catalog.teamspaces.add({ id: add, title: add, createdAt: 1 });
      const ids = (await catalog.teamspaces.list()).map(({ id }) => id);
      await catalog.close();
      return ids;
    };
    const before = await inCatalog("acme");
    await mkdir(blobs);
    await writeFile(join(blobs, "part"), "passages");
    await run("pg_dump");
    await inCatalog("later");
    await rm(join(blobs, "part"));
    await run("pg_restore");
    expect(await inCatalog()).toEqual(before);
    expect(await readFile(join(blobs, "part"), "utf8")).toBe("passages");
  },
);
