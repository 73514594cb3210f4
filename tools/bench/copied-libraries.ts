import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Client } from "pg";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** The tables with rows of libraries: their columns with IDs, of which copies have others, and with names. */
const tables = {
  libraries: { ids: ["uid"], names: ["id", "folded_id", "title", "folded_title"] },
  generations: { ids: ["id", "library_uid"], names: [] },
  runs: { ids: ["id", "library_uid"], names: ["library_id"] },
  versions: { ids: ["library_uid", "live_generation", "last_run"], names: [] },
} as const;

/**
 * Copies all libraries of a stopped server in its data folder, with their generations and index files: a server of thousands of
 * libraries in a minute. The ID of copy 7 of `/docs/a` is `/docs/a-7`. The next start adds them to the index of libraries.
 */
export async function copyLibraries(folder: string, copies: number): Promise<void> {
  using catalog = new DatabaseSync(join(folder, "catalog.sqlite"));
  const generations = catalog.prepare("select id from generations where state = 'live'").all();
  const files = await readdir(join(folder, "index"), { recursive: true });
  for (const id of generations.map((row) => String(row["id"]))) {
    const index = files.find((name) => name.endsWith(`${id}.sqlite`)) ?? "";
    await copyBlobs(join(folder, "blobs"), id, copies);
    for (let copy = 1; copy <= copies; copy += 1) {
      const hash = createHash("sha256").update(copyOf(id, copy)).digest("hex");
      await mkdir(join(folder, "index", hash.slice(0, 2)), { recursive: true });
      await copyFile(
        join(folder, "index", index),
        join(folder, "index", hash.slice(0, 2), `${copyOf(id, copy)}.sqlite`),
      );
    }
  }
  catalog.exec("BEGIN; PRAGMA defer_foreign_keys = ON");
  for (const [table, renamed] of Object.entries(tables)) {
    const columns = catalog.prepare(`select name from pragma_table_info('${table}')`).all();
    const sql = copying(
      table,
      renamed,
      columns.map(({ name }) => String(name)),
      copies,
    );
    catalog.exec(sql);
  }
  catalog.exec("COMMIT");
}

/**
 * Copies all libraries of a cluster in its PostgreSQL and in a shared folder of blobs. The index of passages lacks the copies, as if it had
 * lost them, so that the next sweep loads them.
 */
export async function copyLibrariesOfCluster(catalog: Client, blobs: string, copies: number): Promise<void> {
  const { rows } = await catalog.query<{ id: string }>("select id from generations where state = 'live'");
  for (const { id } of rows) await copyBlobs(blobs, id, copies);
  await catalog.query("begin; set constraints all deferred; set session_replication_role = replica");
  for (const [table, renamed] of Object.entries(tables)) {
    const columns = await catalog.query<{ name: string }>(
      "select column_name as name from information_schema.columns where table_schema = current_schema() and table_name = $1",
      [table],
    );
    await catalog.query(
      copying(
        table,
        renamed,
        columns.rows.map(({ name }) => name),
        copies,
      ),
    );
  }
  await catalog.query(`update generations set unindexed_at = 1 where substr(id, ${keptOfIds + 1}, 5) = '00000'`);
  await catalog.query("set session_replication_role = origin; commit");
}

/** SQL that copies the rows of a table. */
function copying(
  table: string,
  { ids, names }: { readonly ids: readonly string[]; readonly names: readonly string[] },
  columns: readonly string[],
  copies: number,
): string {
  const values = columns.map((name) => {
    if (ids.includes(name)) return `substr(${name}, 1, ${keptOfIds}) || mark`;
    return names.includes(name) ? `${name} || '-' || copy` : name;
  });
  const marks = Array.from({ length: copies }, (_, at) => `('${at + 1}', '${markOf(at + 1)}')`);
  return `insert into ${table} (${columns.join(", ")})
    with marks (copy, mark) as (values ${marks.join(", ")}) select ${values.join(", ")} from ${table}, marks`;
}

async function copyBlobs(folder: string, from: string, copies: number): Promise<void> {
  const source = join(folder, "generations", from);
  for (let copy = 1; copy <= copies; copy += 1) {
    const to = copyOf(from, copy);
    const target = join(folder, "generations", to);
    await mkdir(target, { recursive: true });
    for (const name of await readdir(source)) {
      if (!name.startsWith("manifest")) {
        await copyFile(join(source, name), join(target, name));
        continue;
      }
      const manifest = zstdDecompressSync(await readFile(join(source, name))).toString();
      await writeFile(join(target, name), zstdCompressSync(manifest.replaceAll(from, to)));
    }
  }
}

/** Characters of an ID that its copies have too: the time, and enough of the random ones. */
const keptOfIds = 21;

function markOf(copy: number): string {
  return copy.toString(16).padStart(8, "0");
}

function copyOf(id: string, copy: number): string {
  return id.slice(0, keptOfIds) + markOf(copy);
}
