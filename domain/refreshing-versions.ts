import type { Caller } from "./access.ts";
import { redirected } from "./answering.ts";
import { authorize, libraryNotFound, may } from "./authorizing.ts";
import { chooseCredential, type CredentialChoice } from "./credentials.ts";
import { Failure } from "./failures.ts";
import type { SourceSpec } from "./kinds/index.ts";
import { showLibrary } from "./library.ts";
import type { LibraryRecord, LibraryView } from "./ports.ts";
import { leftOutHint } from "./refs.ts";
import { maxReadTime } from "./unused-versions.ts";
import { retryText } from "./scheduling.ts";
import type { SourceRef } from "./source.ts";
import { findLibrary, newRun, requestedRun, startRun, type Submitted, type SubmittingPorts } from "./submitting.ts";
import { matchVersions } from "./version-match.ts";
import { nearestNames } from "./versions.ts";

/** Maximum number of versions of a library, the default one not counted. */
const maxVersions = 20;

/** A version is in use if it was requested or read this recently, in milliseconds. */
const inUse = 3_600_000;

/** Starts a refresh of a version, or joins the open run; an administrator resumes a suspended one. A former ID works too. */
export async function refreshLibrary(
  ports: SubmittingPorts,
  caller: Caller,
  request: {
    readonly libraryName: string;
    readonly branch?: string;
    /** The new credential of the library, for its source; undefined: none. @throws Failure validation_error */
    readonly credential?: (source: SourceSpec) => CredentialChoice | undefined;
  },
): Promise<Submitted & { readonly joined: boolean }> {
  const named = await findLibrary(ports.catalog, caller, request.libraryName);
  const { redirect } = named.library;
  if (redirect !== null && !may(caller, "library.read", { ...named.library, id: redirect }))
    throw libraryNotFound(named.library.id);
  const view =
    redirect === null ? named : await findLibrary(ports.catalog, caller, showLibrary(redirect, named.requested));
  const { library } = view;
  if (library.redirect !== null) throw redirected(library, view.requested, caller);
  authorize(caller, "library.refresh", library);
  (await ports.policies.of(caller, view.accessRevision)).requireSource(library);
  if (library.upload !== null && !view.version?.openRun?.failure)
    throw new Failure(
      "validation_error",
      `${library.id} was uploaded, and has no source to refresh from. Upload the file again with force=true (--force).`,
    );
  const choice = request.credential?.(library.source);
  if (choice) authorize(caller, "library.token", library);
  const credential = choice && (await chooseCredential(ports, caller, library, choice));
  await ports.indexing.ready();
  const wanted = request.branch ?? view.requested;
  const isUnread = wanted !== "" && (await isUnreadYet(ports, library, wanted));
  const version = isUnread ? "" : await versionFor(ports, view, wanted, request.branch !== undefined);
  if (credential) await ports.catalog.libraries.useCredential(library.uid, credential);
  const run = requestedRun(ports, caller, "refresh");
  const opened = await ports.catalog.runs.open(library.uid, version, run, ports.now());
  if (!opened) throw libraryNotFound(library.id);
  const { failure: suspension } = opened.run;
  if (suspension) {
    if (!may(caller, "library.change", library))
      throw new Failure(suspension.code, suspension.message + retryText(view.version?.retryAt ?? null));
    await ports.catalog.runs.resume(opened.run.runId, { forgiven: true });
  }
  await startRun(ports, opened.run);
  const name = showLibrary(library.id, version);
  const joined = suspension
    ? `The suspended run of ${name} was resumed.`
    : `${name} is being indexed already; this request joined that run.`;
  const later = isUnread
    ? ` Its versions are not known before the first run has read them. Ask for ${wanted} when it is done.`
    : "";
  const message = (opened.joined ? joined : `Refresh of ${name} was started.`) + later;
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

/** Whether no other version than the default one is known yet, as when the first run failed. */
async function isUnreadYet({ catalog }: SubmittingPorts, { uid }: LibraryRecord, wanted: string): Promise<boolean> {
  const [versions, refs] = await Promise.all([catalog.libraries.versionsOf(uid), catalog.libraries.refs(uid)]);
  return refs.length === 0 && versions.every(({ version, ref, live }) => version === "" && ref !== wanted && !live);
}

/** The version with a name: an existing one, the default one by its ref, or a newly added ref. */
async function versionFor(ports: SubmittingPorts, view: LibraryView, wanted: string, branch: boolean): Promise<string> {
  const { library, versions } = view;
  if (versions.includes(wanted)) return wanted;
  const all = await ports.catalog.libraries.versionsOf(library.uid);
  const standard = all.find(({ version }) => version === "");
  if (wanted === standard?.ref || wanted === standard?.live?.ref) return "";
  const refs = await ports.catalog.libraries.refs(library.uid);
  const match = branch ? wanted : matchVersions(wanted, refs, library.id)[0];
  if (match === "") return "";
  const ref = refs.find(({ name }) => name === match);
  if (ref) {
    await addVersion(ports, library, ref);
    return ref.name;
  }
  if (!branch && view.version) return view.version.version;
  const nearest = nearestNames(wanted, refs, 8, library.id).join(", ");
  const more = leftOutHint(await ports.catalog.libraries.refsLeftOut(library.uid));
  const hint =
    nearest === ""
      ? "Refresh the library without it first, so that its branches and tags are known."
      : `Nearest known: ${nearest}.${more}`;
  if (branch) throw new Failure("branch_not_found", `${library.id} has no branch or tag "${wanted}". ${hint}`);
  throw new Failure("tag_not_found", `${library.id} has no version "${wanted}". ${hint}`);
}

/** Adds a version, which may remove an unused one. @throws Failure run_open if all are in use */
async function addVersion({ catalog, now }: SubmittingPorts, library: LibraryRecord, ref: SourceRef): Promise<void> {
  const time = now();
  const room = { atMost: maxVersions, now: time, unusedSince: time - inUse, removeAfter: time + maxReadTime };
  if (await catalog.libraries.addVersion(library.uid, ref.name, ref.name, room)) return;
  if (!(await catalog.libraries.get(library.uid))) throw libraryNotFound(library.id);
  throw new Failure(
    "run_open",
    `${library.id} has ${maxVersions} versions, all of them being indexed or in use. Try again in an hour, when one can be replaced.`,
  );
}
