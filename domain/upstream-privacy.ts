import { mayReach, type Caller } from "./access.ts";
import type { AnsweringPorts } from "./answering.ts";
import { foldId, hasReservedOwner, parseLibraryId } from "./library.ts";
import type { TeamspaceAccess } from "./policies.ts";
import type { LibraryEntry } from "./ports.ts";
import type { LibraryRecord } from "./catalog.ts";

/** Maximum number of words of a name that are looked up in private libraries, their minimum length, and maximum matches of each. */
const maxWords = 4;
const minWord = 3;
const maxCompared = 200;

/** A library that may be requested from the upstream. */
export interface UpstreamTarget {
  readonly id: string;
  readonly version: string;
  readonly access: TeamspaceAccess;
}

/**
 * The library of an ID, if it may be requested from the upstream. Undefined: the teamspace has not enabled the upstream, key or
 * access rules exclude the library, or a local library has the ID, visible or not.
 * @throws Failure invalid_library_id, access_denied if the policy excludes it
 */
export async function upstreamTarget(
  ports: AnsweringPorts,
  caller: Caller,
  libraryId: string,
): Promise<UpstreamTarget | undefined> {
  if (!ports.upstream) return undefined;
  const { id, version } = parseLibraryId(libraryId);
  const access = await ports.policies.of(caller);
  if (!access.upstream || !mayReach(caller, id)) return undefined;
  if ((await idsNotToSend(ports, caller, [id])).has(foldId(id))) return undefined;
  access.requireUpstream(id);
  return { id, version, access };
}

/**
 * The folded IDs among some that must not be sent to the upstream: those of local libraries, whatever their state and visibility,
 * and of owners with private libraries, so that no misspelt name of these leaks.
 */
export async function idsNotToSend(
  ports: Pick<AnsweringPorts, "catalog">,
  caller: Caller,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { libraries } = ports.catalog;
  const teamspaces = await privateTeamspaces(ports, caller);
  const owners = [...new Set(ids.filter((id) => !hasReservedOwner(id)).map(ownerOf))];
  const [local, neighbours] = await Promise.all([
    ids.length === 0 ? [] : libraries.facets({ teamspaces: [...teamspaces, ""], patterns: ids }),
    owners.length === 0 || teamspaces.length === 0
      ? []
      : libraries.facets({ teamspaces, patterns: owners.map((owner) => `${owner}/*`) }),
  ]);
  const taken = new Set(local.map(({ id }) => foldId(id)));
  const ownersTaken = new Set(neighbours.map(({ id }) => ownerOf(id)));
  return new Set(ids.map(foldId).filter((id) => taken.has(id) || ownersTaken.has(ownerOf(id))));
}

/** Whether a name must not be sent: it resembles that of a private library, or has the same owner. */
export async function isPrivateName(ports: AnsweringPorts, caller: Caller, name: string): Promise<boolean> {
  const { catalog, libraries, ranker } = ports;
  const teamspaces = await privateTeamspaces(ports, caller);
  if (teamspaces.length === 0) return false;
  const { total } = await catalog.libraries.list({ teamspaces, limit: 1 });
  if (total === 0) return false;
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= minWord);
  const listed = await Promise.all(
    words.slice(0, maxWords).map((contains) => catalog.libraries.list({ teamspaces, contains, limit: maxCompared })),
  );
  // Too many to compare: one of them could match.
  if (listed.some(({ next }) => next !== null)) return true;
  // The index finds misspelt names, but only of libraries with a live generation.
  const candidates = await libraries.candidates(teamspaces, name, "", maxCompared);
  const entries = [...candidates, ...listed.flatMap(({ items }) => items.map(({ library }) => entryOf(library)))];
  if (entries.some((entry) => ranker.isNamed(name, entry))) return true;
  const [, owner] = /^\/?([^/@\s]+)\/[^/\s]/.exec(name.trim()) ?? [];
  return owner !== undefined && (await idsNotToSend(ports, caller, [`/${owner}/*`])).size > 0;
}

/** The teamspaces whose private libraries must not leak: all of them, for a caller without a key. */
async function privateTeamspaces(
  { catalog }: Pick<AnsweringPorts, "catalog">,
  { teamspace }: Caller,
): Promise<readonly string[]> {
  if (teamspace !== null) return [teamspace];
  return (await catalog.teamspaces.list()).map(({ id }) => id);
}

/** The folded owner of an ID: `/owner`. */
function ownerOf(id: string): string {
  return foldId(id).split("/").slice(0, 2).join("/");
}

/** A library as an entry for the ranker, by its names alone. */
export function entryOf({
  uid,
  id,
  teamspace,
  title,
  description,
}: Pick<LibraryRecord, "uid" | "id" | "teamspace" | "title" | "description">): LibraryEntry {
  return {
    uid,
    key: { teamspace, id: foldId(id) },
    id,
    title,
    description,
    aliases: [],
    source: "",
    branch: "",
    versions: [],
    totalSnippets: 0,
    totalTokens: 0,
    trust: null,
    updatedAt: 0,
  };
}
