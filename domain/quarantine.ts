import type { Caller } from "./access.ts";
import { libraryNotFound } from "./authorizing.ts";
import { Failure } from "./failures.ts";
import { targetOf, type OperatingPorts, type Target } from "./operating.ts";
import type { FoundPassage } from "./passage.ts";
import { newRun, startRun } from "./submitting.ts";

/** The ports that decisions about the quarantine need. */
export interface ReleasingPorts extends OperatingPorts {
  /** The passages of a generation with findings of the screen. @throws Failure generation_damaged */
  readonly findings: (generation: string) => Promise<readonly FoundPassage[]>;
}

/** The passages of a library's live generation with findings of the screen, for those who may change the library. */
export async function listFindings(
  ports: ReleasingPorts,
  caller: Caller,
  libraryName: string,
): Promise<Target & { readonly generation: string | null; readonly found: readonly FoundPassage[] }> {
  const target = await targetOf(ports, caller, libraryName);
  const { live } = target.version;
  return { ...target, generation: live?.id ?? null, found: live ? await ports.findings(live.id) : [] };
}

/** Passages of the live generation to release from quarantine. */
export interface Release {
  readonly libraryName: string;
  readonly passageIds: readonly string[];
  /** Put them back into quarantine instead. */
  readonly withdraw: boolean;
}

/** Releases passages from quarantine, or puts them back, wherever the library has the same text. Starts a refresh to that end. */
export async function releasePassages(
  ports: ReleasingPorts,
  caller: Caller,
  { libraryName, passageIds, withdraw }: Release,
): Promise<{ message: string; runId?: string }> {
  const { uid, id, name, version, found } = await listFindings(ports, caller, libraryName);
  const keys = new Map(found.map(({ passage, releaseKey }) => [passage.id, releaseKey]));
  const missing = passageIds.filter((one) => !keys.has(one));
  if (missing.length > 0) {
    const message = `${name} has no quarantined passage ${missing.slice(0, 3).join(", ")}. List them with GET /api/v2/libs/status/quarantine.`;
    throw new Failure("validation_error", message);
  }
  await ports.indexing.ready();
  const release = { keys: passageIds.flatMap((one) => keys.get(one) ?? []), withdraw };
  await ports.catalog.libraries.update(uid, { release });
  const done = `${passageIds.length} ${passageIds.length === 1 ? "passage" : "passages"} of ${name} ${withdraw ? "returned to" : "released from"} quarantine.`;
  // A requested refresh would read the revision that was rolled back or held.
  if (version.refusedRevision !== null)
    return { message: `${done} That takes effect with its next refresh: the newest revision was held or rolled back.` };
  const opened = await ports.catalog.runs.open(uid, version.version, newRun(ports, "refresh"), ports.now());
  if (!opened) throw libraryNotFound(id);
  await startRun(ports, opened.run);
  const when = opened.joined
    ? "A run was already open: if it takes no effect with that one, refresh the library."
    : "It takes effect with the refresh that was started.";
  return { message: `${done} ${when}`, runId: opened.run.runId };
}
