import { foldId } from "./library.ts";

/** Who may read the libraries of one ID, or of all IDs below it: a library's own ID, or a namespace such as `/acme`. */
export interface AccessRule {
  /** As it was written. */
  readonly library: string;
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

/** What a teamspace has decided about what its callers read. */
export interface AccessRules {
  /** Another one after every change, and for another teamspace of the same ID. */
  readonly revision: string;
  /** What holds for libraries that no rule names. */
  readonly otherwise: "allow" | "deny";
  /** By folded library ID or namespace. */
  readonly rules: ReadonlyMap<string, AccessRule>;
}

/** What one caller sees by the rules of a teamspace. */
export interface Reach {
  readonly access: AccessRules;
  readonly user: string | undefined;
  readonly groups: readonly string[];
}

/** What a list of libraries takes of a reach. */
export interface ReachTable {
  /** Folded IDs and namespaces, the longest first: the first that fits decides. */
  readonly rules: readonly { readonly folded: string; readonly isOpen: boolean }[];
  readonly otherwise: boolean;
}

/** Rules that one teamspace may have: a list of libraries is judged by all of them in one query. */
export const maxAccessRules = 1000;

/** Whether the reach has a library: the rule with the longest ID or namespace decides, and where there is none, the teamspace's default. */
export function isReached({ access, ...caller }: Reach, libraryId: string): boolean {
  const rule = ruleFor(access, libraryId);
  return rule ? isNamed(rule, caller) : access.otherwise === "allow";
}

/** The rule that decides about a library. */
export function ruleFor({ rules }: Pick<AccessRules, "rules">, libraryId: string): AccessRule | undefined {
  if (rules.size === 0) return undefined;
  for (let place = foldId(libraryId); place !== ""; place = place.slice(0, Math.max(0, place.lastIndexOf("/")))) {
    const rule = rules.get(place);
    if (rule) return rule;
  }
  return undefined;
}

/** The same decision as a table; undefined where everything is open. */
export function tableOf({ access, ...caller }: Reach): ReachTable | undefined {
  const rules = [...access.rules]
    .map(([folded, rule]) => ({ folded, isOpen: isNamed(rule, caller) }))
    .sort((left, right) => right.folded.length - left.folded.length);
  const otherwise = access.otherwise === "allow";
  return otherwise && rules.every(({ isOpen }) => isOpen) ? undefined : { rules, otherwise };
}

function isNamed({ users, groups }: AccessRule, caller: Omit<Reach, "access">): boolean {
  if (caller.user !== undefined && users.includes(caller.user)) return true;
  return caller.groups.some((group) => groups.includes(group));
}
