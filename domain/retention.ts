import type { LibraryRecord, LibraryStore, VersionRecord } from "./ports.ts";
import { isSameVersion } from "./version-match.ts";

/** What giving up versions needs of the world. */
export interface RetentionPorts {
  readonly catalog: { readonly libraries: Pick<LibraryStore, "unusedVersions" | "giveUpVersion"> };
  readonly now: () => number;
  /** Days after which a version of a package goes that nobody asks for; 0: never. */
  readonly unusedVersionDays: number;
}

/** A version that was given up. */
export interface GivenUp {
  readonly library: LibraryRecord;
  readonly version: string;
}

/** Kind of source whose versions are given up: each was made because somebody asked for it, and can be had again. */
const kind = "package";

const day = 86_400_000;

/** For how long the passages of a version that was given up stay for reads that have begun, in milliseconds. */
const maxReadTime = 300_000;

/** Versions that one round looks at. */
const atMost = 1000;

/** Gives up versions of packages that nobody has asked for in time, those first that were asked for longest ago. */
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

/** When a version is given up unless somebody asks for it before, in milliseconds since 1970; null: never. */
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

/** Whether a version stays in any case: the configuration of the library names it, or the default version is the same. */
function isKept({ source }: LibraryRecord, version: string, servedRef: string | null): boolean {
  const pinned = source.kind === kind ? source.version : null;
  return [pinned, servedRef].some((name) => name !== null && isSameVersion(name, version));
}
