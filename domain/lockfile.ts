import type { RegistryName } from "./packages.ts";

/** A package in a lockfile. */
export interface Dependency {
  readonly registry: RegistryName;
  readonly name: string;
  /** The installed version; a range where the file pins none. */
  readonly version: string;
  /** A direct dependency of the project; null: the file does not say. */
  readonly direct: boolean | null;
  /** For development only; null: the file does not say. */
  readonly dev: boolean | null;
}

/** Maximum number of packages of a lockfile, or of a list, that are answered for. */
export const maxPackages = 5000;

/** A parsed lockfile. */
export interface Lockfile {
  /** Its format by file name, such as `package-lock.json`. */
  readonly format: string;
  /** At most `maxPackages`. */
  readonly dependencies: readonly Dependency[];
  /** Number of dependencies beyond these. */
  readonly leftOut: number;
  /** Number of entries that are not from a registry: folders, repositories, addresses. */
  readonly others: number;
}

/** Distinct dependencies: direct ones first, then by name. Duplicates are merged: direct over indirect, runtime over development. */
export function inOrderOfNeed(dependencies: readonly Dependency[]): readonly Dependency[] {
  const found = new Map<string, Dependency>();
  for (const one of dependencies) {
    const key = `${one.registry} ${one.name} ${one.version}`;
    const before = found.get(key);
    const direct = before?.direct === true || one.direct === true ? true : (before?.direct ?? one.direct);
    const dev = before?.dev === false || one.dev === false ? false : (before?.dev ?? one.dev);
    found.set(key, { ...one, direct, dev });
  }
  const rank = ({ direct }: Dependency): number => (direct === true ? 0 : direct === null ? 1 : 2);
  return [...found.values()].toSorted(
    (one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0),
  );
}
