import { isFor, visibleTeamspaces, tableOf } from "./access.ts";
import type { Caller } from "./access.ts";
import type { AnsweringPorts } from "./answering.ts";
import { foldId } from "./library.ts";
import type { LibraryEntry } from "./ports.ts";
import { withPackages } from "./linked-packages.ts";
import type { FoundLibrary } from "./linked-packages.ts";
import type { UpstreamLibrary } from "./upstream.ts";
import { entryOf, isPrivateName, takenOf } from "./upstream-privacy.ts";
import { may } from "./authorizing.ts";
import type { TeamspaceAccess } from "./policies.ts";

/** A library of this server, or one of its upstream. */
export type FoundHereOrBeyond = FoundLibrary | { readonly beyond: UpstreamLibrary };

/** Libraries by name, local ones and those of the upstream. */
export interface FoundAnywhere extends Pick<FoundLibraries, "filtered" | "revision"> {
  /** The best first. */
  readonly found: readonly FoundHereOrBeyond[];
  /** The upstream did not answer in time. */
  readonly isPartial: boolean;
}

/**
 * Finds libraries by name here and, where the teamspace has enabled it, at the upstream, in one order: local ones first at equal
 * rank. An ID that exists here is local only. `alone`: the upstream is not asked, as for a request of another server.
 */
export async function searchAnywhere(
  ports: AnsweringPorts,
  caller: Caller,
  sought: Sought,
  alone: boolean,
): Promise<FoundAnywhere> {
  const local = await searchLibraries(ports, caller, sought);
  const { filtered, revision, found } = local;
  const onlyLocal = { found, filtered, revision, isPartial: false };
  const { upstream, ranker } = ports;
  if (!upstream || alone) return onlyLocal;
  const access = await ports.policies.of(caller, revision);
  if (!access.upstream) return onlyLocal;
  // Checked first, as deciding whether the name may be sent costs as much as the search.
  if (upstream.isDown()) return { ...onlyLocal, isPartial: true };
  if (await isPrivateName(ports, caller, sought.name)) return onlyLocal;
  const known = found.some(({ entry }) => ranker.isNamed(sought.name, entry));
  const told = await upstream.search(sought, known);
  if (!told) return { ...onlyLocal, isPartial: true };
  const allowed = told.libraries.filter(({ id }) => isFor(caller, id) && access.upstreamExclusion(id) === undefined);
  const taken = await takenOf(
    ports,
    caller,
    allowed.map(({ id }) => id),
  );
  const there = allowed.filter(({ id }) => !taken.has(foldId(id)));
  return {
    found: merge(ports, sought, found, there).slice(0, sought.limit),
    filtered: filtered || told.filtered,
    revision,
    isPartial: false,
  };
}

/** Merges both. Local libraries keep their order; libraries of the upstream that do not match the name come last. */
function merge(
  { ranker }: Pick<AnsweringPorts, "ranker">,
  { name, query }: Sought,
  local: readonly FoundLibrary[],
  there: readonly UpstreamLibrary[],
): readonly FoundHereOrBeyond[] {
  const standIns = new Map(there.map((library, at) => [`upstream ${at}`, library]));
  const ranked = ranker.rankLibraries(name, query, [
    ...local.map(({ entry }) => entry),
    ...[...standIns].map(([uid, library], at) => standIn(uid, library, there.length - at)),
  ]);
  const inOrder = local.values();
  const merged = ranked.flatMap(({ uid }): FoundHereOrBeyond[] => {
    const beyond = standIns.get(uid);
    if (beyond) return standIns.delete(uid) ? [{ beyond }] : [];
    const { value: one } = inOrder.next();
    return one ? [one] : [];
  });
  return [...merged, ...inOrder, ...[...standIns.values()].map((beyond) => ({ beyond }))];
}

/**
 * A library of the upstream as an entry for the ranker: its names alone, and less trust than any local one, so that nothing that
 * the upstream says puts a library before a local one. Its own order decides between two of its libraries.
 */
function standIn(uid: string, { id, title, versions }: UpstreamLibrary, place: number): LibraryEntry {
  const named = entryOf({ uid, id, teamspace: "", title, description: "" });
  return { ...named, versions, totalSnippets: place / 1000, trust: 0 };
}

/** Maximum number of libraries that are all ranked, without a look-up, where a key or a policy is limited to them. */
const maxRanked = 500;

/** Number of entries that are looked up for a name, and again where a policy leaves too few of them. */
const candidateLimit = 200;
const widerLimit = 1000;

/** Libraries by name. */
interface FoundLibraries {
  /** The best first. */
  readonly found: readonly FoundLibrary[];
  /** Some may be missing because of the caller's key or the policy. */
  readonly filtered: boolean;
  /** Revision of the policy that applied. */
  readonly revision: number;
}

/** A search. */
interface Sought {
  readonly name: string;
  readonly query: string;
  readonly limit: number;
}

/**
 * Finds libraries by name among those that the caller may read. The name of a package, with or without a version, brings that
 * package first, followed by the libraries of its repository.
 */
async function searchLibraries(ports: AnsweringPorts, caller: Caller, sought: Sought): Promise<FoundLibraries> {
  const access = await ports.policies.of(caller);
  const visible = await entriesFor(ports, caller, access, sought);
  const ranked = ports.ranker.rankLibraries(sought.name, sought.query, visible).slice(0, sought.limit);
  const entries = (uids: readonly string[]): Promise<readonly LibraryEntry[]> => entriesOf(ports, caller, access, uids);
  return {
    found: await withPackages({ ...ports, entries }, caller, access, sought, ranked),
    filtered: caller.libraries.length > 0 || caller.reach !== undefined || access.restricts,
    revision: access.revision,
  };
}

/** The entries of some libraries that the caller may read. */
async function entriesOf(
  ports: AnsweringPorts,
  caller: Caller,
  access: TeamspaceAccess,
  uids: readonly string[],
): Promise<readonly LibraryEntry[]> {
  return uids.length === 0 ? [] : readable(ports, caller, access, await ports.libraries.entries(uids));
}

/** Entries that may be meant. */
async function entriesFor(
  ports: AnsweringPorts,
  caller: Caller,
  access: TeamspaceAccess,
  { name, query, limit }: Sought,
): Promise<readonly LibraryEntry[]> {
  const { catalog, libraries } = ports;
  const teamspaces = visibleTeamspaces(caller);
  const reach = caller.reach && tableOf(caller.reach);
  const limits = { teamspaces, patterns: caller.libraries, ...(reach && { reach }) };
  // All libraries that a caller is limited to are ranked, so that hidden ones neither take their place nor show by their absence.
  if (caller.libraries.length > 0 || reach?.otherwise === false) {
    const { items, next } = await catalog.libraries.list({ ...limits, limit: maxRanked });
    if (next === null)
      return readable(ports, caller, access, await libraries.entries(items.map(({ library }) => library.uid)));
  }
  // Where access rules hide some, more are looked up for the same reason.
  const looked = reach ? widerLimit : candidateLimit;
  const found = await libraries.candidates(teamspaces, name, query, looked);
  const left = await readable(ports, caller, access, found);
  if (!access.restricts || left.length >= limit || found.length < looked) return left;
  // All libraries that a strict policy allows are ranked too: they may not be among the best of all.
  const facets = await catalog.libraries.facets(limits);
  const allowed = facets.filter((one) => one.redirect === null && access.exclusion(one, one.servedAt) === undefined);
  const wider =
    allowed.length <= maxRanked
      ? await libraries.entries(allowed.map(({ uid }) => uid))
      : await libraries.candidates(teamspaces, name, query, widerLimit);
  return readable(ports, caller, access, wider);
}

/** The entries that can be read, and by the caller: not hidden by a private library with the same ID, nor excluded by key or policy. */
async function readable(
  { catalog }: AnsweringPorts,
  caller: Caller,
  access: TeamspaceAccess,
  entries: readonly LibraryEntry[],
): Promise<readonly LibraryEntry[]> {
  const ahead = entries.filter(({ isAhead }) => isAhead);
  const versions = await Promise.all(ahead.map(({ uid }) => catalog.libraries.versionsOf(uid)));
  const unread = new Set(ahead.filter((_, at) => versions[at]?.every(({ live }) => live === null)));
  const found = entries.filter((entry) => !unread.has(entry));
  const own = new Set(found.filter(({ key }) => key.teamspace !== "").map(({ key }) => key.id));
  const visible = found.filter(
    ({ id, key }) => (key.teamspace !== "" || !own.has(key.id)) && may(caller, "library.read", { ...key, id }),
  );
  if (!access.restricts) return visible;
  const facets = await catalog.libraries.facets({ uids: visible.map(({ uid }) => uid) });
  const allowed = new Set(
    facets.filter((one) => access.exclusion(one, one.servedAt) === undefined).map(({ uid }) => uid),
  );
  return visible.filter(({ uid }) => allowed.has(uid));
}
