import type { Caller } from "./access.ts";
import { libraryNotFound } from "./authorizing.ts";
import { Failure } from "./failures.ts";
import { targetOf } from "./operating.ts";
import type { OperatingPorts, Target } from "./operating.ts";
import type { FoundPassage } from "./quarantine.ts";
import { newRun, startRun } from "./submitting.ts";

/** What decisions about the quarantine need of the world. */
export interface ReleasingPorts extends OperatingPorts {
  /** The passages of a generation in which the screen has found something. @throws Failure generation_damaged */
  readonly findings: (generation: string) => Promise<readonly FoundPassage[]>;
}

/** What of a library's live generation the screen has found something in, for those who may change the library. */
export async function listFindings(
  ports: ReleasingPorts,
  caller: Caller,
  libraryName: string,
): Promise<Target & { readonly generation: string | null; readonly found: readonly FoundPassage[] }> {
  const target = await targetOf(ports, caller, libraryName);
  const { live } = target.version;
  return { ...target, generation: live?.id ?? null, found: live ? await ports.findings(live.id) : [] };
}

/** Which passages of the live generation are to be served although the screen has found something in them. */
export interface Release {
  readonly libraryName: string;
  readonly passageIds: readonly string[];
  /** They are not to be served any more. */
  readonly withdraw: boolean;
}

/**
 * Releases passages from quarantine, or takes that back: for all versions of the library and all revisions, as long as they say
 * the same. A refresh of the version is started, with which it takes effect.
 */
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
  // A refresh on request would read what was rolled back or held.
  if (version.refusedRevision !== null)
    return { message: `${done} That takes effect with its next refresh: the newest revision was held or rolled back.` };
  const opened = await ports.catalog.runs.open(uid, version.version, newRun(ports, "refresh"), ports.now());
  if (!opened) throw libraryNotFound(id);
  await startRun(ports, opened.run);
  const when = opened.joined
    ? "A run was open: if it does not take effect with that one, refresh the library."
    : "It takes effect with the refresh that was started.";
  return { message: `${done} ${when}`, runId: opened.run.runId };
}
