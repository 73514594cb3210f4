import type { AccessRules } from "../domain/access-rules.ts";
import type { AccessStore } from "../domain/ports.ts";

/** The current rules of a teamspace; undefined: there is no such teamspace. */
export type RulesOf = (teamspace: string) => Promise<AccessRules | undefined>;

/** Caches the rules of each teamspace: a request reads only their revision from the catalog. */
export function createRulesOf(access: AccessStore): RulesOf {
  const known = new Map<string, AccessRules>();
  return async (teamspace) => {
    const rules = await access.rules(teamspace, known.get(teamspace));
    if (rules) known.set(teamspace, rules);
    else known.delete(teamspace);
    return rules;
  };
}
