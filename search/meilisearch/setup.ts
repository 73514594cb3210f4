import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Key, KeyCreation, Meilisearch, Settings } from "meilisearch";
import { Failure } from "../../domain/failures.ts";
import { ignoreError, type MeilisearchServer } from "./client.ts";
import { incompleteMark, indexSettings, testedMeilisearch, type IndexName } from "./settings.ts";

/** The keys of processes, which do not get the master key. */
export interface MeilisearchKeys {
  /** For API processes. */
  readonly api: string;
  /** For workers. */
  readonly worker: string;
}

/** Our indexes. */
export const indexNames = Object.keys(indexSettings) as readonly IndexName[];

/**
 * The actions of both keys, on our indexes only. API processes also write: entries of libraries that are deleted or rolled back. A
 * key has the same actions on all its indexes.
 */
const keyActions =
  "search,documents.get,indexes.get,stats.get,settings.get,documents.add,documents.delete,tasks.get".split(",");

/**
 * Creates missing indexes, settings and keys. The keys have fixed ids, so that a master key always gives the same values. Needs the
 * master key.
 * @throws Failure search_failed
 */
export async function setupMeilisearch(server: MeilisearchServer): Promise<MeilisearchKeys> {
  await checkVersion(server);
  for (const name of indexNames) {
    const existing = await settingsOf(server, name);
    if (existing === undefined) {
      await finish(server, (client) => client.createIndex(server.nameOf(name), { primaryKey: "id" }));
      // Before the settings, without which nothing is searchable.
      const mark = { id: incompleteMark, uid: incompleteMark, format: incompleteMark };
      if (name === "libraries")
        await finish(server, (client) => client.index(server.nameOf(name)).addDocuments([mark]));
    }
    const wanted = indexSettings[name];
    if (existing !== undefined && differing(wanted, existing).length === 0) continue;
    await finish(server, (client) => client.index(server.nameOf(name)).updateSettings(wanted));
  }
  return { api: await keyFor(server, "api"), worker: await keyFor(server, "worker") };
}

/**
 * Checks that a server can be used: its version, if the key allows that, and that our indexes exist with our settings. Returns
 * warnings, as sentences. @throws Failure search_failed that says what to do
 */
export async function checkMeilisearch(server: MeilisearchServer): Promise<readonly string[]> {
  const warnings = await checkVersion(server);
  for (const name of indexNames) {
    const index = server.nameOf(name);
    const existing = await settingsOf(server, name);
    if (existing === undefined)
      throw new Failure("search_failed", `Meilisearch has no index ${index}. Run lectern setup.`);
    const names = differing(indexSettings[name], existing);
    if (names.length > 0)
      throw new Failure(
        "search_failed",
        `Index ${index} of Meilisearch has other settings than ours (${names.join(", ")}). Run lectern setup.`,
      );
  }
  return warnings;
}

/** Sets up a server that has lost an index, which needs the master key. @throws Failure search_failed that says what to do */
export async function restoreIndexes(server: MeilisearchServer): Promise<void> {
  for (const name of indexNames) {
    if ((await settingsOf(server, name)) !== undefined) continue;
    await setupMeilisearch(server);
    return;
  }
}

async function checkVersion(server: MeilisearchServer): Promise<readonly string[]> {
  // Keys for single indexes may not read the version; setup checks it with the master key.
  const version = await server.ask((client) => client.getVersion().catch(ignoreError("invalid_api_key")));
  if (version === undefined) return [];
  const { pkgVersion } = version;
  const [major = 0, minor = 0] = pkgVersion.split(".").map(Number);
  const [testedMajor = 0, testedMinor = 0] = testedMeilisearch.split(".").map(Number);
  if (major !== testedMajor || minor < testedMinor)
    throw new Failure(
      "search_failed",
      `Meilisearch is version ${pkgVersion}, which Lectern cannot use. Run version ${testedMeilisearch}.`,
    );
  if (minor === testedMinor) return [];
  return [`Meilisearch is version ${pkgVersion}; Lectern is tested on ${testedMeilisearch}.`];
}

/** The settings of an index; undefined if it does not exist. */
function settingsOf(server: MeilisearchServer, name: IndexName): Promise<Settings | undefined> {
  return server.ask((client) => client.index(server.nameOf(name)).getSettings().catch(ignoreError("index_not_found")));
}

/** Names of the wanted settings that differ. The server also returns settings that were not set. */
function differing(wanted: object, existing: object): readonly string[] {
  const values = new Map<string, unknown>(Object.entries(existing));
  return Object.entries(wanted)
    .filter(([name, value]) => !includes(values.get(name), value))
    .map(([name]) => name);
}

function includes(existing: unknown, wanted: unknown): boolean {
  const plain = (value: unknown): value is object =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  return plain(existing) && plain(wanted)
    ? differing(wanted, existing).length === 0
    : isDeepStrictEqual(existing, wanted);
}

async function finish(
  server: MeilisearchServer,
  request: (client: Meilisearch) => Promise<{ readonly taskUid: number }>,
): Promise<void> {
  const { taskUid } = await server.ask((client) => request(client));
  await server.finish(taskUid);
}

/** The key of a role, which is replaced if its actions or indexes differ. */
async function keyFor(server: MeilisearchServer, role: keyof MeilisearchKeys): Promise<string> {
  const wanted = {
    uid: keyUid(server.prefix, role),
    name: `Lectern ${role}`,
    description: `What Lectern's ${role} processes use. Made by lectern setup.`,
    actions: keyActions,
    indexes: indexNames.map((name) => server.nameOf(name)),
    expiresAt: null,
  };
  const existing = await server.ask((client) => client.getKey(wanted.uid).catch(ignoreError("api_key_not_found")));
  if (existing !== undefined) {
    if (isSame(existing, wanted)) return existing.key;
    await server.ask((client) => client.deleteKey(wanted.uid));
  }
  const { key } = await server.ask((client) => client.createKey(wanted as unknown as KeyCreation));
  return key;
}

function isSame(existing: Key, wanted: { readonly actions: readonly string[]; readonly indexes: readonly string[] }) {
  return (
    isDeepStrictEqual(existing.actions.toSorted(), wanted.actions.toSorted()) &&
    isDeepStrictEqual(existing.indexes.toSorted(), wanted.indexes.toSorted()) &&
    existing.expiresAt === null
  );
}

/** A name-based UUID (version 5) of prefix and role. */
function keyUid(prefix: string, role: string): string {
  const bytes = createHash("sha1").update(`lectern meilisearch key ${role} ${prefix}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
