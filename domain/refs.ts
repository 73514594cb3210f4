import type { SourceRef } from "./source.ts";
import { belongingTo, compareVersions, familyKey, parseVersion } from "./versions.ts";
import type { Version } from "./versions.ts";

/**
 * Maximum number of listed refs of a library: a question for an unknown version compares all of them, which takes some
 * milliseconds.
 */
export const maxRefs = 2000;

/** Share of branches, where there are too many of both; and share of the library's own versions among tags. */
const [branchShare, ownShare] = [1 / 4, 1 / 2];

/** Maximum length of a listed name, in characters. */
const maxName = 250;

/** The listed refs of a source, and the number of those left out. */
export interface RefChoice {
  readonly refs: readonly SourceRef[];
  readonly leftOut: number;
}

/** Chooses among a stream of refs of any length, in memory for some thousands. */
export interface RefChooser {
  add(ref: SourceRef): void;
  /** The choice so far: branches, then tags, each in order of arrival. */
  chosen(): RefChoice;
}

interface Entry {
  readonly ref: SourceRef;
  readonly version: Version | null;
  /** Index of arrival. */
  readonly at: number;
}

/**
 * Creates a chooser. It prefers `named` refs, then the newest versions: those of the library (by the last words of `libraryId`),
 * then equally many of each other product, releases before pre-releases; then other names, those without a slash first.
 */
export function chooseRefs(libraryId: string, named: ReadonlySet<string>, limit = maxRefs): RefChooser {
  const belongs = belongingTo(libraryId);
  const kept: Record<SourceRef["kind"], Entry[]> = { branch: [], tag: [] };
  let came = 0;

  /** The best entries. Further entries never bring back one that is dropped, as each only moves others back. */
  function best(entries: readonly Entry[], most: number): Entry[] {
    if (entries.length <= most) return [...entries];
    const families = [...Map.groupBy(entries, ({ version }) => familyOf(version))];
    const placed = families
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([family, members]) => {
        const head = family === own ? Math.floor(limit * ownShare) : 0;
        return members.toSorted(compareEntries).map((entry, index) => ({
          entry,
          place: named.has(entry.ref.name) ? -1 : family === none ? Infinity : Math.max(0, index - head),
        }));
      });
    // Sorting is stable: entries of the same place stay in the order of their family.
    placed.sort((one, other) => (one.place === other.place ? 0 : one.place - other.place));
    return placed.slice(0, most).map(({ entry }) => entry);
  }

  function familyOf(version: Version | null): string {
    if (version === null) return none;
    return belongs(version) > 0 ? own : `@${familyKey(version.family)}`;
  }

  return {
    add(ref) {
      came += 1;
      if (ref.name.length > maxName) return;
      const entries = kept[ref.kind];
      entries.push({ ref, version: parseVersion(ref.name), at: came });
      if (entries.length > 2 * limit) kept[ref.kind] = best(entries, limit);
    },
    chosen() {
      const forBranches = Math.max(Math.floor(limit * branchShare), limit - kept.tag.length);
      const branches = best(kept.branch, forBranches);
      const tags = best(kept.tag, limit - branches.length);
      const refs = [branches, tags].flatMap((entries) => entries.toSorted((a, b) => a.at - b.at).map(({ ref }) => ref));
      return { refs, leftOut: came - refs.length };
    },
  };
}

/** Family keys of the library's own versions, which sort first, and of names that are not versions; no product has such a key. */
const [own, none] = ["", "/none"];

function compareEntries({ ref: a, version: one }: Entry, { ref: b, version: other }: Entry): number {
  if (one === null || other === null)
    return Number(a.name.includes("/")) - Number(b.name.includes("/")) || (a.name < b.name ? -1 : 1);
  return Number(one.pre !== null) - Number(other.pre !== null) || compareVersions(other, one);
}

/** A hint for a request of an unknown ref; "" where no refs were left out. */
export function leftOutHint(leftOut: number): string {
  if (leftOut === 0) return "";
  return ` The source has ${leftOut} more branches and tags than are kept: submit it with the one in the field branch and a libraryName of its own.`;
}
