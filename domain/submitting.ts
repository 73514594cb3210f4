import { visibleTeamspaces } from "./access.ts";
import type { Caller } from "./access.ts";
import { redirected } from "./answering.ts";
import { authorize, libraryNotFound, may } from "./authorizing.ts";
import { chooseCredential, credentialFor, ownerOf } from "./credentials.ts";
import type { CredentialChoice } from "./credentials.ts";
import { Failure } from "./failures.ts";
import { foldId, parseLibraryId, showLibrary } from "./library.ts";
import type {
  BlobStore,
  Catalog,
  Choices,
  ExistingLibrary,
  Indexing,
  LibraryRecord,
  LibraryView,
  NewRun,
  RunRecord,
  Secrets,
} from "./ports.ts";
import { kindOf, refOf } from "./kinds/index.ts";
import { judgingTeamspace } from "./policies.ts";
import type { Policies } from "./policies.ts";
import { leftOutHint } from "./refs.ts";
import type { SourceSpec } from "./kinds/index.ts";
import type { SourceRef } from "./source.ts";
import type { RunReason } from "./steps.ts";
import { claimOf, idInUse } from "./taking-over.ts";
import { uploadKey, uploadPrefix } from "./uploads.ts";
import { matchVersions } from "./version-match.ts";
import { nearestNames } from "./versions.ts";

/** The ports that submitting and operating need. */
export interface SubmittingPorts {
  readonly catalog: Catalog;
  readonly policies: Policies;
  readonly indexing: Indexing;
  readonly secrets: Secrets;
  readonly blobs: BlobStore;
  /** Checks that a token may be sent to an address. @throws Failure address_not_allowed over plain http, except to hosts of FETCH_ALLOW */
  readonly checkToken: (url: URL) => Promise<void>;
  /** A new ID that sorts by time: for a run, a library, a credential. */
  readonly newId: () => string;
  readonly now: () => number;
}

export interface Submission {
  /** The library's ID, derived or chosen. */
  readonly id: string;
  /** Belongs to the caller's teamspace instead of everybody. */
  readonly private: boolean;
  readonly title: string;
  readonly description: string;
  /** Title and description that come before what the source says of itself. */
  readonly chosen?: Choices;
  readonly source: SourceSpec;
  /** What its source is read with. */
  readonly credential?: CredentialChoice;
  /** The file that was submitted, in place of an address. */
  readonly upload?: Uint8Array;
  /** The file replaces the one that the library has. */
  readonly replaces?: boolean;
}

/** What a submission answers: the ID is final, the indexing has only begun. */
export interface Submitted {
  readonly libraryName: string;
  readonly message: string;
  readonly version: string;
  readonly runId: string;
}

/** Maximum number of versions of a library, the default one not counted. */
const maxVersions = 20;

/** A version is in use if it was requested or read within this time, in milliseconds. */
const inUse = 3_600_000;

/** Grace period for readers of a removed version, in milliseconds. */
const maxReadTime = 300_000;

/** Requests of users have priority over scheduled work. */
const priority: Readonly<Record<RunReason, number>> = {
  submit: 10,
  refresh: 10,
  publish: 10,
  import: 10,
  version: 5,
  sweep: 0,
};

/**
 * Registers a library and starts its first run.
 * An uploaded file is stored before the library, so that no run misses it; the sweep removes what a crash leaves.
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
  const library: LibraryRecord = {
    uid: ports.newId(),
    teamspace,
    id,
    title: submission.title,
    description: submission.description,
    ...(submission.chosen && { chosen: submission.chosen }),
    source,
    credential: own?.id ?? (chosen && "shared" in chosen ? chosen.shared : null),
    redirect: null,
    trust: null,
    createdAt: ports.now(),
    submittedBy: caller.keyId === null ? null : { keyId: caller.keyId, teamspace: caller.teamspace ?? "" },
    pendingRename: null,
    refusedRenames: [],
    claims: [],
    upload,
  };
  const ref = refOf(source);
  const submitted = { ...newRun(ports, "submit"), ...keyOf(caller) };
  const create = (replaces?: string) =>
    ports.catalog.libraries.create(library, ref, submitted, { own, ...(replaces !== undefined && { replaces }) });
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
  await startRun(ports, run);
  const message = `${id} was submitted and is being indexed. Its status is at /api/v2/libs/status?libraryId=${id}.`;
  return { libraryName: id, message, version: "", runId: run.runId };
}

/**
 * Indexes a failed library again, with the options of its first submission.
 * @throws Failure duplicate_repo or duplicate_library where a run is open, and what `authorize` throws
 */
async function restartLibrary(
  ports: SubmittingPorts,
  caller: Caller,
  { exists }: ExistingLibrary,
  { source, credential }: Submission,
): Promise<Submitted> {
  const { uid, id } = exists;
  if (credential) authorize(caller, "library.token", exists);
  const opened = await ports.catalog.runs.open(uid, "", { ...newRun(ports, "submit"), ...keyOf(caller) }, ports.now());
  if (!opened || opened.joined) throw idInUse(caller, source, { exists });
  await startRun(ports, opened.run);
  const message = `${id} had failed, and is being indexed again as it was first submitted: what this submission says beyond the address is for its submitter and administrators. Its status is at /api/v2/libs/status?libraryId=${id}.`;
  return { libraryName: id, message, version: "", runId: opened.run.runId };
}

/**
 * Replaces the uploaded file of a library; undefined where the submission does not ask for that, or the library is not an
 * upload: the new file is then removed. @throws Failure what `authorize` throws
 */
async function replaceUpload(
  ports: SubmittingPorts,
  caller: Caller,
  library: LibraryRecord,
  { source, replaces, description, chosen }: Submission,
  upload: string,
): Promise<Submitted | undefined> {
  const { uid, id, teamspace, submittedBy } = library;
  const isMeant = replaces === true && library.upload !== null && library.redirect === null;
  const subject = { id, teamspace, submitter: submittedBy?.keyId };
  const replaced =
    isMeant && may(caller, "library.replace", subject)
      ? await ports.catalog.libraries.replaceUpload(
          uid,
          { source, upload, ...(description !== "" && { description }), chosen: { ...library.chosen, ...chosen } },
          { ...newRun(ports, "submit"), ...keyOf(caller) },
          ports.now(),
        )
      : undefined;
  if (!replaced) {
    await ports.blobs.removeAll(uploadPrefix(upload));
    if (isMeant) authorize(caller, "library.replace", subject);
    return undefined;
  }
  const { run, superseded } = replaced;
  if (superseded) await ports.indexing.cancel(superseded).catch(unlessAway);
  await startRun(ports, run);
  const message = `The file of ${id} was replaced and is being indexed. Its status is at /api/v2/libs/status?libraryId=${id}.`;
  return { libraryName: id, message, version: "", runId: run.runId };
}

/**
 * Starts a refresh of a version, or joins the open run; an administrator resumes a suspended one. The ID before a move works
 * too. A given credential is the library's from now on.
 */
export async function refreshLibrary(
  ports: SubmittingPorts,
  caller: Caller,
  request: {
    readonly libraryName: string;
    readonly branch?: string;
    /** The credential of the request, for the source of the library; undefined: none. @throws Failure validation_error */
    readonly credential?: (source: SourceSpec) => CredentialChoice | undefined;
  },
): Promise<Submitted & { readonly joined: boolean }> {
  const found = await findLibrary(ports.catalog, caller, request.libraryName);
  const { redirect } = found.library;
  if (redirect !== null && !may(caller, "library.read", { ...found.library, id: redirect }))
    throw libraryNotFound(found.library.id);
  const view =
    redirect === null ? found : await findLibrary(ports.catalog, caller, showLibrary(redirect, found.requested));
  const { library } = view;
  if (library.redirect !== null) throw redirected(library, view.requested, caller);
  authorize(caller, "library.refresh", library);
  (await ports.policies.of(caller, view.accessRevision)).requireSource(library);
  if (library.upload !== null && !view.version?.openRun?.failure)
    throw new Failure(
      "validation_error",
      `${library.id} was uploaded, and has no source to refresh from. Upload the file again with force=true.`,
    );
  const choice = request.credential?.(library.source);
  if (choice) authorize(caller, "library.token", library);
  const credential = choice && (await chooseCredential(ports, caller, library, choice));
  await ports.indexing.ready();
  const wanted = request.branch ?? view.requested;
  const version = await versionFor(ports, view, wanted, request.branch !== undefined);
  if (credential) await ports.catalog.libraries.useCredential(library.uid, credential);
  const wantedRun = { ...newRun(ports, "refresh"), ...keyOf(caller) };
  const opened = await ports.catalog.runs.open(library.uid, version, wantedRun, ports.now());
  if (!opened) throw libraryNotFound(library.id);
  const { failure: suspension } = opened.run;
  if (suspension) {
    if (!may(caller, "library.change", library)) throw new Failure(suspension.code, suspension.message);
    await ports.catalog.runs.resume(opened.run.runId);
  }
  await startRun(ports, opened.run);
  const name = showLibrary(library.id, version);
  const joined = suspension
    ? `The suspended run of ${name} was resumed.`
    : `${name} is being indexed already; this request joined that run.`;
  const message = opened.joined ? joined : `Refresh of ${name} was started.`;
  return { libraryName: library.id, message, version, runId: opened.run.runId, joined: opened.joined };
}

/** Starts indexing a version of the source, which may remove an unused one. */
export async function indexVersion(ports: SubmittingPorts, library: LibraryRecord, ref: SourceRef): Promise<void> {
  const { catalog } = ports;
  await ports.indexing.ready();
  await addVersion(ports, library, ref);
  const opened = await catalog.runs.open(library.uid, ref.name, newRun(ports, "version"), ports.now());
  if (!opened) throw libraryNotFound(library.id);
  await startRun(ports, opened.run);
}

/**
 * The library of an ID with an optional version, among those that the caller sees. The version may be written in any form that
 * matches one of the library. @throws Failure library_not_found
 */
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
  const [meant = ""] = matchVersions(version, names, view.library.id);
  const other = meant === "" ? undefined : await catalog.libraries.find([view.library.teamspace], foldId(id), meant);
  return { ...view, ...(other?.version && other), requested: version };
}

/** Hands an open run to the engine. Where the engine has just become unavailable, the sweep starts it later. */
export async function startRun({ indexing }: Pick<SubmittingPorts, "indexing">, run: RunRecord): Promise<void> {
  await indexing.start(run).catch(unlessAway);
}

/** Ignores that the engine is unavailable. */
export function unlessAway(error: unknown): void {
  if (!(error instanceof Failure && error.code === "service_unavailable")) throw error;
}

/** A run to open. */
export function newRun(ports: SubmittingPorts, reason: RunReason, generation?: string): NewRun {
  return { runId: ports.newId(), reason, priority: priority[reason], ...(generation !== undefined && { generation }) };
}

/** The key that asks for a run, for fair turns. */
function keyOf({ keyId }: Caller): Pick<NewRun, "keyId"> {
  return keyId === null ? {} : { keyId };
}

/** The version that a name stands for: an existing one, the default one by its ref, or a ref that is added. */
async function versionFor(ports: SubmittingPorts, view: LibraryView, wanted: string, branch: boolean): Promise<string> {
  const { library, versions } = view;
  if (versions.includes(wanted)) return wanted;
  const all = await ports.catalog.libraries.versionsOf(library.uid);
  const standard = all.find(({ version }) => version === "");
  if (wanted === standard?.ref || wanted === standard?.live?.ref) return "";
  const refs = await ports.catalog.libraries.refs(library.uid);
  const meant = branch ? wanted : matchVersions(wanted, refs, library.id)[0];
  if (meant === "") return "";
  const ref = refs.find(({ name }) => name === meant);
  if (ref) {
    await addVersion(ports, library, ref);
    return ref.name;
  }
  if (!branch && view.version) return view.version.version;
  const names = refs.map(({ name }) => name);
  const nearest = nearestNames(wanted, names, 8, library.id).join(", ");
  const more = leftOutHint(await ports.catalog.libraries.refsLeftOut(library.uid));
  const hint =
    nearest === ""
      ? "Refresh the library without it first, so that its branches and tags are known."
      : `Nearest known: ${nearest}.${more}`;
  if (branch) throw new Failure("branch_not_found", `${library.id} has no branch or tag "${wanted}". ${hint}`);
  throw new Failure("tag_not_found", `${library.id} has no version "${wanted}". ${hint}`);
}

/** Adds a version, which may remove an unused one. @throws Failure run_open where all are in use */
async function addVersion({ catalog, now }: SubmittingPorts, library: LibraryRecord, ref: SourceRef): Promise<void> {
  const time = now();
  const room = {
    atMost: maxVersions,
    now: time,
    unusedSince: time - inUse,
    removeAfter: time + maxReadTime,
  };
  if (await catalog.libraries.addVersion(library.uid, ref.name, ref.name, room)) return;
  if (!(await catalog.libraries.get(library.uid))) throw libraryNotFound(library.id);
  throw new Failure(
    "run_open",
    `${library.id} has ${maxVersions} versions, all of them being indexed or in use. Try again in an hour, when one can be replaced.`,
  );
}

/** Stores an uploaded file. Returns its ID. */
async function keepUpload({ blobs, newId }: SubmittingPorts, bytes: Uint8Array): Promise<string> {
  const id = newId();
  await blobs.put(uploadKey(id), bytes);
  return id;
}
