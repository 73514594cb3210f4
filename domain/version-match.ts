import { parseRange, satisfies } from "./version-ranges.ts";
import { belongs, compareVersions, familyKey, parseVersion } from "./versions.ts";
import type { Version } from "./versions.ts";

/** A name that a version of a library may be asked by. */
export interface VersionName {
  readonly name: string;
  readonly kind: "branch" | "tag";
}

/** Share of the tags from which on those of one other product can only be the library's own. */
const minShare = 0.8;

/**
 * The names that fit what a caller wrote, the one meant first; "" is the default version, and none is answered where
 * nothing fits. The first that holds: the name itself; `latest` and `stable` are the newest release, or the default
 * version where there is none; the same version written otherwise (`4.17.1` for `v4.17.1` or `widgets@4.17.1`); a range,
 * such as `^4`, `~4.17`, `4.x`, `>=3 <5`, the newest first. Tags come before branches. Another product's versions
 * (`other@5.0.0`) are asked for with its name, or where the library has none of its own. A pre-release stands for a
 * range only where no release does, or where the range names it.
 */
export function matchVersions(wanted: string, names: readonly VersionName[], libraryId: string): readonly string[] {
  if (names.some(({ name }) => name === wanted)) return [wanted];
  const { product, text } = splitProduct(wanted, libraryId);
  const tags = readNames(names, "tag", libraryId, product);
  if (/^(?:latest|stable)$/i.test(text)) {
    const releases = tags.filter(({ pre }) => pre === null);
    return releases.length === 0 && product === null ? [""] : releases.map(({ name }) => name);
  }
  const inTags = fitting(text, tags);
  const found = inTags.length > 0 ? inTags : fitting(text, readNames(names, "branch", libraryId, product));
  return found.map(({ name }) => name);
}

/** True for one version written in two ways, such as `4.17.1` and `v4.17.1`; a range is no version. */
export function isSameVersion(asked: string, name: string): boolean {
  if (asked === name) return true;
  const [one, other] = [readAsked(asked), parseVersion(name)];
  return (
    one !== null && other !== null && one.numbers.length === other.numbers.length && compareVersions(one, other) === 0
  );
}

/** The versions that a text means, out of sorted ones, in their order. */
function fitting(text: string, versions: readonly Version[]): readonly Version[] {
  const asked = readAsked(text);
  const equal = versions.filter(
    (version) =>
      asked !== null && version.numbers.length <= asked.numbers.length && compareVersions(version, asked) === 0,
  );
  if (equal.length > 0) return equal;
  const range = parseRange(asked === null || asked.family === "" ? text : text.slice(asked.family.length + 1));
  if (range === null) return [];
  const strict = versions.filter((version) => satisfies(version, range));
  if (strict.length > 0) return strict;
  // Nothing that fits was released yet: what is about to be is better than nothing.
  return versions.filter((version) => version.pre !== null && satisfies({ ...version, pre: null }, range));
}

/** One version as it was written; null for a range, or for what is no version. */
function readAsked(text: string): Version | null {
  return /[\s<>=^~|*,]|\.x$/i.test(text) ? null : parseVersion(text);
}

/** `@acme/widgets@^4` names the product before its version, and so does `widgets-4.1`; null: the library's own. */
function splitProduct(wanted: string, libraryId: string): { product: string | null; text: string } {
  const at = wanted.lastIndexOf("@");
  const text = wanted.slice(at > 0 ? at + 1 : 0).trim();
  const family = at > 0 ? wanted.slice(0, at) : (readAsked(text)?.family ?? "");
  return { product: belongs({ family }, libraryId) === 0 ? family : null, text };
}

/** The names of one kind that are versions of the library, or of the product named; the newest first. */
function readNames(
  names: readonly VersionName[],
  kind: VersionName["kind"],
  libraryId: string,
  product: string | null,
): readonly Version[] {
  const read = names.flatMap((name) => (name.kind === kind ? (parseVersion(name.name) ?? []) : []));
  const of = (family: string): Version[] => read.filter((version) => familyKey(version.family) === familyKey(family));
  if (product !== null) return sorted(of(product), libraryId);
  const own = read.filter((version) => belongs(version, libraryId) > 0);
  if (own.length > 0 || kind === "branch") return sorted(own, libraryId);
  const counts = new Map<string, number>();
  for (const { family } of read) counts.set(familyKey(family), (counts.get(familyKey(family)) ?? 0) + 1);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most && most[1] >= minShare * read.length ? sorted(of(most[0]), libraryId) : [];
}

/** The newest first; of equal ones that of the library's own name, then the plainer one. */
function sorted(versions: Version[], libraryId: string): readonly Version[] {
  return versions.sort(
    (a, b) =>
      compareVersions(b, a) ||
      belongs(b, libraryId) - belongs(a, libraryId) ||
      a.name.length - b.name.length ||
      (a.name < b.name ? -1 : 1),
  );
}
