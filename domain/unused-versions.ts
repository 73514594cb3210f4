import { day } from "./days.ts";
import type { LibraryRecord, LibraryStore, UnusedVersion, VersionRecord } from "./ports.ts";
import { isSameVersion } from "./version-match.ts";

/** The ports that removing unused versions needs. */
export interface RetentionPorts {
  readonly catalog: { readonly libraries: Pick<LibraryStore, "unusedVersions" | "giveUpVersion"> };
  readonly now: () => number;
  /** Days after which an unused version of a package is removed; 0: never. */
  readonly unusedVersionDays: number;
}

/** A removed version. */
export type GivenUp = Pick<UnusedVersion, "library" | "version">;

/** Kind of source whose unused versions are removed: each was indexed on demand, and can be again. */
const kind = "package";

/** How long the passages of a removed version stay for running reads, in milliseconds. */
export const maxReadTime = 300_000;

/** Maximum number of versions in a round. */
const atMost = 1000;

/** Removes unused versions of packages, least recently used first. */
export async function giveUpVersions({ catalog, now, unusedVersionDays }: RetentionPorts): Promise<readonly GivenUp[]> {
  if (unusedVersionDays === 0) return [];
  const unusedSince = now() - unusedVersionDays * day;
  const given: GivenUp[] = [];
  for (const { library, version, servedRef } of await catalog.libraries.unusedVersions(kind, unusedSince, atMost)) {
    if (isKept(library, version, servedRef)) continue;
    const room = { unusedSince, removeAfter: now() + maxReadTime };
    if (await catalog.libraries.giveUpVersion(library.uid, version, room)) given.push({ library, version });
  }
  return given;
}

/** When a version will be removed unless it is used before, in milliseconds since 1970; null: never. */
export function givenUpAt(
  library: LibraryRecord,
  { version, readAt, live }: VersionRecord,
  standard: VersionRecord | undefined,
  days: number,
): number | null {
  if (days === 0 || live === null || version === "" || library.source.kind !== kind) return null;
  if (isKept(library, version, standard?.live?.ref ?? null)) return null;
  return (readAt ?? live.createdAt) + days * day;
}

/** Whether a version is always kept: the source names it, or the default version is the same. */
function isKept({ source }: LibraryRecord, version: string, servedRef: string | null): boolean {
  const pinned = source.kind === kind ? source.version : null;
  return [pinned, servedRef].some((name) => name !== null && isSameVersion(name, version));
}
