import { parseRange, satisfies } from "./version-ranges.ts";
import { belongingTo, compareVersions, familyKey, parseVersion } from "./versions.ts";
import type { Version } from "./versions.ts";

/** A name that a version of a library may be asked by. */
export interface VersionName {
  readonly name: string;
  readonly kind: "branch" | "tag";
}

type Belonging = ReturnType<typeof belongingTo>;

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
  const belongs = belongingTo(libraryId);
  const { product, text } = splitProduct(wanted, belongs);
  const tags = readNames(names, "tag", belongs, product);
  if (/^(?:latest|stable)$/i.test(text)) {
    const releases = tags.filter(({ pre }) => pre === null);
    return releases.length === 0 && product === null ? [""] : namesOf(releases, belongs);
  }
  const inTags = fitting(text, tags);
  return namesOf(inTags.length > 0 ? inTags : fitting(text, readNames(names, "branch", belongs, product)), belongs);
}

/** True for one version written in two ways, such as `4.17.1` and `v4.17.1`; a range is no version. */
export function isSameVersion(asked: string, name: string): boolean {
  if (asked === name) return true;
  const [one, other] = [readAsked(asked), parseVersion(name)];
  return (
    one !== null && other !== null && one.numbers.length === other.numbers.length && compareVersions(one, other) === 0
  );
}

/** The versions that a text means. */
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
function splitProduct(wanted: string, belongs: Belonging): { product: string | null; text: string } {
  const at = wanted.lastIndexOf("@");
  const text = wanted.slice(at > 0 ? at + 1 : 0).trim();
  const family = at > 0 ? wanted.slice(0, at) : (readAsked(text)?.family ?? "");
  return { product: belongs({ family }) === 0 ? family : null, text };
}

/** The names of one kind that are versions of the library, or of the product named, in no order. */
function readNames(
  names: readonly VersionName[],
  kind: VersionName["kind"],
  belongs: Belonging,
  product: string | null,
): readonly Version[] {
  const read = names.flatMap((name) => (name.kind === kind ? (parseVersion(name.name) ?? []) : []));
  if (product === null) {
    const own = read.filter((version) => belongs(version) > 0);
    if (own.length > 0 || kind === "branch") return own;
  }
  const families = Map.groupBy(read, ({ family }) => familyKey(family));
  if (product !== null) return families.get(familyKey(product)) ?? [];
  const [most = []] = [...families.values()].sort((one, other) => other.length - one.length);
  return most.length >= minShare * read.length ? most : [];
}

/** The names of versions, the newest first; of equal ones that of the library's own name, then the plainer one. */
function namesOf(versions: readonly Version[], belongs: Belonging): readonly string[] {
  const sorted = versions.toSorted(
    (a, b) =>
      compareVersions(b, a) || belongs(b) - belongs(a) || a.name.length - b.name.length || (a.name < b.name ? -1 : 1),
  );
  return sorted.map(({ name }) => name);
}
