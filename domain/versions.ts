/** What versions are compared by. */
export interface VersionNumber {
  readonly numbers: readonly number[];
  /** Parts of the pre-release; null for a release. */
  readonly pre: readonly (string | number)[] | null;
}

/** A name read as a version. */
export interface Version extends VersionNumber {
  readonly name: string;
  /** What the version is of, such as `@acme/widgets` in `@acme/widgets@1.2.0`; "" where the name says nothing. */
  readonly family: string;
}

/** Longer names are no versions, which also bounds what reading one costs. */
const maxVersionLength = 200;

/** Words before a number that name no product. */
const generic: ReadonlySet<string> = new Set("v,ver,version,versions,rel,release,releases,tag,tags,stable".split(","));

/** Words behind a number that make no pre-release of it. */
const releaseWord = /^(?:release|final|ga|stable|lts)$/;

/** Numbers with `v`, at the start of a word: `v4.17.1` in `release-v4.17.1`, `8_4_0` in `curl-8_4_0`; dates too. */
const spaced =
  /(?<![\p{L}\p{N}.])v?(\d{4}-\d\d(?:-\d\d)?(?![\p{L}\p{N}_.-])|\d{1,15}(?:[._]\d{1,15})*)(?!\d)(?=([^@/]*)$)/giu;

/** Numbers glued to the only word before them, as in `go1.21`. */
const glued = /^\p{L}+(\d{1,15}(?:\.\d{1,15})*)([^@/]*)$/u;

/** What may follow the numbers: `.x`, a pre-release, build metadata. */
const behind = /^(?:\.[x*])*(?:(-(?=\d)|[-_.](?=[a-z])|(?=[a-z]))([a-z\d][a-z\d._-]*))?(?:\+[a-z\d.-]+)?$/;

/** Pre-releases as Python writes them, without anything between. */
const gluedWord = /^(?:a|b|c|rc|alpha|beta|pre|preview|dev|post|p|r|m)[-._]?\d*(?:[-._]?(?:dev|post)\d*)?$/;

/** Words of Python's that stand for longer ones. */
const longWords: Readonly<Record<string, string>> = { a: "alpha", b: "beta", c: "rc" };

/** Names that are no versions, and the last word about versions that are equal. */
const natural = new Intl.Collator("en", { numeric: true });

/** Reads a tag or branch name as a version; null where it is none. */
export function parseVersion(name: string): Version | null {
  if (name.length > maxVersionLength) return null;
  for (const match of name.matchAll(spaced)) {
    const read = readVersion(name, match.index, match[1] ?? "", match[2] ?? "");
    if (read) return read;
  }
  const match = glued.exec(name);
  return match && readVersion(name, name.length - `${match[1]}${match[2]}`.length, match[1] ?? "", match[2] ?? "");
}

/** Negative where the first version is the older one. A pre-release comes before its release. */
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
 * Names in the order for people: releases, then pre-releases, the newest first, then what is no version. Versions of
 * another product than the library's come behind those of its own.
 */
export function newestFirst(names: readonly string[], libraryId = ""): readonly string[] {
  const read = [...new Set(names)].map((name) => ({ name, version: parseVersion(name) }));
  const rank = ({ version }: { version: Version | null }): number => {
    if (version === null) return 3;
    if (libraryId !== "" && belongs(version, libraryId) === 0) return 2;
    return version.pre ? 1 : 0;
  };
  return read
    .sort(
      (a, b) =>
        rank(a) - rank(b) ||
        (a.version && b.version ? compareVersions(b.version, a.version) : 0) ||
        natural.compare(a.name, b.name) ||
        (a.name < b.name ? -1 : 1),
    )
    .map(({ name }) => name);
}

/** The names most like the one wanted: those that share the longest beginning, the newest of them first. */
export function nearestNames(
  wanted: string,
  names: readonly string[],
  limit: number,
  libraryId = "",
): readonly string[] {
  const version = parseVersion(wanted);
  const bare = wanted.replace(/^v/, "");
  const shared = (name: string): number => {
    const other = version && parseVersion(name);
    if (!other) return sharedBeginning(bare, name.replace(/^v/, ""));
    const isAnother = libraryId !== "" && belongs(other, libraryId) === 0;
    return isAnother && other.family !== version.family ? 0 : sharedBeginning(version.numbers, other.numbers);
  };
  return newestFirst(names, libraryId)
    .map((name) => ({ name, shared: shared(name) }))
    .sort((a, b) => b.shared - a.shared)
    .slice(0, limit)
    .map(({ name }) => name);
}

/** 2: the version bears the library's name; 1: it bears none; 0: it is another product's. */
export function belongs({ family }: Pick<Version, "family">, libraryId: string): 0 | 1 | 2 {
  if (family === "") return 1;
  const key = familyKey(family);
  const own = familyKey(libraryId.replace(/^\//, ""));
  const name = familyKey(libraryId.slice(libraryId.lastIndexOf("/") + 1));
  return key === own || key === name || familyKey(family.slice(family.lastIndexOf("/") + 1)) === name ? 2 : 0;
}

/** How products are compared: `Next.js`, `nextjs` and `next` are one. */
export function familyKey(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "")
    .replace(/(?<=.)js$/, "");
}

function readVersion(name: string, start: number, digits: string, rest: string): Version | null {
  const [matched, separator = "", tail = ""] = behind.exec(rest.toLowerCase()) ?? [];
  if (matched === undefined || (separator === "" && tail !== "" && !gluedWord.test(tail))) return null;
  const numbers = digits.split(/[._-]/).map(Number);
  const family = name.slice(0, start).replace(/[^\p{L}\p{N}]+$/u, "");
  const found = { name, family: generic.has(family.toLowerCase()) ? "" : family };
  if (tail === "" || releaseWord.test(tail)) return { ...found, numbers, pre: null };
  const [, later] = /^(?:post|sp|p|r)[-._]?(\d{1,15})$/.exec(tail) ?? [];
  if (later !== undefined) return { ...found, numbers: [...numbers, Number(later)], pre: null };
  const words = tail.match(/\d{1,15}|[^\d._-]+/g) ?? [];
  return { ...found, numbers, pre: words.map((word) => (/^\d/.test(word) ? Number(word) : (longWords[word] ?? word))) };
}

/** By the rules of semver: numbers before words, the shorter one first. */
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
