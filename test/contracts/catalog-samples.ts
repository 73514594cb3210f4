import { defaultTeamspace, operator } from "../../domain/access.ts";
import type {
  Catalog,
  CredentialRecord,
  GenerationRecord,
  KeyRecord,
  LibraryRecord,
  NewRun,
  VersionRoom,
} from "../../domain/ports.ts";
import { gitSpec, wholeTree } from "../support/git-spec.ts";

/** A catalog to be tested, and how to get rid of it. */
export interface OpenedCatalog {
  readonly catalog: Catalog;
  cleanup(): Promise<void>;
}

/** Hands out the catalog of the test that is running. */
export type CurrentCatalog = () => Catalog;

/** A library to add; the uid is the only thing that tells two of them apart. */
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

/** The address of a repository beside the sample library's. */
export function addressOf(name: string): string {
  return `https://git.example.com/acme/${name}`;
}

/** The source of a sample library at another address. */
export function sourceAt(url: string): LibraryRecord["source"] {
  const { source } = sampleLibrary("");
  if (source.kind !== "git") throw new Error("The sample is a repository.");
  return { ...source, url };
}

/** A key that may submit; the id is the only thing that tells two of them apart. */
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

/** A shared credential of the default teamspace; the id is the only thing that tells two of them apart. */
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

/** What a run of the given id staged; its revision, content hash and time follow from the number given. */
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

/** Adds a teamspace, unless it is there. */
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

/** Lets a run of a library publish what it staged: run and generation are `<uid>-<number>`, the times `number` seconds. */
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

/** The default version of a library that must be there. */
export async function defaultVersion(catalog: Catalog, uid: string) {
  const version = (await catalog.libraries.versionsOf(uid)).find((found) => found.version === "");
  if (!version) throw new Error(`${uid} has no default version.`);
  return version;
}

/** Room for a number of versions, where what was not used after the given time may go. */
export function sampleRoom(atMost: number, unusedSince: number, now = unusedSince): VersionRoom {
  return { atMost, now, unusedSince, removeAfter: now + 100 };
}
