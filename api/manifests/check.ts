import { authorize } from "../../domain/authorizing.ts";
import type { Call } from "../route.ts";
import { ownTeamspace } from "../routes/teamspaces.ts";
import type { CheckedManifest } from "./apply.ts";
import { checkEntries, isEntryField } from "./entries.ts";
import { checkGovernance } from "./governance.ts";
import { fromOnPremise, isOnPremise } from "./on-premise.ts";
import { manifestFailure, parseManifestText, type Problem } from "./text.ts";

/** How a manifest is applied. */
export type ManifestOptions = Pick<CheckedManifest, "prune" | "overwrite" | "confirmed" | "dryRun" | "revision">;

/** Members of a manifest. */
const known = ["name", "teamspace", "defaults", "libraries", "policy", "access"];

/** The name of a manifest that gives none. */
export const defaultName = "libraries";

/**
 * Reads and checks a whole manifest; nothing is changed.
 * @throws Failure validation_error that names every problem with its line, and what `authorize` throws
 */
export async function checkManifest(call: Call, text: string, options: ManifestOptions): Promise<CheckedManifest> {
  const written = parseManifestText(text);
  const { members, lineOf } = written;
  const problems: Problem[] = [];
  const problem = (field: string, message: string): void => void problems.push({ line: lineOf(field), field, message });
  const onPremise = isOnPremise(written);
  const translated = onPremise ? fromOnPremise(written) : { entries: written.entries, problems: [] };
  problems.push(...translated.problems);
  const { name = defaultName, teamspace = ownTeamspace(call.caller), defaults = {} } = members;
  if (!onPremise)
    for (const one of Object.keys(members).filter((member) => !known.includes(member)))
      problem(one, `is not a member of a manifest, which has ${known.join(", ")}.`);
  if (typeof name !== "string" || !/^[\w.-]{1,100}$/.test(name))
    problem("name", "must have 1 to 100 letters, digits, dots, hyphens and underscores.");
  if (typeof teamspace !== "string") problem("teamspace", "must be the ID of a teamspace.");
  const shared = onPremise ? {} : defaults;
  if (typeof shared !== "object" || shared === null || Array.isArray(shared)) problem("defaults", "must be an object.");
  else
    for (const one of Object.keys(shared).filter((field) => !isEntryField(field)))
      problem("defaults", `has ${one}, which is not a field of any source, or has to be in each entry.`);
  if (problems.length > 0) throw manifestFailure(problems);
  const owner = String(teamspace);
  authorize(call.caller, "manifests", { teamspace: owner });
  const governance = await checkGovernance(call, owner, written);
  const entries = await checkEntries(translated.entries, {
    call,
    defaults: shared as Readonly<Record<string, unknown>>,
    teamspace: members["teamspace"] === undefined ? null : owner,
  });
  return { ...options, name: String(name), teamspace: owner, entries, governance };
}
