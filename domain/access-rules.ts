import { foldId } from "./library.ts";

/** Who may read a library, or all libraries of a namespace such as `/acme`. */
export interface AccessRule {
  /** Library ID or namespace, as written. */
  readonly library: string;
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

/** The access rules of a teamspace. */
export interface AccessRules {
  /** Changes with every change of the rules, and differs for a later teamspace of the same ID. */
  readonly revision: string;
  /** Applies to libraries that no rule covers. */
  readonly otherwise: "allow" | "deny";
  /** By folded library ID or namespace. */
  readonly rules: ReadonlyMap<string, AccessRule>;
}

/** A caller as the access rules see it. */
export interface Reach {
  readonly access: AccessRules;
  readonly user: string | undefined;
  readonly groups: readonly string[];
}

/** A reach in the form by which the catalog filters lists. */
export interface ReachTable {
  /** Folded IDs and namespaces, longest first: the first match decides. */
  readonly rules: readonly { readonly folded: string; readonly isOpen: boolean }[];
  readonly otherwise: boolean;
}

/** Maximum number of rules of a teamspace: one query filters a list by all of them. */
export const maxAccessRules = 1000;

/** Whether the caller may read a library: the rule with the longest matching ID or namespace decides, else the default of the teamspace. */
export function isReached({ access, ...caller }: Reach, libraryId: string): boolean {
  const rule = ruleFor(access, libraryId);
  return rule ? isNamed(rule, caller) : access.otherwise === "allow";
}

/** The rule that decides about a library; undefined: the default does. */
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
