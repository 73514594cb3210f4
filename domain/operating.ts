import { requireScope } from "./access.ts";
import type { Caller } from "./access.ts";
import { libraryNotFound } from "./answering.ts";
import { Failure } from "./failures.ts";
import { showLibrary } from "./library.ts";
import type { GenerationRecord, LibraryIndex, RunRecord, SnippetIndex, VersionRecord } from "./ports.ts";
import { findLibrary, newRun, startRun, unlessAway } from "./submitting.ts";
import type { SubmittingPorts } from "./submitting.ts";

/** What operators' decisions need of the world. */
export interface OperatingPorts extends SubmittingPorts {
  readonly snippets: SnippetIndex;
  readonly libraries: LibraryIndex;
  /** Brings the library's entry in the LibraryIndex up to date with the catalog. */
  readonly announce: (libraryUid: string) => Promise<void>;
}

interface Target {
  readonly uid: string;
  readonly id: string;
  readonly name: string;
  readonly version: VersionRecord;
}

/** Deletes a library: readers see 404 at once, open runs are cancelled, the sweep clears what it stored. */
export async function deleteLibrary(
  ports: OperatingPorts,
  caller: Caller,
  libraryName: string,
): Promise<{ message: string }> {
  requireScope(caller, "admin");
  const { library, requested } = await findLibrary(ports.catalog, caller, libraryName);
  if (requested !== "") throw new Failure("validation_error", "A deletion takes a library ID without a version.");
  const cancelled = await ports.catalog.libraries.remove(library.uid, ports.now());
  if (library.credential !== null) await ports.catalog.credentials.remove(library.credential);
  await Promise.all(cancelled.map((run) => ports.indexing.cancel(run).catch(unlessAway)));
  // Last, because an index that is away must not keep the credential or the runs; the sweep removes the entry then.
  await ports.libraries.remove(library.uid);
  return { message: `${library.id} was deleted.` };
}

/** Cancels the open run of a version. What was live stays live. */
export async function cancelRun(
  ports: OperatingPorts,
  caller: Caller,
  libraryName: string,
): Promise<{ message: string; runId: string }> {
  requireScope(caller, "admin");
  const { version, name } = await target(ports, caller, libraryName);
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
  requireScope(caller, "admin");
  const { uid, id, name, version } = await target(ports, caller, libraryName);
  const held = await heldGeneration(ports, uid, name, version);
  await ports.indexing.ready();
  const opened = await ports.catalog.runs.open(uid, version.version, newRun(ports, "publish", held.id), ports.now());
  if (!opened) throw libraryNotFound(id);
  if (opened.joined) throw new Failure("run_open", `${name} has an open run. Wait for it, or cancel it first.`);
  await startRun(ports, opened.run);
  return { message: `The held generation of ${name} is being published.`, run: opened.run };
}

/** Drops the generation that the shrink guard held; its revision is still not tried again by itself. */
export async function dropHeld(
  ports: OperatingPorts,
  caller: Caller,
  libraryName: string,
): Promise<{ message: string }> {
  requireScope(caller, "admin");
  const { uid, name, version } = await target(ports, caller, libraryName);
  if (version.openRun?.reason === "publish")
    throw new Failure("run_open", `The held generation of ${name} is being published. Cancel that run first.`);
  const held = await heldGeneration(ports, uid, name, version);
  await ports.catalog.generations.dropHeld(held.id, ports.now());
  return { message: `The held generation of ${name} was dropped.` };
}

/** Makes the generation before the live one live again. An open run that saw the other one ends superseded. */
export async function rollbackLibrary(
  ports: OperatingPorts,
  caller: Caller,
  libraryName: string,
): Promise<{ message: string; generation: string }> {
  requireScope(caller, "admin");
  const { uid, name, version } = await target(ports, caller, libraryName);
  const kept = (await ports.catalog.generations.of(uid, version.version)).find(
    ({ state, removeAfter }) => state === "retired" && removeAfter === null,
  );
  if (!kept) throw new Failure("validation_error", `${name} has no earlier generation to go back to.`);
  if ((await ports.snippets.count(kept.id)) === undefined) {
    throw new Failure(
      "search_failed",
      `The earlier generation of ${name} is not in the index any more. Rebuild the index first.`,
    );
  }
  const live = await ports.catalog.generations.rollback(uid, version.version, ports.now());
  if (!live) throw new Failure("validation_error", `${name} has no earlier generation to go back to.`);
  await ports.announce(uid);
  return { message: `${name} was rolled back to what was read at ${live.revision}.`, generation: live.id };
}

async function target(ports: OperatingPorts, caller: Caller, libraryName: string): Promise<Target> {
  const { library, version, requested } = await findLibrary(ports.catalog, caller, libraryName);
  const name = showLibrary(library.id, requested);
  if (!version) throw new Failure("tag_not_found", `${library.id} has no version "${requested}".`);
  return { uid: library.uid, id: library.id, name, version };
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
