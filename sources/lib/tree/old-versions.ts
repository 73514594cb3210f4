import { contentsOf, folderOf, join, mirrors, toFolders, withoutFolders } from "./paths.ts";

/**
 * Drops folders of old versions, as otherwise every question would get an answer from each version. Among siblings named like versions
 * it keeps `latest`, `stable` and `current`, or else the highest version, unless the parent has the same documents without a version. It
 * drops Docusaurus' `versioned_docs` if the unversioned documents are next to it or to its parent. It keeps a single version folder,
 * folders named by numbers or dates that are chapters, years or posts, and folders that are `requested` by name. `latest`: the version of
 * the latest release, which is kept in place of a higher one.
 */
export function dropOldVersions(
  paths: readonly string[],
  requested: (folder: string) => boolean = () => false,
  latest?: string,
): string[] {
  const dropped = new Set<string>();
  const numbered: string[][] = [];
  /** Version folders that are kept, unless their parents have the same documents. */
  const newest: (readonly [parent: string, name: string])[] = [];
  const unfinished: Unfinished[] = [];
  /** Sibling folders named by dates, or by versions of one name; each group is oldest first. */
  const dated: string[][] = [];
  const folders = toFolders(paths);
  for (const [parent, names] of folders) {
    const isVersioned = versionedDocs.test(parent);
    const { old, upcoming, kept } = splitVersions(names, isVersioned, latest);
    for (const name of old) dropped.add(join(parent, name));
    if (upcoming.length > 0)
      unfinished.push({ parent, upcoming, others: [...names].filter((name) => !upcoming.includes(name)) });
    if (kept !== undefined && !isVersioned) newest.push([parent, kept]);
    for (const name of names) if (hasCurrent(folders, parent, name)) dropped.add(join(parent, name));
    const numbers = [...names].filter((name) => /^[1-9]\d{0,2}$/.test(name));
    if (numbers.length > 1)
      numbered.push(numbers.toSorted((one, other) => Number(other) - Number(one)).map((name) => join(parent, name)));
    const dates = [...names].filter((name) => date.test(name));
    for (const group of [dates.toSorted(), ...editionsOf(names)])
      if (group.length > 1) dated.push(group.map((name) => join(parent, name)));
  }
  const outdated = [
    ...dropped,
    ...unreleasedFolders(unfinished, paths),
    ...outdatedNumbers(numbered, paths),
    ...outdatedDates(dated, paths),
    ...alsoUnversioned(newest, paths),
  ];
  return withoutFolders(paths, new Set(outdated.filter((folder) => !requested(folder))));
}

const date = /^20\d\d-[01]\d(?:-[0-3]\d)?$/;
const released = ["latest", "stable"];
const unreleased = new Set(
  "next,draft,dev,devel,develop,development,canary,nightly,edge,unreleased,main,master".split(","),
);

/** Docusaurus' folder of old versions, of its first or another instance. */
const versionedDocs = /(?:^|[/_])versioned_docs$/;

/** Sibling names that are versions. */
interface SplitVersions {
  readonly old: readonly string[];
  /** Names of versions that may be unreleased. */
  readonly upcoming: readonly string[];
  /** The version to keep, unless it is `latest`, `stable` or `current`. */
  readonly kept?: string;
}

/** Sibling folders, some of which are named like unreleased versions. */
interface Unfinished {
  readonly parent: string;
  readonly upcoming: readonly string[];
  readonly others: readonly string[];
}

/** The folders of unreleased versions, which share documents with a sibling: `development` next to `v3` may be about development. */
function unreleasedFolders(groups: readonly Unfinished[], paths: readonly string[]): string[] {
  const contents = contentsOf(
    groups.flatMap(({ parent, upcoming, others }) => [...upcoming, ...others].map((name) => join(parent, name))),
    paths,
  );
  return groups.flatMap(({ parent, upcoming, others }) => {
    const siblings = new Set(others.flatMap((name) => contents.get(join(parent, name)) ?? []));
    return upcoming
      .map((name) => join(parent, name))
      .filter((folder) => mirrors(contents.get(folder) ?? [], (path) => siblings.has(path), 1));
  });
}

function splitVersions(names: ReadonlySet<string>, isVersioned: boolean, latest?: string): SplitVersions {
  const versions = [...names].flatMap((name) => toVersion(name) ?? (isVersioned ? { name, numbers: [] } : []));
  // Not every folder named "current" is a version.
  const hasRelease = released.some((name) => names.has(name)) || (versions.length > 0 && names.has("current"));
  const isDated = [...names].some((name) => date.test(name));
  const hasVersions = versions.length > 0 || hasRelease;
  const upcoming = hasVersions || isDated ? [...names].filter((name) => unreleased.has(name)) : [];
  const newest = versions.toSorted(newestFirst).map(({ name }) => name);
  const kept = newest.find((name) => latest !== undefined && isVersion(name, latest)) ?? newest[0];
  if (hasRelease || kept === undefined) return { old: newest, upcoming };
  return { old: newest.filter((name) => name !== kept), upcoming, kept };
}

/** Names of one folder in several versions, such as `v1.1-docs`, `v1.2-docs` and `docs`, each group oldest first; that without a version is the newest. */
function editionsOf(names: ReadonlySet<string>): readonly (readonly string[])[] {
  const versions = [...names].flatMap((name) => {
    const [, version = "", plain = ""] = /^(v\d[\d.]*|\d+(?:\.\d+)+)[-_](?=[a-z])(.+)$/i.exec(name) ?? [];
    const parsed = toVersion(version);
    return parsed === undefined ? [] : [{ plain, name, numbers: parsed.numbers }];
  });
  return [...Map.groupBy(versions, ({ plain }) => plain)].map(([plain, group]) => [
    ...group
      .toSorted(newestFirst)
      .map(({ name }) => name)
      .toReversed(),
    ...(names.has(plain) ? [plain] : []),
  ]);
}

/** Whether a folder is `versioned_docs` or `<name>_versioned_docs`, and has unversioned documents nearby. */
function hasCurrent(folders: ReadonlyMap<string, ReadonlySet<string>>, parent: string, name: string): boolean {
  if (!versionedDocs.test(name)) return false;
  const current = name === "versioned_docs" ? "docs" : name.slice(0, -"_versioned_docs".length);
  // Docusaurus 1 kept its documents next to the folder of the site.
  return [parent, folderOf(parent)].some((folder) => folders.get(folder)?.has(current) === true);
}

interface FolderVersion {
  readonly name: string;
  readonly numbers: readonly number[];
}

/** Parses the name of a folder as a version: `v2`, `1.4`, `2.x`, `2x`, `version-3.1`, `v4.0.0-beta.1`, but not plain numbers. */
function toVersion(name: string): FolderVersion | undefined {
  const pattern =
    /^(?:v(?=\d)|(?:version|release)-v?)?(\d+(?:\.\d+|\.?x)*)([-.]?(?:alpha|beta|rc|preview|pre)[-.\d]*)?$/i;
  const [, digits, early] = pattern.exec(name) ?? [];
  if (digits === undefined || /^\d+$/.test(name)) return undefined;
  // A pre-release is older than its release.
  return { name, numbers: [...toNumbers(digits), ...(early === undefined ? [] : [-1])] };
}

/**
 * The old versions among folders such as `13`, `14`, `15`. They are versions, not chapters, if at least two documents and half of an
 * older folder are in the newest one under the same names. Each group is newest first.
 */
function outdatedNumbers(groups: readonly (readonly string[])[], paths: readonly string[]): string[] {
  const contents = contentsOf(groups.flat(), paths);
  return groups.flatMap(([newest = "", ...older]) => {
    const current = new Set(contents.get(newest));
    return older.filter((folder) => mirrors(contents.get(folder) ?? [], (path) => current.has(path)));
  });
}

/**
 * The old versions among folders such as `2024-11-05`, `2025-06-18` or `v1-docs`, `docs`. They are versions, not posts, if they share documents like plain
 * numbers do, but with any newer folder, as documents move over the years. Each group is oldest first.
 */
function outdatedDates(groups: readonly (readonly string[])[], paths: readonly string[]): string[] {
  const contents = contentsOf(groups.flat(), paths);
  return groups.flatMap((group) => {
    const newer = new Set<string>();
    return group.toReversed().filter((folder) => {
      const inside = contents.get(folder) ?? [];
      const isOld = mirrors(inside, (path) => newer.has(path));
      for (const path of inside) newer.add(path);
      return isOld;
    });
  });
}

/** Version folders whose documents are also in their parents without a version. */
function alsoUnversioned(
  versions: readonly (readonly [parent: string, name: string])[],
  paths: readonly string[],
): string[] {
  if (versions.length === 0) return [];
  const all = new Set(paths);
  const contents = contentsOf(
    versions.map(([parent, name]) => join(parent, name)),
    paths,
  );
  return versions.flatMap(([parent, name]) => {
    const folder = join(parent, name);
    return mirrors(contents.get(folder) ?? [], (path) => all.has(join(parent, path))) ? [folder] : [];
  });
}

/** Whether a folder is named by a version, with or without a `v`. */
function isVersion(name: string, version: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/^(?:version-|release-)?v?/, "");
  return plain(name) === plain(version);
}

function newestFirst(one: FolderVersion, other: FolderVersion): number {
  const length = Math.max(one.numbers.length, other.numbers.length);
  for (let i = 0; i < length; i += 1) {
    const [mine, others] = [one.numbers[i] ?? 0, other.numbers[i] ?? 0];
    if (mine !== others) return mine > others ? -1 : 1;
  }
  return other.name.localeCompare(one.name, "en", { numeric: true });
}

/** The numbers of a version; the `x` of `2.x` is higher than any number. */
function toNumbers(digits: string): number[] {
  return digits
    .replace(/(?<=\d)x/gi, ".x")
    .split(".")
    .map((part) => (part.toLowerCase() === "x" ? Infinity : Number(part)));
}
