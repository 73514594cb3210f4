import { defaultTeamspace } from "./access.ts";
import type { Caller } from "./access.ts";
import { wholePolicy } from "./changing-policy.ts";
import { Failure } from "./failures.ts";
import { foldId } from "./library.ts";
import { compilePolicy } from "./policy.ts";
import { factsOf, sourceFacts, upstreamFacts } from "./policy-facts.ts";
import type { JudgedLibrary } from "./policy-facts.ts";
import type { AccessRecord, LibraryFacet, TeamspaceStore } from "./ports.ts";

/** Policy and rules of a teamspace at one revision, compiled. */
export interface TeamspaceAccess {
  /** Rises with every change of policy or rules. */
  readonly revision: number;
  /** True if it can exclude a library. */
  readonly restricts: boolean;
  /** Rules that go with every answer. */
  readonly globalRules: readonly string[];
  /** Rules that go with the answers of one library. */
  rulesOf(libraryId: string): readonly string[];
  /** Why a library is excluded, as the end of a sentence; undefined: it is not. `servedAt`: when its live generation was made; null: it has none. */
  exclusion(library: JudgedLibrary, servedAt: number | null): string | undefined;
  /** @throws Failure access_denied if the library is excluded */
  require(library: JudgedLibrary, servedAt: number | null): void;
  /** Whether the upstream is asked for its callers. */
  readonly upstream: boolean;
  /** The same for a library of the upstream, of which only the ID is known. */
  upstreamExclusion(id: string): string | undefined;
  /** @throws Failure access_denied if a library of the upstream is excluded */
  requireUpstream(id: string): void;
  /** @throws Failure access_denied if the source must not be submitted or read again */
  requireSource(library: Pick<JudgedLibrary, "id" | "teamspace" | "source">): void;
}

/** The policies of all teamspaces. */
export interface Policies {
  /** The access of the teamspace that applies to a caller. `revision` is the current one, where it was read with the library. */
  of(caller: Caller, revision?: number): Promise<TeamspaceAccess>;
}

/** Maximum number of compiled policies in memory. */
const remembered = 100;

/** The teamspace whose policy applies to a caller: that of `default` for a caller without a key. */
export function judgingTeamspace({ teamspace }: Pick<Caller, "teamspace">): string {
  return teamspace ?? defaultTeamspace;
}

/** Caches compiled policies as long as their revision is the current one. */
export function createPolicies(
  { access, revision: present }: Pick<TeamspaceStore, "access" | "revision">,
  now: () => number,
): Policies {
  const known = new Map<string, TeamspaceAccess>();
  return {
    async of(caller, revision) {
      const teamspace = judgingTeamspace(caller);
      const kept = known.get(teamspace);
      if (kept && kept.revision === (revision ?? (await present(teamspace)))) return kept;
      const read = prepare(teamspace, await access(teamspace), now);
      known.set(teamspace, read);
      for (const oldest of known.keys()) if (known.size > remembered) known.delete(oldest);
      return read;
    },
  };
}

/** Number of the libraries with a live generation that a policy allows. `now` in milliseconds since 1970. */
export function countAccessible(
  { policy }: Pick<AccessRecord, "policy">,
  libraries: readonly LibraryFacet[],
  now: number,
): number {
  const { judge } = compilePolicy(wholePolicy(policy));
  const allowed = libraries.filter(
    (one) => one.redirect === null && one.servedAt !== null && judge(factsOf(one, one.servedAt), now) === undefined,
  );
  return allowed.length;
}

function prepare(teamspace: string, { revision, policy, rules }: AccessRecord, now: () => number): TeamspaceAccess {
  const whole = wholePolicy(policy);
  const { restricts, judge, judgeSource } = compilePolicy(whole);
  const byLibrary = new Map(Object.entries(rules?.libraries ?? {}).map(([id, listed]) => [foldId(id), listed]));
  const refuse = (id: string, reason: string | undefined): void => {
    if (reason === undefined) return;
    const message = `The policy of the teamspace "${teamspace}" excludes ${id}: ${reason}. Ask an administrator of the teamspace to allow it.`;
    throw new Failure("access_denied", message);
  };
  const exclusion: TeamspaceAccess["exclusion"] = (library, servedAt) =>
    restricts ? judge(factsOf(library, servedAt), now()) : undefined;
  const upstreamExclusion = (id: string): string | undefined =>
    restricts ? judge(upstreamFacts(id), now()) : undefined;
  return {
    revision,
    restricts,
    globalRules: rules?.global ?? [],
    rulesOf: (id) => byLibrary.get(foldId(id)) ?? [],
    exclusion,
    upstream: whole.upstream,
    upstreamExclusion,
    requireUpstream: (id) => refuse(id, upstreamExclusion(id)),
    require: (library, servedAt) => refuse(library.id, exclusion(library, servedAt)),
    requireSource: (library) => refuse(library.id, restricts ? judgeSource(sourceFacts(library)) : undefined),
  };
}
