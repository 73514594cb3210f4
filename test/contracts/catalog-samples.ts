import { notificationEvents } from "../../domain/catalog-receivers.ts";
import { defaultTeamspace, operator } from "../../domain/access.ts";
import type {
  Catalog,
  CredentialRecord,
  HookRecord,
  GenerationRecord,
  KeyRecord,
  LibraryRecord,
  NewRun,
  ReceiverRecord,
  VersionRoom,
} from "../../domain/ports.ts";
import { gitSpec, wholeTree } from "../support/git-spec.ts";

/** A catalog under test. */
export interface OpenedCatalog {
  readonly catalog: Catalog;
  cleanup(): Promise<void>;
}

/** Returns the catalog of the running test. */
export type CurrentCatalog = () => Catalog;

/** A library to add; two samples differ only by uid. */
export function sampleLibrary(uid: string, changes: Partial<LibraryRecord> = {}): LibraryRecord {
  return {
    uid,
    teamspace: "",
    id: "/Acme/Widgets",
    title: "Widgets",
    description: "Parts for every purpose.",
    source: gitSpec("https://git.example.com/acme/widgets", {
      host: "github",
      selection: { ...wholeTree, folders: ["docs"] },
    }),
    credential: null,
    redirect: null,
    trust: null,
    createdAt: 1000,
    submittedBy: { keyId: operator.keyId ?? "", teamspace: defaultTeamspace },
    pendingRename: null,
    refusedRenames: [],
    claims: [],
    upload: null,
    ...changes,
  };
}

/** The address of a repository of the sample library's owner. */
export function addressOf(name: string): string {
  return `https://git.example.com/acme/${name}`;
}

/** The source of a sample library at another address. */
export function sourceAt(url: string): LibraryRecord["source"] {
  const { source } = sampleLibrary("");
  if (source.kind !== "git") throw new Error("The sample is a repository.");
  return { ...source, url };
}

/** A hook for the repositories of an owner. */
export function sampleHook(id: string, changes: Partial<HookRecord> = {}): HookRecord {
  return {
    id,
    teamspace: "default",
    sender: "github",
    libraryUid: null,
    prefix: "git.example.com/acme",
    sealed: "sealed",
    createdAt: 1000,
    deliveredAt: null,
    result: null,
    ...changes,
  };
}

/** A receiver of all events. */
export function sampleReceiver(id: string, changes: Partial<ReceiverRecord> = {}): ReceiverRecord {
  return {
    id,
    teamspace: "default",
    url: "https://chat.example.com/lectern",
    events: notificationEvents,
    sealed: "sealed",
    createdAt: 1000,
    failures: 0,
    failingSince: null,
    nextAt: 0,
    deliveredAt: null,
    result: null,
    disabledAt: null,
    ...changes,
  };
}

/** A key that may submit; two samples differ only by id. */
export function sampleKey(id: string, changes: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id,
    teamspace: defaultTeamspace,
    name: id,
    hash: id,
    hint: id,
    scopes: ["submit"],
    libraries: [],
    createdAt: 1,
    expiresAt: null,
    revokedAt: null,
    ...changes,
  };
}

/** A shared credential of the default teamspace; two samples differ only by id. */
export function sampleCredential(id: string, changes: Partial<CredentialRecord> = {}): CredentialRecord {
  return {
    id,
    teamspace: defaultTeamspace,
    kind: "git",
    name: id,
    host: "git.example.com",
    sealed: `sealed ${id}`,
    createdAt: 5,
    ...changes,
  };
}

/** A run to open. */
export function sampleRun(runId: string, changes: Partial<NewRun> = {}): NewRun {
  return { runId, reason: "refresh", priority: 10, ...changes };
}

/** A generation to stage; its revision, content hash and time follow from `number`. */
export function sampleGeneration(
  id: string,
  libraryUid: string,
  number: number,
  changes: Partial<Omit<GenerationRecord, "damage" | "unindexedSince">> = {},
): Omit<GenerationRecord, "state" | "removeAfter" | "damage" | "unindexedSince"> {
  return {
    id,
    libraryUid,
    version: "",
    revision: `rev-${number}`,
    ref: "main",
    optionsHash: "options",
    extractor: "1",
    contentHash: `content-${number}`,
    counts: {
      pages: number,
      pagesSkipped: 0,
      pagesFailed: 0,
      code: 3,
      info: 2,
      quarantined: 0,
      duplicates: 0,
      tokens: 500,
      bytes: 4000,
    },
    createdAt: number * 1000,
    ...changes,
  };
}

/** Adds a teamspace if it is missing. */
export async function addTeamspace(catalog: Catalog, id: string): Promise<void> {
  if (id !== "") await catalog.teamspaces.add({ id, title: `The ${id} team`, createdAt: 500 });
}

/** Adds a library whose first run, `<uid>-1`, is open. */
export async function addLibrary(
  catalog: Catalog,
  uid: string,
  changes: Partial<LibraryRecord> = {},
): Promise<LibraryRecord> {
  const library = sampleLibrary(uid, changes);
  await addTeamspace(catalog, library.teamspace);
  const result = await catalog.libraries.create(library, null, sampleRun(`${uid}-1`, { reason: "submit" }));
  if (!("created" in result)) throw new Error(`${library.id} was there already.`);
  return library;
}

/** Stages and publishes a generation: run and generation are `<uid>-<number>`, the time is `number` seconds. */
export async function publishGeneration(catalog: Catalog, uid: string, number: number): Promise<string> {
  const id = `${uid}-${number}`;
  const live = (await catalog.libraries.versionsOf(uid)).find(({ version }) => version === "")?.live?.id ?? null;
  await catalog.runs.open(uid, "", sampleRun(id), number * 1000);
  await catalog.generations.stage(sampleGeneration(id, uid, number));
  if (!(await catalog.generations.publish({ runId: id, generation: id, live }, number * 1000)))
    throw new Error(`${id} was not published.`);
  await catalog.runs.close(id, { outcome: "published", revision: `rev-${number}` }, number * 1000 + 1);
  return id;
}

/** The default version of a library; throws if there is none. */
export async function defaultVersion(catalog: Catalog, uid: string) {
  const version = (await catalog.libraries.versionsOf(uid)).find((each) => each.version === "");
  if (!version) throw new Error(`${uid} has no default version.`);
  return version;
}

/** Room for a number of versions; those not used after `unusedSince` may be replaced. */
export function sampleRoom(atMost: number, unusedSince: number, now = unusedSince): VersionRoom {
  return { atMost, now, unusedSince, removeAfter: now + 100 };
}
