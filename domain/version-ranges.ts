import { compareVersions } from "./versions.ts";
import type { VersionNumber } from "./versions.ts";

/** A comparator of a range. */
interface Comparator extends VersionNumber {
  readonly operator: "<" | "<=" | ">" | ">=";
}

/** Alternatives of which a version has to match one, each a list of comparators that all have to match. */
export type VersionRange = readonly (readonly Comparator[])[];

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
