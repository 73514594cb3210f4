import { mayReach, visibleTeamspaces, toReachTable, type Caller } from "./access.ts";
import type { AnsweringPorts } from "./answering.ts";
import { foldId } from "./library.ts";
import type { ContentFilter, ContentMatch, ContentMatches, LibraryEntry, Question } from "./ports.ts";
import { withPackages, type FoundLibrary } from "./linked-packages.ts";
import type { UpstreamLibrary } from "./upstream.ts";
import { entryOf, isPrivateName, idsNotToSend } from "./upstream-privacy.ts";
import { may } from "./authorizing.ts";
import type { TeamspaceAccess } from "./policies.ts";

/** A library of this server, or one of its upstream. */
export type LocalOrUpstreamLibrary = FoundLibrary | { readonly beyond: UpstreamLibrary };

/** A search result with libraries of this server and its upstream. */
export interface CombinedSearchResult extends Pick<FoundLibraries, "filtered" | "revision"> {
  /** The best first. */
  readonly found: readonly LocalOrUpstreamLibrary[];
  /** The upstream did not answer in time. */
  readonly isPartial: boolean;
  /** No name fits: the first libraries are those that say something about the question. */
  readonly matchedBy?: "content";
}

/**
 * Finds libraries by name here and, if the teamspace has enabled it, at the upstream. If no name fits, the libraries of this server that
 * say something about the question come first. `alone`: the upstream is not asked, as for other servers.
 */
export async function searchAnywhere(
  ports: AnsweringPorts,
  caller: Caller,
  sought: Sought,
  alone: boolean,
): Promise<CombinedSearchResult> {
  const named = await searchByName(ports, caller, sought, alone);
  if (named.fits) return named;
  const { name, query, limit } = sought;
  const text = name === query ? query : `${name} ${query}`;
  const { found } = await searchByContent(ports, caller, text, limit);
  if (found.length === 0) return named;
  const entries = found.map(({ entry }) => entry);
  const linked = await withLinks(ports, caller, await ports.policies.of(caller), { name: "", query, limit }, entries);
  return { ...named, found: [...linked, ...named.found].slice(0, limit), matchedBy: "content" };
}

/**
 * Finds libraries by name here and at the upstream, in one order: local ones first at equal rank. Libraries of the upstream whose ID
 * exists here are left out. `fits`: a name does.
 */
async function searchByName(
  ports: AnsweringPorts,
  caller: Caller,
  sought: Sought,
  alone: boolean,
): Promise<CombinedSearchResult & Pick<FoundLibraries, "fits">> {
  const local = await searchLibraries(ports, caller, sought);
  const { filtered, revision, found, fits } = local;
  const onlyLocal = { found, filtered, revision, fits, isPartial: false };
  const { upstream, ranker } = ports;
  if (!upstream || alone) return onlyLocal;
  const access = await ports.policies.of(caller, revision);
  if (!access.upstream) return onlyLocal;
  // First, as deciding whether the name may be sent costs as much as the search.
  if (upstream.isDown()) return { ...onlyLocal, isPartial: true };
  if (await isPrivateName(ports, caller, sought.name)) return onlyLocal;
  const known = found.some(({ entry }) => ranker.isNamed(sought.name, entry));
  const result = await upstream.search(sought, known);
  if (!result) return { ...onlyLocal, isPartial: true };
  const allowed = result.libraries.filter(
    ({ id }) => mayReach(caller, id) && access.upstreamExclusion(id) === undefined,
  );
  const ids = allowed.map(({ id }) => id);
  const taken = await idsNotToSend(ports, caller, ids);
  const remote = allowed.filter(({ id }) => !taken.has(foldId(id)));
  return {
    found: merge(ports, sought, found, remote).slice(0, sought.limit),
    filtered: filtered || result.filtered,
    revision,
    fits:
      fits ||
      ranker.fitsName(
        sought.name,
        remote.map((library) => standIn("", library, 0)),
      ),
    isPartial: false,
  };
}

/** Merges both. Local libraries keep their order; remote ones that do not match the name come last. */
function merge(
  { ranker }: Pick<AnsweringPorts, "ranker">,
  { name, query }: Sought,
  local: readonly FoundLibrary[],
  remote: readonly UpstreamLibrary[],
): readonly LocalOrUpstreamLibrary[] {
  const standIns = new Map(remote.map((library, at) => [`upstream ${at}`, library]));
  const ranked = ranker.rankLibraries(name, query, [
    ...local.map(({ entry }) => entry),
    ...[...standIns].map(([uid, library], at) => standIn(uid, library, remote.length - at)),
  ]);
  const inOrder = local.values();
  const merged = ranked.flatMap(({ uid }): LocalOrUpstreamLibrary[] => {
    const beyond = standIns.get(uid);
    if (beyond) return standIns.delete(uid) ? [{ beyond }] : [];
    const { value } = inOrder.next();
    return value ? [value] : [];
  });
  return [...merged, ...inOrder, ...[...standIns.values()].map((beyond) => ({ beyond }))];
}

/**
 * A library of the upstream as an entry for the ranker, by its names only: the lowest trust keeps it behind local libraries,
 * whatever the upstream says, and `place` keeps the order of the upstream.
 */
function standIn(uid: string, { id, title, versions }: UpstreamLibrary, place: number): LibraryEntry {
  const named = entryOf({ uid, id, teamspace: "", title, description: "" });
  return { ...named, versions, totalSnippets: place / 1000, trust: 0 };
}

/** If a key or a policy allows at most this many libraries, all of them are ranked, without a look-up. */
const maxRanked = 500;

/** Number of entries looked up for a name, and looked up again if a policy leaves too few of them. */
const candidateLimit = 200;
const widerLimit = 1000;
/** Number of libraries looked up for a question by what they say. */
const contentLimit = 30;

interface FoundLibraries {
  /** The best first. */
  readonly found: readonly FoundLibrary[];
  /** Some may be missing because of the caller's key or the policy. */
  readonly filtered: boolean;
  /** Revision of the policy that applied. */
  readonly revision: number;
  /** The name fits one of them; otherwise none is found. */
  readonly fits: boolean;
}

interface Sought {
  readonly name: string;
  readonly query: string;
  readonly limit: number;
}

/**
 * Finds readable libraries by name. The name of a package, with or without a version, puts that package first, followed by the
 * libraries of its repository.
 */
async function searchLibraries(ports: AnsweringPorts, caller: Caller, sought: Sought): Promise<FoundLibraries> {
  const access = await ports.policies.of(caller);
  const visible = await namedFor(ports, caller, access, sought.name, sought);
  const fits = ports.ranker.fitsName(sought.name, visible);
  const ranked = fits ? ports.ranker.rankLibraries(sought.name, sought.query, visible).slice(0, sought.limit) : [];
  const found = await withLinks(ports, caller, access, sought, ranked);
  return {
    found,
    fits: fits || found.length > 0,
    filtered: caller.libraries.length > 0 || caller.reach !== undefined || access.restricts,
    revision: access.revision,
  };
}

/** Found libraries with their links between packages and repositories. */
function withLinks(
  ports: AnsweringPorts,
  caller: Caller,
  access: TeamspaceAccess,
  sought: Sought,
  ranked: readonly LibraryEntry[],
): Promise<readonly FoundLibrary[]> {
  const entries = async (uids: readonly string[]): Promise<readonly LibraryEntry[]> =>
    uids.length === 0 ? [] : readable(ports, caller, access, await ports.libraries.entries(uids));
  return withPackages({ ...ports, entries }, caller, access, sought, ranked);
}

/** Readable entries that may have a name. */
function namedFor(
  ports: AnsweringPorts,
  caller: Caller,
  access: TeamspaceAccess,
  name: string,
  { query, limit }: Pick<Sought, "query" | "limit">,
): Promise<readonly LibraryEntry[]> {
  const { libraries } = ports;
  return entriesFor(ports, caller, access, {
    limit,
    lookedUp: candidateLimit,
    some: (most) => libraries.candidates(visibleTeamspaces(caller), name, query, most),
    of: (uids) => libraries.entries(uids),
  });
}

/** The readable libraries whose name is in a question, in the order of a search for it. */
export async function librariesNamedIn(
  ports: AnsweringPorts,
  caller: Caller,
  query: string,
): Promise<readonly LibraryEntry[]> {
  const access = await ports.policies.of(caller);
  const entries = await namedFor(ports, caller, access, query, { query, limit: 1 });
  return ports.ranker.rankLibraries(query, query, ports.ranker.namedIn(query, entries));
}

/** Libraries that say something about a question, with the statistics that their order is by. */
export interface ContentSearch {
  /** The best first, with scores as shares of the best one. */
  readonly found: readonly { readonly entry: LibraryEntry; readonly score: number }[];
  readonly question: Question;
  readonly statistics: Pick<ContentMatches, "total" | "frequency">;
}

/** Finds readable libraries of this server by what they say. */
export async function searchByContent(
  ports: AnsweringPorts,
  caller: Caller,
  query: string,
  limit: number,
): Promise<ContentSearch> {
  const { ranker, libraries } = ports;
  const access = await ports.policies.of(caller);
  const question = ranker.analyseQuestion(query);
  const matches = new Map<string, ContentMatch>();
  let statistics: ContentSearch["statistics"] = { total: 0, frequency: new Map() };
  const find = async (filter: Omit<ContentFilter, "teamspaces">): Promise<readonly LibraryEntry[]> => {
    const found = await libraries.byContent(question, { ...filter, teamspaces: visibleTeamspaces(caller) });
    statistics = found;
    for (const match of found.libraries) matches.set(match.entry.uid, match);
    return found.libraries.map(({ entry }) => entry);
  };
  const visible = await entriesFor(ports, caller, access, {
    limit,
    lookedUp: contentLimit,
    some: (most) => find({ limit: most }),
    of: (uids) => find({ limit: uids.length, uids }),
  });
  const ranked = ranker.rankByContent(question, {
    ...statistics,
    libraries: visible.flatMap(({ uid }) => matches.get(uid) ?? []),
  });
  return { found: ranked.slice(0, limit), question, statistics };
}

/** How entries are looked up. */
interface LookUp {
  /** Number of wanted libraries, and of those that are looked up for them. */
  readonly limit: number;
  readonly lookedUp: number;
  /** The entries that match best. */
  some(most: number): Promise<readonly LibraryEntry[]>;
  /** The entries of given libraries. */
  of(uids: readonly string[]): Promise<readonly LibraryEntry[]>;
}

/** Readable entries that may match. */
async function entriesFor(
  ports: AnsweringPorts,
  caller: Caller,
  access: TeamspaceAccess,
  { limit, lookedUp: usually, some, of }: LookUp,
): Promise<readonly LibraryEntry[]> {
  const { catalog } = ports;
  const teamspaces = visibleTeamspaces(caller);
  const reach = caller.reach && toReachTable(caller.reach);
  const limits = { teamspaces, patterns: caller.libraries, ...(reach && { reach }) };
  // All libraries that a caller is limited to are ranked: hidden ones must not take places, nor show by their absence.
  if (caller.libraries.length > 0 || reach?.otherwise === false) {
    const { items, next } = await catalog.libraries.list({ ...limits, limit: maxRanked });
    if (next === null) return readable(ports, caller, access, await of(items.map(({ library }) => library.uid)));
  }
  // If access rules hide some, more are looked up for the same reason.
  const lookedUp = reach ? widerLimit : usually;
  const candidates = await some(lookedUp);
  const matches = await readable(ports, caller, access, candidates);
  if (!access.restricts || matches.length >= limit || candidates.length < lookedUp) return matches;
  // All libraries that a strict policy allows are ranked too, as they may not be among the best of all.
  const facets = await catalog.libraries.facets(limits);
  const allowed = facets.filter((one) => one.redirect === null && access.exclusion(one, one.servedAt) === undefined);
  const wider = await (allowed.length <= maxRanked ? of(allowed.map(({ uid }) => uid)) : some(widerLimit));
  return readable(ports, caller, access, wider);
}

/** The entries with something live that the caller may read, without those hidden by a private library with the same ID. */
async function readable(
  { catalog }: AnsweringPorts,
  caller: Caller,
  access: TeamspaceAccess,
  entries: readonly LibraryEntry[],
): Promise<readonly LibraryEntry[]> {
  const ahead = entries.filter(({ isAhead }) => isAhead);
  const versions = await Promise.all(ahead.map(({ uid }) => catalog.libraries.versionsOf(uid)));
  const unread = new Set(ahead.filter((_, at) => versions[at]?.every(({ live }) => live === null)));
  const live = entries.filter((entry) => !unread.has(entry));
  const privateIds = new Set(live.filter(({ key }) => key.teamspace !== "").map(({ key }) => key.id));
  const visible = live.filter(
    ({ id, key }) => (key.teamspace !== "" || !privateIds.has(key.id)) && may(caller, "library.read", { ...key, id }),
  );
  if (!access.restricts) return visible;
  const facets = await catalog.libraries.facets({ uids: visible.map(({ uid }) => uid) });
  const allowed = new Set(
    facets.filter((one) => access.exclusion(one, one.servedAt) === undefined).map(({ uid }) => uid),
  );
  return visible.filter(({ uid }) => allowed.has(uid));
}
