import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
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
  for (const { id } of generations) {
    const from = String(id);
    const index = files.find((name) => name.endsWith(`${from}.sqlite`)) ?? "";
    for (let copy = 1; copy <= copies; copy += 1) await copyGeneration(folder, index, from, copyOf(from, copy));
  }
  catalog.exec("BEGIN; PRAGMA defer_foreign_keys = ON");
  for (const [table, { ids, names }] of Object.entries(tables)) {
    const columns = catalog
      .prepare(`select name from pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => String(name));
    const values = columns.map((name) => {
      if (ids.some((one) => one === name)) return `substr(${name}, 1, ${keptOfIds}) || :mark`;
      return names.some((one) => one === name) ? `${name} || '-' || :copy` : name;
    });
    const { last = 0 } = catalog.prepare(`select max(rowid) as last from ${table}`).get() ?? {};
    const insert = catalog.prepare(
      `insert into ${table} (${columns.join(", ")}) select ${values.join(", ")} from ${table} where rowid <= :last`,
    );
    for (let copy = 1; copy <= copies; copy += 1)
      insert.run({
        last,
        ...(ids.length > 0 && { mark: markOf(copy) }),
        ...(names.length > 0 && { copy: String(copy) }),
      });
  }
  catalog.exec("COMMIT");
}

async function copyGeneration(folder: string, index: string, from: string, to: string): Promise<void> {
  const [source, target] = [from, to].map((id) => join(folder, "blobs", "generations", id)) as [string, string];
  await mkdir(target, { recursive: true });
  for (const name of await readdir(source)) {
    if (!name.startsWith("manifest")) await copyFile(join(source, name), join(target, name));
    else {
      const manifest = zstdDecompressSync(await readFile(join(source, name))).toString();
      await writeFile(join(target, name), zstdCompressSync(manifest.replaceAll(from, to)));
    }
  }
  const hash = createHash("sha256").update(to).digest("hex");
  const file = join(folder, "index", hash.slice(0, 2), `${to}.sqlite`);
  await mkdir(dirname(file), { recursive: true });
  await copyFile(join(folder, "index", index), file);
}

/** Characters of an ID that its copies have too: the time, and enough of the random ones. */
const keptOfIds = 21;

function markOf(copy: number): string {
  return copy.toString(16).padStart(8, "0");
}

function copyOf(id: string, copy: number): string {
  return id.slice(0, keptOfIds) + markOf(copy);
}
