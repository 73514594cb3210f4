import type { SourceRef } from "./source.ts";
import { belongingTo, compareVersions, familyKey, parseVersion, type Version } from "./versions.ts";

/** Maximum number of listed refs of a library. Comparing all of them for an unknown version takes some milliseconds. */
export const maxRefs = 2000;

/** Share of branches if there are too many branches and tags, and share of the library's own versions among tags. */
const [branchShare, ownShare] = [1 / 4, 1 / 2];

/** Maximum length of a listed name, in characters. */
const maxName = 250;

/** The listed refs of a source, and the number of others. */
export interface RefChoice {
  readonly refs: readonly SourceRef[];
  readonly leftOut: number;
}

interface Entry {
  readonly ref: SourceRef;
  readonly version: Version | null;
  /** Index of arrival. */
  readonly index: number;
}

/**
 * Creates a chooser of any number of refs, in memory for some thousands. It prefers `named` refs, then the newest versions,
 * releases before pre-releases: those of the library (by the last words of `libraryId`), then equally many of each other product;
 * then other names, those without a slash first.
 */
export function chooseRefs(libraryId: string, named: ReadonlySet<string>, limit = maxRefs) {
  const belongs = belongingTo(libraryId);
  const kept: Record<SourceRef["kind"], Entry[]> = { branch: [], tag: [] };
  let count = 0;

  /** The best entries. Dropped ones stay dropped, as further entries only push others back. */
  function best(entries: readonly Entry[], most: number): Entry[] {
    if (entries.length <= most) return [...entries];
    const families = [...Map.groupBy(entries, ({ version }) => familyOf(version))];
    const placed = families
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([family, members]) => {
        const head = family === ownFamily ? Math.floor(limit * ownShare) : 0;
        return members.toSorted(compareEntries).map((entry, index) => ({
          entry,
          place: named.has(entry.ref.name) ? -1 : family === noVersion ? Infinity : Math.max(0, index - head),
        }));
      });
    // Sorting is stable: entries with the same place keep the order of their families.
    placed.sort((one, other) => (one.place === other.place ? 0 : one.place - other.place));
    return placed.slice(0, most).map(({ entry }) => entry);
  }

  function familyOf(version: Version | null): string {
    if (version === null) return noVersion;
    return belongs(version) > 0 ? ownFamily : `@${familyKey(version.family)}`;
  }

  return {
    add(ref: SourceRef): void {
      count += 1;
      if (ref.name.length > maxName) return;
      const entries = kept[ref.kind];
      entries.push({ ref, version: parseVersion(ref.name), index: count });
      if (entries.length > 2 * limit) kept[ref.kind] = best(entries, limit);
    },
    /** The current choice: branches, then tags, each in order of arrival. */
    chosen(): RefChoice {
      const forBranches = Math.max(Math.floor(limit * branchShare), limit - kept.tag.length);
      const branches = best(kept.branch, forBranches);
      const tags = best(kept.tag, limit - branches.length);
      const refs = [branches, tags].flatMap((entries) =>
        entries.toSorted((a, b) => a.index - b.index).map(({ ref }) => ref),
      );
      return { refs, leftOut: count - refs.length };
    },
  };
}

/** Family keys of the library's own versions, which sort first, and of other names. No product has such a key. */
const [ownFamily, noVersion] = ["", "/none"];

function compareEntries({ ref: a, version: one }: Entry, { ref: b, version: other }: Entry): number {
  const order =
    one === null || other === null
      ? Number(a.name.includes("/")) - Number(b.name.includes("/"))
      : Number(one.pre !== null) - Number(other.pre !== null) || compareVersions(other, one);
  return order || (a.name < b.name ? -1 : 1);
}

/** A hint for a request of an unknown ref; "" if no refs were left out. */
export function leftOutHint(leftOut: number): string {
  if (leftOut === 0) return "";
  return ` The source has ${leftOut} more branches and tags than Lectern keeps. To index one of them, submit the source with that branch and another libraryName.`;
}
