/** The parts by which versions are compared. */
export interface VersionNumber {
  readonly numbers: readonly number[];
  /** Parts of the pre-release; null for a release. */
  readonly pre: readonly (string | number)[] | null;
}

/** A parsed version. */
export interface Version extends VersionNumber {
  readonly name: string;
  /** The product, such as `@acme/widgets` in `@acme/widgets@1.2.0`; "" without one. */
  readonly family: string;
}

/** Maximum length of a version, in characters, which bounds the cost of parsing. */
const maxVersionLength = 120;

/** Maximum number of numbers in a name that are tried, which bounds the cost of parsing. */
const maxTries = 4;

/** Words before a number that are not a product. */
const generic: ReadonlySet<string> = new Set("v,ver,version,versions,rel,release,releases,tag,tags,stable".split(","));

/** Words after a number that do not make it a pre-release. */
const releaseWord = /^(?:release|final|ga|stable|lts)$/;

/** Numbers, with or without `v`, at the start of a word: `v4.17.1` in `release-v4.17.1`, `8_4_0` in `curl-8_4_0`; dates too. */
const spaced =
  /(?<![\p{L}\p{N}.])v?(\d{4}-\d\d(?:-\d\d)?(?![\p{L}\p{N}_.-])|\d{1,15}(?:[._]\d{1,15})*)(?!\d)(?=([^@/]*)$)/giu;

/** Numbers directly after a single word, as in `go1.21`. */
const glued = /^\p{L}+(\d{1,15}(?:\.\d{1,15})*)([^@/]*)$/u;

/** Text after the numbers of a version: `.x`, a pre-release, build metadata. */
const suffix = /^(?:\.[x*]){0,4}(?:(-(?=\d)|[-_.](?=[a-z])|(?=[a-z]))([a-z\d][a-z\d._-]*))?(?:\+[a-z\d.-]+)?$/;

/** Pre-releases in the notation of Python, without a separator. */
const gluedWord = /^(?:a|b|c|rc|alpha|beta|pre|preview|dev|post|p|r|m)[-._]?\d*(?:[-._]?(?:dev|post)\d*)?$/;

/** Python's abbreviations of pre-releases. */
const longWords: Readonly<Record<string, string>> = { a: "alpha", b: "beta", c: "rc" };

/** Natural order, for names that are not versions and as the tie-breaker of equal versions. */
const natural = new Intl.Collator("en", { numeric: true });

/** Parses a tag or branch name as a version; null for other names. */
export function parseVersion(name: string): Version | null {
  if (name.length > maxVersionLength) return null;
  let tries = 0;
  for (const match of name.matchAll(spaced)) {
    const read = readVersion(name, match.index, match[1] ?? "", match[2] ?? "");
    if (read) return read;
    tries += 1;
    if (tries === maxTries) break;
  }
  const match = glued.exec(name);
  return match && readVersion(name, name.length - `${match[1]}${match[2]}`.length, match[1] ?? "", match[2] ?? "");
}

/** Compares versions, oldest first. A pre-release comes before its release. */
export function compareVersions(one: VersionNumber, other: VersionNumber): number {
  const length = Math.max(one.numbers.length, other.numbers.length);
  for (let place = 0; place < length; place += 1) {
    const difference = (one.numbers[place] ?? 0) - (other.numbers[place] ?? 0);
    if (difference !== 0) return difference;
  }
  if (one.pre === null || other.pre === null) return Number(one.pre === null) - Number(other.pre === null);
  return comparePre(one.pre, other.pre);
}

/**
 * Names in the order for people: releases, then pre-releases, newest first, then other names. Versions of other products come
 * after the library's own.
 */
export function newestFirst(names: readonly string[], libraryId = ""): readonly string[] {
  return readNames(names, libraryId)
    .toSorted(compareRead)
    .map(({ name }) => name);
}

/** Maximum number of similar names that are not versions for which the least similar releases are left out. */
const maxAlike = 2;

/**
 * The names nearest to the wanted one: tags that are versions before branches and other names, in each group by the length of the common
 * prefix, then newest first. A name without a kind is a tag.
 */
export function nearestNames(
  wanted: string,
  names: readonly (string | { readonly name: string; readonly kind: "branch" | "tag" })[],
  limit: number,
  libraryId = "",
): readonly string[] {
  const version = parseVersion(wanted);
  const bare = wanted.replace(/^v/, "");
  const branches = new Set(
    names.flatMap((one) => (typeof one !== "string" && one.kind === "branch" ? [one.name] : [])),
  );
  const shared = ({ name, version: other, isAnother }: ReadName): number => {
    if (!version || !other) return sharedBeginning(bare, name.replace(/^v/, ""));
    return isAnother && other.family !== version.family ? 0 : sharedBeginning(version.numbers, other.numbers);
  };
  type Near = ReadName & { readonly shared: number };
  const compare = (a: Near, b: Near): number => b.shared - a.shared || compareRead(a, b);
  const releases: Near[] = [];
  const others: Near[] = [];
  // One pass with insertion into short lists, as sorting all names would take longer.
  for (const read of readNames(
    names.map((one) => (typeof one === "string" ? one : one.name)),
    libraryId,
  )) {
    const near = { ...read, shared: shared(read) };
    const nearest = read.version === null || branches.has(read.name) ? others : releases;
    const last = nearest.at(-1);
    if (nearest.length === limit && last && compare(near, last) >= 0) continue;
    const place = nearest.findIndex((other) => compare(near, other) < 0);
    nearest.splice(place < 0 ? nearest.length : place, 0, near);
    nearest.length = Math.min(nearest.length, limit);
  }
  // A name with half of the wanted one as common prefix may be the intended one.
  const alike = others.filter((one) => one.version === null && 2 * one.shared >= Math.max(4, bare.length));
  const kept = releases.slice(0, limit - Math.min(alike.length, maxAlike, limit - 1));
  return [...kept, ...others].slice(0, limit).map(({ name }) => name);
}

/** A name with its sort keys. */
interface ReadName {
  readonly name: string;
  readonly version: Version | null;
  /** Whether it is a version of another product. */
  readonly isAnother: boolean;
  readonly rank: number;
}

function readNames(names: readonly string[], libraryId: string): readonly ReadName[] {
  const belongs = belongingTo(libraryId);
  return [...new Set(names)].map((name) => {
    const version = parseVersion(name);
    const isAnother = version !== null && libraryId !== "" && belongs(version) === 0;
    return { name, version, isAnother, rank: version === null ? 3 : isAnother ? 2 : version.pre ? 1 : 0 };
  });
}

function compareRead(a: ReadName, b: ReadName): number {
  return (
    a.rank - b.rank ||
    (a.version && b.version ? compareVersions(b.version, a.version) : 0) ||
    natural.compare(a.name, b.name) ||
    (a.name < b.name ? -1 : 1)
  );
}

/** Creates the test whether a version is the library's: 2: it has the library's name; 1: it has no product; 0: it has another one. Cached by family. */
export function belongingTo(libraryId: string): (version: Pick<Version, "family">) => 0 | 1 | 2 {
  const own = familyKey(libraryId.replace(/^\//, ""));
  const name = familyKey(libraryId.slice(libraryId.lastIndexOf("/") + 1));
  const known = new Map<string, 0 | 1 | 2>([["", 1]]);
  return ({ family }) => {
    let answer = known.get(family);
    if (answer === undefined) {
      const key = familyKey(family);
      const isOwn = key === own || key === name || familyKey(family.slice(family.lastIndexOf("/") + 1)) === name;
      known.set(family, (answer = isOwn ? 2 : 0));
    }
    return answer;
  };
}

/** The form in which products are compared: `Next.js`, `nextjs` and `next` are equal. */
export function familyKey(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "")
    .replace(/(?<=.)js$/, "");
}

function readVersion(name: string, start: number, digits: string, rest: string): Version | null {
  const [matched, separator = "", tail = ""] = suffix.exec(rest.toLowerCase()) ?? [];
  if (matched === undefined || (separator === "" && tail !== "" && !gluedWord.test(tail))) return null;
  const numbers = digits.split(/[._-]/).map(Number);
  const family = name.slice(0, start).replace(/(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/u, "");
  const found = { name, family: generic.has(family.toLowerCase()) ? "" : family };
  if (tail === "" || releaseWord.test(tail)) return { ...found, numbers, pre: null };
  const [, later] = /^(?:post|sp|p|r)[-._]?(\d{1,15})$/.exec(tail) ?? [];
  if (later !== undefined) return { ...found, numbers: [...numbers, Number(later)], pre: null };
  const words = tail.match(/\d{1,15}|[^\d._-]+/g) ?? [];
  return { ...found, numbers, pre: words.map((word) => (/^\d/.test(word) ? Number(word) : (longWords[word] ?? word))) };
}

/** Compares pre-releases as semver does: numbers before words, the shorter one first. */
function comparePre(one: readonly (string | number)[], other: readonly (string | number)[]): number {
  for (let place = 0; place < Math.max(one.length, other.length); place += 1) {
    const [a, b] = [one[place], other[place]];
    if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
    if (a === b) continue;
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a < b ? -1 : 1;
  }
  return 0;
}

function sharedBeginning(a: ArrayLike<unknown>, b: ArrayLike<unknown>): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}
