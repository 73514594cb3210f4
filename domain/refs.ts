import type { SourceRef } from "./source.ts";
import { belongingTo, compareVersions, familyKey, parseVersion } from "./versions.ts";
import type { Version } from "./versions.ts";

/**
 * Refs of a library that are kept: whoever asks for a version that is not known has all of them looked at, within some
 * milliseconds.
 */
export const maxRefs = 2000;

/** So much of it is for branches, where there are too many of both; and so much of what is for tags for the library's own versions. */
const [branchShare, ownShare] = [1 / 4, 1 / 2];

/** Longest name that is kept, in characters. */
const maxName = 250;

/** The refs that are kept of a source, and how many are not. */
export interface RefChoice {
  readonly refs: readonly SourceRef[];
  readonly leftOut: number;
}

/** Chooses among refs that come one by one, in memory for some thousands however many come. */
export interface RefChooser {
  add(ref: SourceRef): void;
  /** The choice among those that came: branches, then tags, each as they came. */
  chosen(): RefChoice;
}

interface Entry {
  readonly ref: SourceRef;
  readonly version: Version | null;
  /** In which order it came. */
  readonly at: number;
}

/**
 * Makes a chooser. Kept are `named` ones, then the newest versions: those of the library (by the last words of `libraryId`),
 * then of each other product as many as of the others, releases before pre-releases; then other names, those without a slash first.
 */
export function chooseRefs(libraryId: string, named: ReadonlySet<string>, limit = maxRefs): RefChooser {
  const belongs = belongingTo(libraryId);
  const kept: Record<SourceRef["kind"], Entry[]> = { branch: [], tag: [] };
  let came = 0;

  /** The entries that matter most. What is not among them never will be, as each entry only moves others back. */
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

/** Families of the library's own versions, and of names that are not versions; no product has such a key. The own one comes before all others. */
const [own, none] = ["", "/none"];

function compareEntries({ ref: a, version: one }: Entry, { ref: b, version: other }: Entry): number {
  if (one === null || other === null)
    return Number(a.name.includes("/")) - Number(b.name.includes("/")) || (a.name < b.name ? -1 : 1);
  return Number(one.pre !== null) - Number(other.pre !== null) || compareVersions(other, one);
}

/** What else there is to say to somebody who asks for a ref that is not known; "" where the source has no others. */
export function leftOutHint(leftOut: number): string {
  if (leftOut === 0) return "";
  return ` The source has ${leftOut} more branches and tags than are kept: submit it with the one in the field branch and a libraryName of its own.`;
}
