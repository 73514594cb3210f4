import type { AccessRules } from "../domain/access-rules.ts";
import type { AccessStore } from "../domain/ports.ts";

/** The rules of a teamspace as they are now; undefined where there is no such teamspace. */
export type RulesOf = (teamspace: string) => Promise<AccessRules | undefined>;

/** Keeps the rules of each teamspace until they change: a request asks the catalog only which revision is theirs. */
export function createRulesOf(access: AccessStore): RulesOf {
  const known = new Map<string, AccessRules>();
  return async (teamspace) => {
    const rules = await access.rules(teamspace, known.get(teamspace));
    if (rules) known.set(teamspace, rules);
    else known.delete(teamspace);
    return rules;
  };
}
