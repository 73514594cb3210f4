/**
 * A backup of 100 GB, simulated: 10,000 generations of 40 parts of 250 kB that are made when they are read, and an audit log of 200,000
 * records. It prints the time and the memory of a first backup, of the next one with 1 % new generations, and of reading all of it as a
 * restore does. Run it with `npm run bench:backup`.
 */
import { createHash } from "node:crypto";
import { backUp, type BackupPorts } from "../../activities/backup.ts";
import { pruneBackups } from "../../activities/backup-pruning.ts";
import { readBackup } from "../../activities/backup-reading.ts";
import { compress, generationPrefix, manifestKey } from "../../activities/parts.ts";
import { readBlobs } from "../../activities/restore.ts";
import type { CatalogRow } from "../../domain/backup.ts";
import type { BlobStore } from "../../domain/ports.ts";
import { printTable } from "./measure.ts";
import { size } from "./size.ts";

const generations = size({ full: 10_000, small: 50 });
const records = size({ full: 200_000, small: 1000 });
const partsOfEach = 40;
const part = Buffer.alloc(250_000, "passages of documentation ");
const sha256 = createHash("sha256").update(part).digest("hex");

const idOf = (number: number): string => `g${String(number).padStart(8, "0")}`;
const partNames = Array.from(
  { length: partsOfEach },
  (_, at) => `snippets-a1-${String(at).padStart(5, "0")}.ndjson.zst`,
);
const figures = { reads: 0, written: 0 };

/** The manifest of a generation. */
async function manifestOf(id: string): Promise<Buffer> {
  const parts = partNames.map((name) => ({ key: generationPrefix(id) + name, sha256, bytes: part.length, lines: 1 }));
  return compress(JSON.stringify({ format: 2, generation: id, parts }));
}

async function contentOf(key: string): Promise<Uint8Array> {
  figures.reads += 1;
  const id = key.split("/")[1] ?? "";
  return key === manifestKey(id) ? manifestOf(id) : part;
}

const source: BlobStore = {
  get: contentOf,
  async *list(prefix) {
    for (const name of [...partNames, "manifest.json.zst"]) yield prefix + name;
  },
  put: async () => {},
  removeAll: async () => {},
  sweepTemporary: async () => {},
};

/** The place of the backups: keeps small objects, and of blobs only which generations are whole. */
function createPlace(): BlobStore {
  const objects = new Map<string, Uint8Array>();
  const saved = new Map<string, string>();
  return {
    async put(key, bytes) {
      if (!key.startsWith("blobs/")) return void objects.set(key, bytes.slice());
      figures.written += 1;
      // The manifest is the last one.
      const name = key.split("/").at(-1) ?? "";
      if (name.startsWith("manifest")) saved.set(key.split("/")[2] ?? "", name);
    },
    async get(key) {
      return key.startsWith("blobs/")
        ? contentOf(key.slice("blobs/".length).replace(/\.\d+\.[0-9a-f]{64}$/, ""))
        : objects.get(key);
    },
    async *list(prefix) {
      if (!prefix.startsWith("blobs/")) {
        for (const key of objects.keys()) if (key.startsWith(prefix)) yield key;
        return;
      }
      const [, , wanted = ""] = prefix.split("/");
      for (const [id, manifest] of wanted === "" ? saved : [[wanted, saved.get(wanted)] as const]) {
        if (manifest === undefined) continue;
        for (const name of partNames) yield `blobs/${generationPrefix(id)}${name}.${part.length}.${sha256}`;
        yield `blobs/${generationPrefix(id)}${manifest}`;
      }
    },
    async removeAll(prefix) {
      for (const key of objects.keys()) if (key.startsWith(prefix)) objects.delete(key);
      if (prefix.startsWith("blobs/")) saved.delete(prefix.split("/")[2] ?? "");
    },
    sweepTemporary: async () => {},
  };
}

const place = createPlace();
const portsFrom = (first: number): BackupPorts => ({
  withSnapshot: (work) =>
    work({
      at: Date.now(),
      schema: [],
      tables: ["generations", "audit"],
      async *rows(table): AsyncGenerator<CatalogRow> {
        if (table === "generations") for (let at = 0; at < generations; at += 1) yield { id: idOf(first + at) };
        else
          for (let at = 0; at < records; at += 1)
            yield { id: `a${at}`, at, action: "library.submit", target: `/acme/${at}` };
      },
    }),
  blobs: source,
  place,
  keys: null,
  version: "bench",
  now: Date.now,
});

const rows: string[][] = [];
async function measure(name: string, work: () => Promise<number>): Promise<void> {
  Object.assign(figures, { reads: 0, written: 0 });
  globalThis.gc?.();
  const [before, start] = [process.memoryUsage().rss, performance.now()];
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
  const bytes = await work();
  clearInterval(timer);
  const seconds = (performance.now() - start) / 1000;
  const megabytes = (value: number): string => (value / 1e6).toFixed(0);
  rows.push([
    name,
    (bytes / 1e9).toFixed(1),
    String(figures.reads),
    String(figures.written),
    seconds.toFixed(1),
    megabytes(before),
    megabytes(peak),
  ]);
}

const renewed = Math.ceil(generations / 100);
await measure("first backup", async () => (await backUp(portsFrom(0))).record.bytes);
await measure("second, nothing new", async () => (await backUp(portsFrom(0))).record.bytes);
await measure("third, 1 % new", async () => (await backUp(portsFrom(renewed))).record.bytes);
await measure("prune to one", async () => (await pruneBackups(place, 1, Date.now()), 0));
await measure("read as a restore does", async () => {
  const record = await readBackup(place);
  await readBlobs(place, record, { take: async () => {} });
  return record.bytes;
});
printTable(["", "GB", "blobs read", "blobs written", "seconds", "MB before", "MB at most"], rows);
