import type { Caller } from "./access.ts";
import { redirected } from "./answering.ts";
import { authorize, libraryNotFound, may, sourceShownTo } from "./authorizing.ts";
import { checkChanged } from "./credentials.ts";
import { Failure } from "./failures.ts";
import { kindOf, refOf, type SourceSpec } from "./kinds/index.ts";
import { membersOf, type LibrarySettings } from "./library-settings.ts";
import { showLibrary } from "./library.ts";
import type {
  Declaration,
  GenerationRecord,
  LibraryIndex,
  LibraryRecord,
  LibraryView,
  RunRecord,
  PassageIndex,
  VersionRecord,
  RenameObstacle,
} from "./ports.ts";
import { rescheduleRefreshes } from "./scheduling.ts";
import { findLibrary, newRun, startRun, ignoreUnavailable, uploadPrefix, type SubmittingPorts } from "./submitting.ts";

/** The ports that operating needs. */
export interface OperatingPorts extends SubmittingPorts {
  readonly passages: PassageIndex;
  readonly libraries: LibraryIndex;
  /** Updates the library's entry in the LibraryIndex from the catalog. */
  readonly announce: (libraryUid: string) => Promise<void>;
  /** The error message if the manifest or a part of a generation is missing, else undefined. */
  readonly damageOf: (generation: string) => Promise<string | undefined>;
}

/** A version of a library that an operator names. */
export interface Target {
  readonly library: LibraryRecord;
  readonly uid: string;
  readonly id: string;
  readonly name: string;
  readonly version: VersionRecord;
}

/**
 * Deletes a library: reads answer 404 at once, open runs are cancelled, the sweep removes its blobs and index rows.
 * @throws Failure run_open with `onlyUnserved`, if it ever served something or has an open run
 */
export async function deleteLibrary(
  ports: OperatingPorts,
  caller: Caller,
  libraryName: string,
  { onlyUnserved = false }: { readonly onlyUnserved?: boolean } = {},
): Promise<{ message: string }> {
  const { library } = await administered(ports, caller, libraryName, "A deletion");
  const { libraries } = ports.catalog;
  const cancelled = await (onlyUnserved ? libraries.removeUnserved : libraries.remove)(library.uid, ports.now());
  if (!cancelled)
    throw new Failure(
      "run_open",
      `${library.id} can be read, or is being indexed. It was not deleted with the others.`,
    );
  await Promise.all(cancelled.map((run) => ports.indexing.cancel(run).catch(ignoreUnavailable)));
  // Last, as the index may be unavailable: the sweep then removes the entry.
  await ports.libraries.remove(library.uid);
  if (library.upload !== null) await ports.blobs.removeAll(uploadPrefix(library.upload));
  return { message: `${library.id} was deleted.` };
}

/** Changes of a library by an administrator. Null: reset; absent: unchanged. */
export interface LibraryChanges extends Partial<LibrarySettings> {
  /** The same source with other options; its kind and its location stay. @throws Failure validation_error */
  readonly options?: (source: SourceSpec) => SourceSpec;
  /** What a library manifest declares of it. */
  readonly declaration?: Declaration;
}

/** Changes the settings of a library. Options and screen take effect with its next refresh, all others at once. */
export async function changeLibrary(
  ports: OperatingPorts,
  caller: Caller,
  libraryName: string,
  changes: LibraryChanges,
): Promise<{ message: string }> {
  const { library, versions } = await administered(ports, caller, libraryName, "A change");
  const { options: change, declaration, ...settings } = changes;
  const { redirect, schedule } = settings;
  const isOnlyRedirect = versions.length === 0;
  if (isOnlyRedirect && (redirect === null || Object.keys(changes).length > (redirect === undefined ? 0 : 1)))
    throw new Failure(
      "validation_error",
      `${library.id} only redirects${shownRedirect(caller, library)}: nothing else of it can be changed. Change that library, or delete this ID.`,
    );
  const target = typeof redirect === "string" ? await redirectTarget(ports, caller, library, redirect) : redirect;
  const source = change?.(library.source);
  if (source) await checkChanged(ports, caller, library, source);
  await ports.catalog.libraries.update(library.uid, {
    ...membersOf(library, settings),
    ...(source && changedOptions(library.source, source)),
    ...(target !== undefined && { redirect: target }),
    ...(declaration && { declaration, ...(source && { pushedAt: ports.now() }) }),
  });
  if (target === null || schedule !== undefined) await rescheduleRefreshes(ports, library.uid);
  await ports.announce(library.uid);
  const when =
    (source ? " The new options take effect with its next refresh." : "") +
    (changes.screen === undefined ? "" : ` The screen is ${changes.screen ?? "on"} from its next refresh on.`);
  return { message: `${library.id} was changed.${when}` };
}

/** Cancels the open run of a version. The live generation stays live. */
export async function cancelRun(
  ports: OperatingPorts,
  caller: Caller,
  libraryName: string,
): Promise<{ message: string; runId: string }> {
  const { version, name } = await targetOf(ports, caller, libraryName);
  const run = version.openRun;
  if (!run) throw new Failure("validation_error", `${name} has no open run to cancel.`);
  await ports.indexing.cancel(run);
  return { message: `The run of ${name} is being cancelled.`, runId: run.runId };
}

/** Publishes the generation that the shrink guard held. */
export async function publishHeld(
  ports: OperatingPorts,
  caller: Caller,
  libraryName: string,
): Promise<{ message: string; run: RunRecord }> {
  const { uid, id, name, version } = await targetOf(ports, caller, libraryName);
  const held = await heldGeneration(ports, uid, name, version);
  if (version.live && version.live.createdAt > held.createdAt) {
    const [heldAt, liveAt] = [held, version.live].map(({ createdAt }) => new Date(createdAt).toISOString());
    throw new Failure(
      "validation_error",
      `The held generation of ${name} is from ${heldAt}, older than the live one from ${liveAt}. Drop it, or refresh the library to read it again.`,
    );
  }
  await requireWhole(ports, held.id, `The held generation of ${name}`);
  await ports.indexing.ready();
  const opened = await ports.catalog.runs.open(uid, version.version, newRun(ports, "publish", held.id), ports.now());
  if (!opened) throw libraryNotFound(id);
  if (opened.joined) throw new Failure("run_open", `${name} has an open run. Wait for it, or cancel it first.`);
  await startRun(ports, opened.run);
  return { message: `The held generation of ${name} is being published.`, run: opened.run };
}

/** Drops the generation that the shrink guard held. Scheduled refreshes still skip its revision. */
export async function dropHeld(
  ports: OperatingPorts,
  caller: Caller,
  libraryName: string,
): Promise<{ message: string }> {
  const { uid, name, version } = await targetOf(ports, caller, libraryName);
  if (version.openRun?.reason === "publish")
    throw new Failure("run_open", `The held generation of ${name} is being published. Cancel that run first.`);
  const held = await heldGeneration(ports, uid, name, version);
  await ports.catalog.generations.dropHeld(held.id, ports.now());
  return { message: `The held generation of ${name} was dropped.` };
}

/** Makes the previous generation live again. A run that is open meanwhile ends superseded. */
export async function rollbackLibrary(
  ports: OperatingPorts,
  caller: Caller,
  libraryName: string,
): Promise<{ message: string; generation: string }> {
  const { uid, name, version } = await targetOf(ports, caller, libraryName);
  const previous = (await ports.catalog.generations.of(uid, version.version)).find(
    ({ state, removeAfter }) => state === "retired" && removeAfter === null,
  );
  if (!previous) throw new Failure("validation_error", `${name} has no previous generation to roll back to.`);
  if ((await ports.passages.count(previous.id)) === undefined) {
    throw new Failure(
      "search_failed",
      `The previous generation of ${name} is not in the index any more. Run lectern reindex first.`,
    );
  }
  await requireWhole(ports, previous.id, `The previous generation of ${name}`);
  const live = await ports.catalog.generations.rollback(uid, version.version, ports.now());
  if (!live) throw new Failure("validation_error", `${name} has no previous generation to roll back to.`);
  await ports.announce(uid);
  return { message: `${name} was rolled back to what was read at ${live.revision}.`, generation: live.id };
}

/** The members in which two specs of the same location differ, and the ref if it differs. */
function changedOptions(
  before: SourceSpec,
  after: SourceSpec,
): { readonly options: Record<string, unknown>; readonly ref?: string | null } {
  const { location } = kindOf(before);
  if (after.kind !== before.kind || location(after) !== location(before))
    throw new Error(`Options of ${before.kind} changed its address.`);
  const old = new Map(Object.entries(before).map(([name, value]) => [name, JSON.stringify(value)]));
  const differing = Object.entries(after).filter(([name, value]) => old.get(name) !== JSON.stringify(value));
  const ref = refOf(after);
  return { options: Object.fromEntries(differing), ...(ref !== refOf(before) && { ref }) };
}

/** The target of a redirect, for a message; "" if it is hidden from the caller. */
function shownRedirect(caller: Caller, { redirect, teamspace }: LibraryRecord): string {
  return redirect !== null && may(caller, "library.read", { id: redirect, teamspace }) ? ` to ${redirect}` : "";
}

/** The ID of the library to redirect to. @throws Failure validation_error if it redirects itself, or has fewer readers */
async function redirectTarget(
  { catalog }: OperatingPorts,
  caller: Caller,
  { uid, teamspace, id }: LibraryRecord,
  redirect: string,
): Promise<string> {
  const { library, requested } = await findLibrary(catalog, caller, redirect);
  const problem =
    (requested !== "" && "takes an ID without a version") ||
    (library.uid === uid && `names ${id} itself; use another ID, or null for none`) ||
    (library.redirect !== null &&
      `names a library that redirects${shownRedirect(caller, library)}; use the ID that it leads to`) ||
    (teamspace === "" && library.teamspace !== "" && "of a public library must name a public one");
  if (problem) throw new Failure("validation_error", `redirect ${problem}.`);
  return library.id;
}

/** The library of an act on all its versions. @throws Failure validation_error for an ID with a version, and what `authorize` throws */
async function administered(
  { catalog }: OperatingPorts,
  caller: Caller,
  libraryName: string,
  act: string,
): Promise<LibraryView> {
  const view = await findLibrary(catalog, caller, libraryName);
  authorize(caller, "library.change", view.library);
  if (view.requested === "") return view;
  throw new Failure("validation_error", `${act} takes a library ID without a version.`);
}

/**
 * The version that an operator names.
 * @throws Failure library_not_found, library_redirected, tag_not_found, and what `authorize` throws
 */
export async function targetOf(ports: OperatingPorts, caller: Caller, libraryName: string): Promise<Target> {
  const { library, version, requested } = await findLibrary(ports.catalog, caller, libraryName);
  authorize(caller, "library.change", library);
  if (!version && library.redirect !== null) throw redirected(library, requested, caller);
  if (!version) throw new Failure("tag_not_found", `${library.id} has no version "${requested}".`);
  return { library, uid: library.uid, id: library.id, name: showLibrary(library.id, version.version), version };
}

/** @throws Failure generation_damaged if a part or the manifest of the generation is missing */
async function requireWhole(ports: OperatingPorts, generation: string, name: string): Promise<void> {
  const damage = await ports.damageOf(generation);
  if (damage === undefined) return;
  throw new Failure("generation_damaged", `${name} is damaged, and nothing was changed. ${damage}`);
}

async function heldGeneration(
  ports: OperatingPorts,
  uid: string,
  name: string,
  { version }: VersionRecord,
): Promise<GenerationRecord> {
  const held = (await ports.catalog.generations.of(uid, version)).find(({ state }) => state === "held");
  if (!held) throw new Failure("validation_error", `${name} has no held generation.`);
  return held;
}

/** Why a rename waits, for people. */
export const renameReasons: Readonly<Record<RenameObstacle, string>> = {
  submitter: "The key that the library was submitted with is unknown, revoked or expired.",
  patterns: "The key that the library was submitted with is not for the new ID.",
  rules: "Access rules give the new ID other readers than the present one.",
  taken: "The new ID is in use.",
};

/**
 * Accepts or refuses the pending rename of a library; a refused one is not proposed again.
 * @throws Failure duplicate_library if the new ID is in use, validation_error if no rename waits, and what `authorize` throws
 */
export async function decideRename(
  ports: OperatingPorts,
  caller: Caller,
  libraryName: string,
  accept: boolean,
): Promise<{ libraryName: string; message: string }> {
  const { library } = await administered(ports, caller, libraryName, "A rename");
  const { uid, id, teamspace, pendingRename } = library;
  if (!pendingRename) throw new Failure("validation_error", `${id} has no pending rename.`);
  const to = pendingRename.id;
  if (accept) authorize(caller, "library.submit", { id: to, teamspace });
  const decided = await ports.catalog.libraries.decideRename(uid, { id: to, accept }, ports.now());
  if (!decided)
    throw new Failure(
      "validation_error",
      `The rename of ${id} has changed meanwhile. Look at its status, then decide.`,
    );
  if ("taken" in decided) {
    const { taken } = decided;
    const what = taken.redirect === null ? `a library from ${sourceShownTo(caller, taken)}` : "a redirect";
    const message = `${to} is ${what}. Delete that first, let ${id} redirect to it with PATCH /api/v2/libs, or refuse the rename.`;
    throw new Failure("duplicate_library", message);
  }
  await ports.announce(uid);
  const { id: now } = decided.library;
  return {
    libraryName: now,
    message: accept ? `${id} is ${now} from now on, and redirects to it.` : `${id} keeps its ID.`,
  };
}
