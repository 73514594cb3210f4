import { visibleTeamspaces, type Caller } from "./access.ts";
import { authorize, libraryNotFound, may, seesDisk } from "./authorizing.ts";
import { credentialFor, ownerOf, type CredentialChoice, type SealingPorts } from "./credentials.ts";
import { Failure, isFailure } from "./failures.ts";
import { foldId, parseLibraryId } from "./library.ts";
import type {
  BlobStore,
  Catalog,
  Choices,
  Declaration,
  ExistingLibrary,
  Indexing,
  LibraryRecord,
  LibraryView,
  NewRun,
  RunRecord,
} from "./ports.ts";
import { kindOf, refOf, type SourceSpec } from "./kinds/index.ts";
import { judgingTeamspace, type Policies } from "./policies.ts";
import type { RunReason } from "./steps.ts";
import { matchVersions } from "./version-match.ts";

/** The ports that submitting and operating need. */
export interface SubmittingPorts extends SealingPorts {
  readonly policies: Policies;
  readonly indexing: Indexing;
  readonly blobs: BlobStore;
}

export interface Submission {
  /** The library's ID, derived or chosen. */
  readonly id: string;
  /** It belongs to the caller's teamspace. */
  readonly private: boolean;
  readonly title: string;
  readonly description: string;
  /** These take precedence over title and description in the source. */
  readonly chosen?: Choices;
  readonly source: SourceSpec;
  readonly credential?: CredentialChoice;
  /** The submitted file, instead of an address. */
  readonly upload?: Uint8Array;
  /** It replaces the file of an existing library. */
  readonly replaces?: boolean;
  /** What a library manifest declares of it. */
  readonly declaration?: Declaration | undefined;
}

/** The response of a submission: the ID is final, the indexing has only begun. */
export interface Submitted {
  readonly libraryName: string;
  readonly message: string;
  readonly version: string;
  readonly runId: string;
}

/** Requests of users have priority over scheduled work. */
const priority: Readonly<Record<RunReason, number>> = {
  submit: 10,
  refresh: 10,
  publish: 10,
  import: 10,
  version: 5,
  push: 5,
  sweep: 0,
};

/**
 * Registers a library and starts its first run.
 * An uploaded file is stored before the library, so that no run misses it; the sweep removes leftovers of a crash.
 * @throws Failure duplicate_repo, duplicate_library, service_unavailable, access_denied for a disabled source type, and what
 * `authorize` and `chooseCredential` throw
 */
export async function submitLibrary(
  ports: SubmittingPorts,
  caller: Caller,
  submission: Submission,
): Promise<Submitted> {
  const { source, id } = submission;
  const teamspace = ownerOf(caller, submission);
  authorize(caller, kindOf(source).onDisk === true ? "folder.submit" : "library.submit", { id, teamspace });
  (await ports.policies.of(caller)).requireSource({ id, teamspace, source });
  await ports.indexing.ready();
  const chosen = await credentialFor(ports, caller, { source, teamspace }, submission.credential);
  const own = chosen && "own" in chosen ? chosen.own : undefined;
  const upload = submission.upload ? await keepUpload(ports, submission.upload) : null;
  const library = newLibrary(ports, {
    teamspace,
    id,
    title: submission.title,
    description: submission.description,
    ...(submission.chosen && { chosen: submission.chosen }),
    source,
    credential: own?.id ?? (chosen && "shared" in chosen ? chosen.shared : null),
    submittedBy: caller.keyId === null ? null : { keyId: caller.keyId, teamspace: caller.teamspace ?? "" },
    upload,
  });
  const ref = refOf(source);
  const submitted = requestedRun(ports, caller, "submit");
  const create = (replaces?: string) =>
    ports.catalog.libraries.create(library, ref, submitted, {
      own,
      declaration: submission.declaration,
      ...(replaces !== undefined && { replaces }),
    });
  let result = await create();
  if ("exists" in result) {
    const claim = claimOf(caller, result, library, library.createdAt);
    if (claim === "restart") return restartLibrary(ports, caller, result, submission);
    if (claim === "replace") result = await create(result.exists.uid);
  }
  if ("exists" in result) {
    const replaced =
      upload === null ? undefined : await replaceUpload(ports, caller, result.exists, submission, upload);
    if (replaced) return replaced;
    throw idInUse(caller, source, result);
  }
  const { run } = result.created;
  return startSubmitted(ports, id, run, `${id} was submitted and is being indexed.`);
}

/** A library to add to the catalog, with defaults. */
export function newLibrary(
  { newId, now }: Pick<SubmittingPorts, "newId" | "now">,
  made: Pick<
    LibraryRecord,
    "teamspace" | "id" | "title" | "description" | "chosen" | "source" | "credential" | "submittedBy" | "upload"
  >,
): LibraryRecord {
  return {
    ...made,
    uid: newId(),
    redirect: null,
    trust: null,
    createdAt: now(),
    pendingRename: null,
    refusedRenames: [],
    claims: [],
  };
}

/** Starts the run of a submission. */
async function startSubmitted(ports: SubmittingPorts, id: string, run: RunRecord, message: string): Promise<Submitted> {
  await startRun(ports, run);
  return { libraryName: id, message, version: "", runId: run.runId };
}

/**
 * Indexes a failed library again, with the options of its first submission.
 * @throws Failure duplicate_repo or duplicate_library if a run is open, and what `authorize` throws
 */
async function restartLibrary(
  ports: SubmittingPorts,
  caller: Caller,
  { exists }: ExistingLibrary,
  { source, credential }: Submission,
): Promise<Submitted> {
  const { uid, id } = exists;
  if (credential) authorize(caller, "library.token", exists);
  const opened = await ports.catalog.runs.open(uid, "", requestedRun(ports, caller, "submit"), ports.now());
  if (!opened || opened.joined) throw idInUse(caller, source, { exists });
  const begun = `${id} had failed, and is being indexed again as it was first submitted: only its submitter and administrators may change its options.`;
  return startSubmitted(ports, id, opened.run, begun);
}

/**
 * Replaces the uploaded file of a library. Undefined: the submission does not request that, or the library is not an upload; the
 * new file is then removed. @throws Failure what `authorize` throws
 */
async function replaceUpload(
  ports: SubmittingPorts,
  caller: Caller,
  library: LibraryRecord,
  { source, replaces, description, chosen }: Submission,
  upload: string,
): Promise<Submitted | undefined> {
  const { uid, id, teamspace, submittedBy } = library;
  const isRequested = replaces === true && library.upload !== null && library.redirect === null;
  const subject = { id, teamspace, submitter: submittedBy?.keyId };
  const replaced =
    isRequested && may(caller, "library.replace", subject)
      ? await ports.catalog.libraries.replaceUpload(
          uid,
          { source, upload, ...(description !== "" && { description }), chosen: { ...library.chosen, ...chosen } },
          requestedRun(ports, caller, "submit"),
          ports.now(),
        )
      : undefined;
  if (!replaced) {
    await ports.blobs.removeAll(uploadPrefix(upload));
    if (isRequested) authorize(caller, "library.replace", subject);
    return undefined;
  }
  const { run, superseded } = replaced;
  if (superseded) await ports.indexing.cancel(superseded).catch(ignoreUnavailable);
  return startSubmitted(ports, id, run, `The file of ${id} was replaced and is being indexed.`);
}

/** The visible library of an ID, with the version in any form that matches one of the library. @throws Failure library_not_found */
export async function findLibrary(
  catalog: Catalog,
  caller: Caller,
  libraryName: string,
): Promise<LibraryView & { readonly requested: string }> {
  const { id, version } = parseLibraryId(libraryName);
  const view = await catalog.libraries.find(visibleTeamspaces(caller), foldId(id), version, judgingTeamspace(caller));
  if (!view) throw libraryNotFound(id);
  authorize(caller, "library.read", view.library);
  if (view.version) return { ...view, requested: version };
  const names = view.versions.filter((name) => name !== "").map((name) => ({ name, kind: "tag" }) as const);
  const [match = ""] = matchVersions(version, names, view.library.id);
  const matching = match === "" ? undefined : await catalog.libraries.find([view.library.teamspace], foldId(id), match);
  return { ...view, ...(matching?.version && matching), requested: version };
}

/** Hands an open run to the engine. If the engine is unavailable, the sweep starts it later. */
export async function startRun({ indexing }: Pick<SubmittingPorts, "indexing">, run: RunRecord): Promise<void> {
  await indexing.start(run).catch(ignoreUnavailable);
}

/** Ignores that the engine is unavailable, for `catch`. */
export function ignoreUnavailable(error: unknown): void {
  if (!isFailure(error, "service_unavailable")) throw error;
}

/** A run to open. */
export function newRun(ports: SubmittingPorts, reason: RunReason, generation?: string): NewRun {
  return { runId: ports.newId(), reason, priority: priority[reason], ...(generation !== undefined && { generation }) };
}

/** A run to open, with the caller's key for fair turns. */
export function requestedRun(ports: SubmittingPorts, { keyId }: Caller, reason: RunReason): NewRun {
  return { ...newRun(ports, reason), ...(keyId !== null && { keyId }) };
}

/** Stores an uploaded file. Returns its ID. */
async function keepUpload({ blobs, newId }: SubmittingPorts, bytes: Uint8Array): Promise<string> {
  const id = newId();
  await blobs.put(uploadKey(id), bytes);
  return id;
}

/** Time after which any submitter may take the ID of a failed public library, in milliseconds. */
const keptFor = 24 * 60 * 60_000;

/**
 * Decides about a submission whose ID exists. `replace`: the existing library is removed. `restart`: it failed and has the same
 * source, so it is indexed again unchanged. `refuse`: the ID is in use.
 *
 * Readers trust an ID, so other submitters may not take it at once, nor change its options. The ID of a redirect stays in use.
 */
function claimOf(
  caller: Caller,
  { exists, idle }: ExistingLibrary,
  { source, upload }: { readonly source: SourceSpec; readonly upload: string | null },
  now: number,
): "replace" | "restart" | "refuse" {
  if (!idle) return "refuse";
  const { id, teamspace, submittedBy, redirect } = exists;
  if (teamspace !== "" || may(caller, "library.takeOver", { id, teamspace, submitter: submittedBy?.keyId }))
    return "replace";
  if (redirect !== null) return "refuse";
  if (idle.since !== null && now - idle.since >= keptFor) return "replace";
  return upload === null && exists.upload === null && isSameSource(exists.source, source) ? "restart" : "refuse";
}

/** The failure of a submission whose ID is in use, with what the caller may know of the existing library. */
function idInUse(caller: Caller, source: SourceSpec, { exists, idle }: ExistingLibrary): Failure {
  const { id, teamspace, redirect, upload } = exists;
  const seesRedirect = redirect !== null && may(caller, "library.read", { id: redirect, teamspace });
  const moved = seesRedirect ? ` and moved to ${redirect}` : "";
  const failed = redirect === null && idle !== undefined && idle.since !== null;
  const free = failed
    ? ` It has failed: its submitter and administrators may submit another source under this ID now, others from ${new Date(idle.since + keptFor).toISOString()} on.`
    : "";
  const remedy = upload === null ? "Refresh it" : "Replace it with force=true (--force)";
  const message = `${id} was already added, from ${seesDisk(caller, exists) ? kindOf(exists.source).location(exists.source) : "a folder of the server"}${moved}.${free} ${remedy}, or choose another ID.`;
  return new Failure(kindOf(source).duplicate ?? "duplicate_library", message);
}

/** Whether two specs have the same location; options may differ. */
function isSameSource(one: SourceSpec, other: SourceSpec): boolean {
  return one.kind === other.kind && kindOf(one).location(one) === kindOf(other).location(other);
}

/** Prefix of all uploads in the BlobStore. */
export const uploadsPrefix = "uploads/";

export function uploadPrefix(id: string): string {
  return `${uploadsPrefix}${id}/`;
}

/** Key of an uploaded file. */
export function uploadKey(id: string): string {
  return `${uploadPrefix(id)}file`;
}
