import { belongingTo, compareVersions, familyKey, parseVersion, type Version, type VersionNumber } from "./versions.ts";

/** A name of a version. */
export interface VersionName {
  readonly name: string;
  readonly kind: "branch" | "tag";
}

type Belonging = ReturnType<typeof belongingTo>;

/** Share of the tags from which the versions of one other product are taken for the library's own. */
const minShare = 0.8;

/**
 * The names that match what a caller wrote, best first; "" is the default version; empty: no match. The first rule that matches
 * applies: the name itself; `latest` and `stable` are the newest release, or the default version where there is none; the same
 * version written differently (`4.17.1` for `v4.17.1` or `widgets@4.17.1`); a range,
 * such as `^4`, `~4.17`, `4.x`, `>=3 <5`, newest first. Tags come before branches. Another product's versions
 * (`other@5.0.0`) match with its name, or where the library has no versions of its own. A pre-release matches a range only
 * where no release does, or where the range names it.
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

/** True for the same version in two notations, such as `4.17.1` and `v4.17.1`; false for ranges. */
export function isSameVersion(asked: string, name: string): boolean {
  if (asked === name) return true;
  const [one, other] = [readAsked(asked), parseVersion(name)];
  return (
    one !== null && other !== null && one.numbers.length === other.numbers.length && compareVersions(one, other) === 0
  );
}

/** The versions that a text matches. */
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
  // No release matches: a pre-release is better than nothing.
  return versions.filter((version) => version.pre !== null && satisfies({ ...version, pre: null }, range));
}

/** A single version; null for a range, or for what is not a version. */
function readAsked(text: string): Version | null {
  return /[\s<>=^~|*,]|\.x$/i.test(text) ? null : parseVersion(text);
}

/** The product before a version, as in `@acme/widgets@^4` and `widgets-4.1`; null: the library itself. */
function splitProduct(wanted: string, belongs: Belonging): { product: string | null; text: string } {
  const at = wanted.lastIndexOf("@");
  const text = wanted.slice(at > 0 ? at + 1 : 0).trim();
  const family = at > 0 ? wanted.slice(0, at) : (readAsked(text)?.family ?? "");
  return { product: belongs({ family }) === 0 ? family : null, text };
}

/** The names of one kind that are versions of the library, or of the named product, in no particular order. */
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

/** The names of versions, newest first; of equal ones first that with the library's name, then the shorter one. */
function namesOf(versions: readonly Version[], belongs: Belonging): readonly string[] {
  const sorted = versions.toSorted(
    (a, b) =>
      compareVersions(b, a) || belongs(b) - belongs(a) || a.name.length - b.name.length || (a.name < b.name ? -1 : 1),
  );
  return sorted.map(({ name }) => name);
}

/** A comparator of a range. */
interface Comparator extends VersionNumber {
  readonly operator: "<" | "<=" | ">" | ">=";
}

/** Alternatives of which a version has to match one, each a list of comparators that all have to match. */
type VersionRange = readonly (readonly Comparator[])[];

/** Maximum number of comparators of a range; those of people have four. */
const maxComparators = 20;

const token =
  /^(\^|~>|~=|~|>=|<=|>|<|===?|=)?v?(\d{1,15}|[x*])((?:\.(?:\d{1,15}|[x*]))*)(?:-([a-z\d][a-z\d.-]*))?(?:\+[a-z\d.-]+)?$/;

/**
 * Parses a range of npm (https://github.com/npm/node-semver#ranges): `^4`, `~4.17`, `4`, `4.x`, `>=3 <5`,
 * `1.2 - 2.3`, `3 || 4`; or of pip: `>=3,<5`, `~=4.2`, `==4.*`. Null for other text.
 */
export function parseRange(text: string): VersionRange | null {
  const alternatives = text.toLowerCase().split("||");
  if (text.trim() === "" || alternatives.length > maxComparators) return null;
  const range = alternatives.map(parseAlternative);
  if (range.includes(null)) return null;
  const read = range.filter((comparators) => comparators !== null);
  // One word can be two comparators.
  return read.flat().length > 2 * maxComparators ? null : read;
}

/**
 * Whether a version is in a range. A pre-release is only in a range that names one of the same release, such as
 * `>=5.0.0-beta.1`.
 */
export function satisfies(version: VersionNumber, range: VersionRange): boolean {
  return range.some((comparators) => {
    if (!comparators.every((comparator) => meets(version, comparator))) return false;
    const release = { numbers: version.numbers, pre: null };
    return (
      version.pre === null ||
      comparators.some(({ numbers, pre }) => pre !== null && compareVersions({ numbers, pre: null }, release) === 0)
    );
  });
}

function meets(version: VersionNumber, { operator, ...limit }: Comparator): boolean {
  const difference = compareVersions(version, limit);
  if (operator === "<") return difference < 0;
  if (operator === "<=") return difference <= 0;
  return operator === ">" ? difference > 0 : difference >= 0;
}

function parseAlternative(text: string): readonly Comparator[] | null {
  const [, low, high] = /^(\S+) +- +(\S+)$/.exec(text.trim()) ?? [];
  const joined = low === undefined ? text : `>=${low} <=${high ?? ""}`;
  const words = joined
    .replaceAll(",", " ")
    .replace(/([<>=~^]) +/g, "$1")
    .split(" ")
    .filter((word) => word !== "");
  if (words.length > maxComparators) return null;
  const parsed = words.map(parseComparator);
  return parsed.length === 0 || parsed.includes(null) ? null : parsed.flatMap((comparators) => comparators ?? []);
}

function parseComparator(word: string): readonly Comparator[] | null {
  const [, operator = "=", first, more = "", suffix] = token.exec(word) ?? [];
  if (first === undefined) return null;
  const parts = `${first}${more}`.split(".");
  const wild = parts.findIndex((part) => part === "x" || part === "*");
  const numbers = (wild < 0 ? parts : parts.slice(0, wild)).map(Number);
  const words = suffix?.match(/\d{1,15}|[^\d.-]+/g);
  const pre = words?.map((part) => (/^\d/.test(part) ? Number(part) : part)) ?? null;
  return toComparators(operator, numbers, pre);
}

/** The lowest pre-release of a release: `<5` is `<5.0.0-0`. */
const lowest: VersionNumber["pre"] = [0];

/** The comparators of an operator; missing parts of the version are wildcards. */
function toComparators(operator: string, numbers: readonly number[], pre: VersionNumber["pre"]): readonly Comparator[] {
  const partial = numbers.length < 3;
  const from: Comparator = { operator: ">=", numbers, pre };
  const below = (place: number): readonly Comparator[] =>
    // Without a part there is nothing to count up: every version is below.
    place < 0 ? [] : [{ operator: "<", numbers: bump(numbers, place), pre: lowest }];
  const last = numbers.length - 1;
  switch (operator) {
    case "^": {
      const place = numbers.findIndex((number) => number !== 0);
      return [from, ...below(place < 0 ? last : place)];
    }
    case "~":
    case "~>":
      return [from, ...below(Math.min(1, last))];
    case "~=":
      return [from, ...below(last - 1)];
    case ">=":
      return [from];
    case "<":
      return [{ operator: "<", numbers, pre: partial ? lowest : pre }];
    case ">":
      // `>4` is 5 and later.
      return partial && last >= 0
        ? [{ operator: ">=", numbers: bump(numbers, last), pre: null }]
        : [{ operator: ">", numbers, pre }];
    case "<=":
      return partial ? below(last) : [{ operator: "<=", numbers, pre }];
    default:
      // A fourth number, or a later build, of the same release matches it; a pre-release matches only itself.
      return pre === null ? [from, ...below(last)] : [from, { operator: "<=", numbers, pre }];
  }
}

/** The next version that differs in the given part. */
function bump(numbers: readonly number[], place: number): readonly number[] {
  return [...numbers.slice(0, place), (numbers[place] ?? 0) + 1];
}
