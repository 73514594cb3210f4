import { defaultTeamspace, type Caller } from "./access.ts";
import { Failure } from "./failures.ts";
import { foldId } from "./library.ts";
import {
  compilePolicy,
  factsOf,
  sourceFacts,
  upstreamFacts,
  foldEntry,
  readEntry,
  type JudgedLibrary,
} from "./policy.ts";
import type { AccessRecord, LibraryFacet, TeamspaceStore } from "./ports.ts";
import type { SourceType } from "./kinds/index.ts";
import { foldLicence } from "./source.ts";
import { openPolicy, type PolicySettings } from "./policy-settings.ts";

/** Policy and rules of a teamspace at one revision, compiled. */
export interface TeamspaceAccess {
  /** Rises with every change of policy or rules. */
  readonly revision: number;
  /** Whether it can exclude a library. */
  readonly restricts: boolean;
  /** Rules that go with every answer. */
  readonly globalRules: readonly string[];
  /** Rules that go with the answers of one library. */
  rulesOf(libraryId: string): readonly string[];
  /** Why a library is excluded, as the end of a sentence; undefined: it is not. `servedAt`: time of its live generation; null: none. */
  exclusion(library: JudgedLibrary, servedAt: number | null): string | undefined;
  /** @throws Failure access_denied if the library is excluded */
  require(library: JudgedLibrary, servedAt: number | null): void;
  /** Whether the upstream is asked for its callers. */
  readonly upstream: boolean;
  /** As `exclusion`, for a library of the upstream, of which only the ID is known. */
  upstreamExclusion(id: string): string | undefined;
  /** @throws Failure access_denied if a library of the upstream is excluded */
  requireUpstream(id: string): void;
  /** @throws Failure access_denied if the source may not be submitted or read again */
  requireSource(library: Pick<JudgedLibrary, "id" | "teamspace" | "source">): void;
}

/** The policies of all teamspaces. */
export interface Policies {
  /** The access of the caller's teamspace. `revision` is the current one, if it was read with the library. */
  of(caller: Caller, revision?: number): Promise<TeamspaceAccess>;
}

/** Maximum number of compiled policies in memory. */
const maxCached = 100;

/** The teamspace whose policy applies to a caller: that of `default` for a caller without a key. */
export function judgingTeamspace({ teamspace }: Pick<Caller, "teamspace">): string {
  return teamspace ?? defaultTeamspace;
}

/** Caches compiled policies while their revision is the current one. */
export function createPolicies(
  { access, revision: present }: Pick<TeamspaceStore, "access" | "revision">,
  now: () => number,
): Policies {
  const cache = new Map<string, TeamspaceAccess>();
  return {
    async of(caller, revision) {
      const teamspace = judgingTeamspace(caller);
      const cached = cache.get(teamspace);
      if (cached && cached.revision === (revision ?? (await present(teamspace)))) return cached;
      const read = prepare(teamspace, await access(teamspace), now);
      cache.set(teamspace, read);
      for (const oldest of cache.keys()) if (cache.size > maxCached) cache.delete(oldest);
      return read;
    },
  };
}

/** Number of readable libraries that a policy allows. `now` in milliseconds since 1970. */
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

/** A change of a list: entries to add and to remove, or `clear` alone. */
interface ListChange {
  readonly add?: readonly string[] | undefined;
  readonly remove?: readonly string[] | undefined;
  readonly clear?: boolean | undefined;
}

/** A change of a policy, as in the request. Absent: unchanged; null: reset. */
interface PolicyChange {
  readonly upstream?: { readonly enabled: boolean } | undefined;
  readonly sourceTypes?: TypesChange | undefined;
  readonly libraryFilters?:
    | {
        readonly mode?: PolicySettings["mode"] | undefined;
        readonly quality?: QualityChange | undefined;
        readonly select?: { readonly allowedLibraries?: ListChange | undefined } | undefined;
      }
    | undefined;
}

interface TypesChange {
  readonly enable?: readonly SourceType[] | undefined;
  readonly disable?: readonly SourceType[] | undefined;
}

interface QualityChange extends Changed<
  Pick<PolicySettings["quality"], "requireVerified" | "minTrustScore" | "maxAgeDays">
> {
  readonly blockedLibraries?: ListChange | undefined;
  readonly exceptedLibraries?: ListChange | undefined;
  readonly repoFilters?:
    | { readonly minStars?: number | null | undefined; readonly allowedLicenses?: ListChange | undefined }
    | undefined;
  readonly websiteFilters?: Changed<PolicySettings["quality"]["websiteFilters"]> | undefined;
}

type Changed<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** Maximum number of entries of a list. */
export const maxEntries = 20_000;

/** The policy after a change. @throws Failure validation_error for a type in both lists, a wrong entry, or a list that grows too long */
export function changePolicy(before: PolicySettings, change: PolicyChange): PolicySettings {
  const { mode, quality = {}, select } = change.libraryFilters ?? {};
  const { blockedLibraries, exceptedLibraries, repoFilters, websiteFilters, ...simple } = quality;
  const was = before.quality;
  const { allowedLicenses } = was.repoFilters;
  return {
    disabledTypes: changeTypes(before.disabledTypes, change.sourceTypes),
    mode: mode === undefined ? before.mode : mode,
    quality: {
      ...changed(was, simple),
      blockedLibraries: changeList("blockedLibraries", was.blockedLibraries, blockedLibraries),
      exceptedLibraries: changeList("exceptedLibraries", was.exceptedLibraries, exceptedLibraries),
      repoFilters: {
        ...changed(was.repoFilters, { minStars: repoFilters?.minStars }),
        allowedLicenses: changeList("allowedLicenses", allowedLicenses, repoFilters?.allowedLicenses, licences),
      },
      websiteFilters: changed(was.websiteFilters, websiteFilters),
    },
    select: {
      allowedLibraries: changeList("allowedLibraries", before.select.allowedLibraries, select?.allowedLibraries),
    },
    upstream: change.upstream?.enabled ?? before.upstream,
  };
}

/** Fields after a change. Undefined: unchanged. */
function changed<T extends object>(before: T, change: Changed<Partial<T>> = {}): T {
  return { ...before, ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) };
}

/** A stored policy, with defaults for members that an earlier version did not have. */
export function wholePolicy(stored: Partial<PolicySettings> | null): PolicySettings {
  if (stored === null) return openPolicy;
  const { quality, select } = stored;
  return {
    ...openPolicy,
    ...stored,
    quality: {
      ...openPolicy.quality,
      ...quality,
      repoFilters: { ...openPolicy.quality.repoFilters, ...quality?.repoFilters },
      websiteFilters: { ...openPolicy.quality.websiteFilters, ...quality?.websiteFilters },
    },
    select: { ...openPolicy.select, ...select },
  };
}

function changeTypes(
  disabled: readonly SourceType[],
  { enable = [], disable = [] }: TypesChange = {},
): readonly SourceType[] {
  const both = enable.find((type) => disable.includes(type));
  if (both !== undefined)
    throw new Failure("validation_error", `sourceTypes has ${both} in enable and in disable. Name it in one of them.`);
  return [...new Set([...disabled, ...disable])].filter((type) => !enable.includes(type)).toSorted();
}

/** How entries of a list are parsed and compared. */
interface Entries {
  /** The entry as stored; undefined: invalid. */
  read(text: string): string | undefined;
  fold(entry: string): string;
  readonly shape: string;
}

const libraries: Entries = {
  read: readEntry,
  fold: foldEntry,
  shape: "/org/repo, /org, or a domain such as example.com",
};
const licences: Entries = {
  read: (text) => (/^[A-Za-z0-9.+_-]{1,64}$/.test(text) ? text : undefined),
  fold: foldLicence,
  shape: "an SPDX identifier such as MIT or Apache-2.0",
};

function changeList(
  name: string,
  before: readonly string[],
  { add = [], remove = [], clear = false }: ListChange = {},
  entries: Entries = libraries,
): readonly string[] {
  if (clear && add.length + remove.length > 0)
    throw new Failure("validation_error", `${name} has clear together with add or remove. Send clear alone.`);
  if (clear) return [];
  const after = new Map(before.map((entry) => [entries.fold(entry), entry]));
  const read = (text: string): string => {
    const entry = entries.read(text);
    if (entry === undefined)
      throw new Failure(
        "validation_error",
        `${name} has an entry that is not ${entries.shape}: "${text.slice(0, 80)}".`,
      );
    return entry;
  };
  const added = new Map(add.map((text) => [entries.fold(read(text)), read(text)]));
  for (const text of remove) {
    const key = entries.fold(read(text));
    if (added.has(key)) throw new Failure("validation_error", `${name} has ${text} in add and in remove.`);
    after.delete(key);
  }
  for (const [key, entry] of added) if (!after.has(key)) after.set(key, entry);
  if (after.size > maxEntries)
    throw new Failure("validation_error", `${name} would have ${after.size} entries; the maximum is ${maxEntries}.`);
  return [...after.values()];
}
