import { join, resolve } from "node:path";
import type { Logger } from "pino";
import { createFolderBlobStore } from "../stores/blobs/folder.ts";
import { parseBlobUrl, type BlobLocation } from "../stores/blobs/url.ts";
import { openSqliteCatalog } from "../stores/catalog/sqlite.ts";
import { settings, type Config } from "./config.ts";
import { Failure } from "../domain/failures.ts";
import type { BlobStore, Catalog, LibraryIndex, PassageIndex } from "../domain/ports.ts";
import type { MeilisearchServer } from "../search/meilisearch/client.ts";
import type { Analyse } from "../search/sqlite/build.ts";
import { createSecrets, ringFor } from "./secrets.ts";

export interface StoreOptions {
  /** The data folder of this process, for embedded parts; null: all parts are servers. */
  readonly dataFolder: string | null;
  /** Whether to migrate the schema of the catalog; otherwise it has to be up to date. */
  readonly migrate: boolean;
  /** Name of this process on the servers. */
  readonly name: string;
  /** Called when the embedded index of libraries was damaged and starts empty: all entries have to be put again. */
  readonly onLibrariesLost?: (cause: unknown) => void;
  /** Analyses lines for the embedded index in threads. */
  readonly analyse?: Analyse;
  readonly log: Logger;
}

/** Settings that several processes need to work together. */
const clusterNeeds = ["databaseUrl", "blobUrl", "meiliUrl", "temporalAddress", "encryptionKeys"] as const;

/** File of the generated encryption key in a data folder. */
export function keyFileOf(dataFolder: string): string {
  return join(dataFolder, "encryption.key");
}

/** Whether all parts are servers, so that no data folder is needed. */
export function isCluster(config: Config): boolean {
  return missingForCluster(config).length === 0;
}

/** @throws Failure validation_error naming every setting that a process of a cluster lacks */
export function requireCluster(config: Config, command: string): void {
  const missing = missingForCluster(config);
  if (missing.length === 0) return;
  const message = `lectern ${command} is a process of a cluster and needs ${missing.join(", ")}. See docs/guides/run-a-cluster.md; for one process alone: npm start.`;
  throw new Failure("validation_error", message);
}

/**
 * Opens the stores and indexes by the settings, on servers or embedded; `ring` is the key ring of `secrets`.
 * @throws Failure search_failed, internal_error
 */
export async function openStores(config: Config, options: StoreOptions) {
  await using opened = new AsyncDisposableStack();
  const blobs = opened.adopt(await openBlobs(config, options), (store) => store.close?.());
  const catalog = opened.adopt(await openCatalog(config, options, blobs), (store) => store.close());
  const file = options.dataFolder === null ? null : keyFileOf(options.dataFolder);
  const ring = await ringFor(catalog, { configured: config.encryptionKeys, file }, options.log);
  const { passages, libraries } = opened.adopt(await openIndex(config, options, catalog), (index) => index.close());
  const closing = opened.move();
  return {
    catalog,
    blobs,
    passages,
    libraries,
    secrets: createSecrets(ring),
    ring,
    close: () => closing.disposeAsync(),
  };
}

/** Meilisearch by the settings; null: the index is embedded. */
export async function openMeilisearch(config: Config, log?: Logger): Promise<MeilisearchServer | null> {
  const { meiliUrl: url, meiliApiKey: apiKey, meiliPrefix: prefix } = config;
  if (url === null) return null;
  const { createMeilisearch } = await import("../search/meilisearch/client.ts");
  return createMeilisearch({ url, apiKey, prefix, ...(log && { onSilent: silenceLog("Meilisearch", log) }) });
}

/** Logs when a server stops responding, and when it responds again. */
function silenceLog(name: string, log: Logger): (isSilent: boolean) => void {
  return (isSilent) => {
    if (isSilent) log.warn(`${name} does not respond: requests that need it fail until it does`);
    else log.info(`${name} responds again`);
  };
}

function missingForCluster(config: Config): readonly string[] {
  return clusterNeeds.filter((name) => (config[name]?.length ?? 0) === 0).map((name) => settings[name].env);
}

/**
 * Opens the catalog. The adapter of PostgreSQL is loaded on demand. No new catalog is created while `blobs` contains generations.
 * @throws Failure search_failed, internal_error
 */
export async function openCatalog(config: Config, options: StoreOptions, blobs: BlobStore): Promise<Catalog> {
  const { log, migrate, name } = options;
  if (config.databaseUrl === null) {
    const file = join(ownFolder(options), "catalog.sqlite");
    return openSqliteCatalog({
      file,
      onCopied: (copy) => log.info({ copy }, "the catalog was copied before its schema is changed"),
      beforeMade: () => refuseOrphans(`The catalog ${file} is missing or empty`, blobs),
    });
  }
  const { openPostgresCatalog } = await import("../stores/catalog/postgres.ts");
  return openPostgresCatalog({
    url: config.databaseUrl,
    poolSize: config.databasePool,
    statementTimeout: config.databaseTimeoutSeconds * 1000,
    name,
    migrate,
    beforeMade: () => refuseOrphans("The database of DATABASE_URL has no catalog", blobs),
    onSilent: silenceLog("PostgreSQL", log),
    onLost: (error) => log.warn({ err: error }, "connection to PostgreSQL lost"),
    onAlone: (error) =>
      log.warn({ err: error }, "PostgreSQL cannot count requests: until it can, this process has its own rate limits"),
  });
}

/**
 * Refuses to create a catalog next to existing generations, as its first sweep would delete them as orphans.
 * @throws Failure internal_error, which says what to do
 */
async function refuseOrphans(lead: string, blobs: BlobStore): Promise<void> {
  for await (const key of blobs.list("generations/")) {
    const message = `${lead}, but there are passages of libraries (${key}), which a new catalog would delete. Restore it from a backup: see "Back up" in docs/guides/back-up-and-upgrade.md. To start from scratch, set DATA_DIR to an empty folder, and BLOB_URL, if it is set, to another place.`;
    throw new Failure("internal_error", message);
  }
}

/** Opens the BlobStore. @throws Failure validation_error */
export async function openBlobs(config: Config, options: StoreOptions): Promise<BlobStore & { close?(): void }> {
  const { blobUrl } = config;
  if (blobUrl === null) return createFolderBlobStore({ folder: join(ownFolder(options), "blobs") });
  return openLocation(parseBlobUrl(blobUrl), { onSilent: silenceLog("The bucket", options.log) });
}

/** Opens the place of backups: a folder, or the URL of a folder or bucket as in BLOB_URL. @throws Failure validation_error */
export async function openPlace(text: string, log: Logger): ReturnType<typeof openBlobs> {
  if (!/^(?:s3|file):/i.test(text)) return createFolderBlobStore({ folder: resolve(text) });
  let location: BlobLocation;
  try {
    location = parseBlobUrl(text);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `The address of the backup ${error.message}.`, { cause: error });
  }
  const onSilent = silenceLog("The bucket of the backup", log);
  return openLocation(location, { named: "the backup's address", onSilent });
}

async function openLocation(
  location: BlobLocation,
  options: { readonly named?: string; readonly onSilent: (isSilent: boolean) => void },
): ReturnType<typeof openBlobs> {
  if (location.kind === "folder") return createFolderBlobStore({ folder: location.folder });
  const { createBucketBlobStore } = await import("../stores/blobs/bucket.ts");
  return createBucketBlobStore({ ...location, ...options });
}

async function openIndex(
  config: Config,
  options: StoreOptions,
  { generations }: Pick<Catalog, "generations">,
): Promise<{ passages: PassageIndex; libraries: LibraryIndex; close(): Promise<void> }> {
  const server = await openMeilisearch(config, options.log);
  if (server) {
    const [{ createMeilisearchPassageIndex }, { createMeilisearchLibraryIndex }] = await Promise.all([
      import("../search/meilisearch/passage-index.ts"),
      import("../search/meilisearch/library-index.ts"),
    ]);
    const passages = createMeilisearchPassageIndex(server);
    return { passages, libraries: createMeilisearchLibraryIndex(server), close: () => passages.close() };
  }
  const [{ createSqlitePassageIndex }, { createSqliteLibraryIndex }] = await Promise.all([
    import("../search/sqlite/passage-index.ts"),
    import("../search/sqlite/library-index.ts"),
  ]);
  const folder = ownFolder(options);
  const { analyse, onLibrariesLost } = options;
  const passages = createSqlitePassageIndex({ folder: join(folder, "index"), ...(analyse && { analyse }) });
  const libraries = createSqliteLibraryIndex({
    file: join(folder, "libraries.sqlite"),
    isFirst: (await generations.live()).length === 0,
    ...(onLibrariesLost && { onLost: onLibrariesLost }),
  });
  return {
    passages,
    libraries,
    async close() {
      await passages.close();
      libraries.close();
    },
  };
}

function ownFolder({ dataFolder }: StoreOptions): string {
  if (dataFolder === null) throw new Error("An embedded store needs a data folder.");
  return dataFolder;
}
