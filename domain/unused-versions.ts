import { day } from "./days.ts";
import { kindOf, kinds, type Kind } from "./kinds/index.ts";
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
export type RemovedVersion = Pick<UnusedVersion, "library" | "version">;

/** Time that the passages of a removed version stay for running reads, in milliseconds. */
export const maxReadTime = 300_000;

/** Maximum number of versions removed in a round. */
const atMost = 1000;

/** Removes unused versions of packages, least recently used first. */
export async function removeUnusedVersions({
  catalog,
  now,
  unusedVersionDays,
}: RetentionPorts): Promise<readonly RemovedVersion[]> {
  if (unusedVersionDays === 0) return [];
  const unusedSince = now() - unusedVersionDays * day;
  const removed: RemovedVersion[] = [];
  const removable = (Object.keys(kinds) as Kind[]).filter((kind) => kinds[kind].unusedVersions !== undefined);
  const unused = removable.map((kind) => catalog.libraries.unusedVersions(kind, unusedSince, atMost));
  for (const { library, version, servedRef } of (await Promise.all(unused)).flat()) {
    if (isKept(library, version, servedRef)) continue;
    const room = { unusedSince, removeAfter: now() + maxReadTime };
    if (await catalog.libraries.giveUpVersion(library.uid, version, room)) removed.push({ library, version });
  }
  return removed;
}

/** When an unused version will be removed, in milliseconds since 1970; null: never. */
export function removalTime(
  library: LibraryRecord,
  { version, readAt, live }: VersionRecord,
  standard: VersionRecord | undefined,
  days: number,
): number | null {
  const isRemovable = kindOf(library.source).unusedVersions !== undefined;
  if (days === 0 || live === null || version === "" || !isRemovable) return null;
  if (isKept(library, version, standard?.live?.ref ?? null)) return null;
  return (readAt ?? live.createdAt) + days * day;
}

/** Whether a version is never removed: the source names it, or it is that of the default version. */
function isKept({ source }: LibraryRecord, version: string, servedRef: string | null): boolean {
  const named = kindOf(source).unusedVersions?.named(source) ?? null;
  return [named, servedRef].some((name) => name !== null && isSameVersion(name, version));
}
