import type { Caller } from "./access.ts";
import { may } from "./authorizing.ts";
import { Failure } from "./failures.ts";
import { kindOf } from "./kinds/index.ts";
import type { SourceSpec } from "./kinds/index.ts";
import { seesDisk } from "./shown-source.ts";
import type { ExistingLibrary } from "./ports.ts";

/** Time after which any submitter may take the ID of a failed public library, in milliseconds. */
const keptFor = 24 * 60 * 60_000;

/**
 * Decides about a submission whose ID exists. `replace`: the existing library is removed. `restart`: it failed and has the same
 * source, so it is indexed again as it is. `refuse`: the ID is in use.
 *
 * Readers trust an ID, so it is not taken from its submitter at once, nor is what was submitted changed. A redirect has not
 * failed, and its ID does not become free.
 */
export function claimOf(
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

/** The failure of a submission of a source whose ID is in use, with what the caller may know of the library that has it. */
export function idInUse(caller: Caller, source: SourceSpec, { exists, idle }: ExistingLibrary): Failure {
  const { id, teamspace, redirect, upload } = exists;
  const seesRedirect = redirect !== null && may(caller, "library.read", { id: redirect, teamspace });
  const moved = seesRedirect ? ` and moved to ${redirect}` : "";
  const failed = redirect === null && idle !== undefined && idle.since !== null;
  const free = failed
    ? ` It has failed: its submitter and administrators may submit another source under this ID now, others from ${new Date(idle.since + keptFor).toISOString()} on.`
    : "";
  const again = upload === null ? "Refresh it" : "Replace it with force=true";
  const message = `${id} was already added, from ${seesDisk(caller, exists) ? kindOf(exists.source).location(exists.source) : "a folder of the server"}${moved}.${free} ${again}, or choose another ID with libraryName.`;
  return new Failure(kindOf(source).duplicate ?? "duplicate_library", message);
}

/** Whether two specs name the same place; options may differ. */
function isSameSource(one: SourceSpec, other: SourceSpec): boolean {
  return one.kind === other.kind && kindOf(one).location(one) === kindOf(other).location(other);
}
