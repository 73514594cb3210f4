import { isFor } from "./access.ts";
import type { Caller } from "./access.ts";
import type { AnsweringPorts } from "./answering.ts";
import { foldId } from "./library.ts";
import type { LibraryEntry } from "./ports.ts";
import { searchLibraries } from "./searching.ts";
import type { FoundLibraries, Sought } from "./searching.ts";
import type { FoundLibrary } from "./searching-packages.ts";
import type { UpstreamLibrary } from "./upstream.ts";
import { entryOf, isPrivateName, takenOf } from "./upstream-limits.ts";

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
