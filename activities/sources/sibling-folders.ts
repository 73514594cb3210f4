/**
 * Leaves out folders that document older versions beside newer ones, whose paths would otherwise answer every question
 * once a version. Siblings named like versions form a group. Of a group stay `latest` and `stable` where they
 * are, else the highest version. `versioned_docs` goes where the unversioned documents stand beside it.
 * A lone version folder stays, and so do folders with plain numbers as names that are rather chapters or years.
 */
export function dropOldVersions(paths: readonly string[]): string[] {
  const dropped = new Set<string>();
  const numbered: string[][] = [];
  for (const [parent, names] of toFolders(paths)) {
    for (const name of outdated(names)) dropped.add(join(parent, name));
    if (names.has("versioned_docs") && names.has("docs")) dropped.add(join(parent, "versioned_docs"));
    const numbers = [...names].filter((name) => /^[1-9]\d{0,2}$/.test(name));
    if (numbers.length > 1)
      numbered.push(numbers.toSorted((one, other) => Number(other) - Number(one)).map((name) => join(parent, name)));
  }
  for (const folder of outdatedNumbers(numbered, paths)) dropped.add(folder);
  return withoutFolders(paths, dropped);
}

/** Leaves out folders named like one of the languages that stand beside a folder `en`. */
export function dropForeignLanguages(paths: readonly string[], languages: readonly string[]): string[] {
  const dropped = new Set<string>();
  for (const [parent, names] of toFolders(paths)) {
    if (!["en", "en-us", "en-US", "en_US"].some((name) => names.has(name))) continue;
    for (const name of names) {
      const [language = "", region = ""] = name.toLowerCase().split(/[-_]/);
      if (/^(?:[a-z]{2,4}|\d{3})?$/.test(region) && (languages.includes(language) || isLanguageLike(name)))
        dropped.add(join(parent, name));
    }
  }
  return withoutFolders(paths, dropped);
}

const released = ["latest", "stable"];
const unreleased = new Set(["next", "dev", "canary"]);

function outdated(names: ReadonlySet<string>): string[] {
  const versions = [...names].flatMap((name) => toVersion(name) ?? []);
  const hasRelease = released.some((name) => names.has(name));
  if (versions.length === 0 && !hasRelease) return [];
  const sorted = versions.toSorted(newestFirst).map(({ name }) => name);
  return [...[...names].filter((name) => unreleased.has(name)), ...sorted.slice(hasRelease ? 0 : 1)];
}

interface FolderVersion {
  readonly name: string;
  readonly numbers: readonly number[];
}

/** The version that a folder's name is: `v2`, `1.4`, `2.x`, `version-3.1`. Plain numbers need a closer look. */
function toVersion(name: string): FolderVersion | undefined {
  const [, digits] = /^(?:v(?=\d)|version-v?)?(\d+(?:\.\d+|\.x)*)$/.exec(name) ?? [];
  if (digits === undefined || /^\d+$/.test(name)) return undefined;
  return { name, numbers: toNumbers(digits) };
}

/**
 * Folders `13`, `14`, `15` are versions if they hold the same documents, and chapters otherwise. At least two
 * documents and half of an older folder must be in the newest one under the same names. Each group is newest first.
 */
function outdatedNumbers(groups: readonly (readonly string[])[], paths: readonly string[]): string[] {
  const contents = new Map(groups.flat().map((folder): [string, string[]] => [folder, []]));
  if (contents.size === 0) return [];
  for (const path of paths)
    for (let slash = path.indexOf("/"); slash > 0; slash = path.indexOf("/", slash + 1))
      contents.get(path.slice(0, slash))?.push(path.slice(slash));
  return groups.flatMap(([newest = "", ...older]) => {
    const current = new Set(contents.get(newest));
    return older.filter((folder) => {
      const inside = contents.get(folder) ?? [];
      const shared = inside.filter((path) => current.has(path)).length;
      return shared >= 2 && shared * 2 >= inside.length;
    });
  });
}

function newestFirst(one: FolderVersion, other: FolderVersion): number {
  const length = Math.max(one.numbers.length, other.numbers.length);
  for (let i = 0; i < length; i += 1) {
    const [mine, others] = [one.numbers[i] ?? 0, other.numbers[i] ?? 0];
    if (mine !== others) return mine > others ? -1 : 1;
  }
  return one.name < other.name ? -1 : 1;
}

/** `2.x` stands for the newest of its line. */
function toNumbers(digits: string): number[] {
  return digits.split(".").map((part) => (part === "x" ? Infinity : Number(part)));
}

function isLanguageLike(name: string): boolean {
  return /^[a-z]{2}[-_][A-Za-z]{2}$/.test(name) && !name.startsWith("en");
}

/** The names of the folders in each folder; "" is the root. */
function toFolders(paths: readonly string[]): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  const seen = new Set<string>();
  for (const path of paths) {
    let end = path.lastIndexOf("/");
    while (end > 0) {
      const folder = path.slice(0, end);
      if (seen.has(folder)) break;
      seen.add(folder);
      end = folder.lastIndexOf("/");
      const parent = end < 0 ? "" : folder.slice(0, end);
      const names = folders.get(parent) ?? new Set();
      names.add(folder.slice(end + 1));
      folders.set(parent, names);
    }
  }
  return folders;
}

function withoutFolders(paths: readonly string[], dropped: ReadonlySet<string>): string[] {
  if (dropped.size === 0) return [...paths];
  return paths.filter((path) => {
    for (let slash = path.indexOf("/"); slash > 0; slash = path.indexOf("/", slash + 1))
      if (dropped.has(path.slice(0, slash))) return false;
    return true;
  });
}

function join(parent: string, name: string): string {
  return parent === "" ? name : `${parent}/${name}`;
}
