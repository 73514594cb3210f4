import type { RegistryName } from "./packages.ts";

/** A package that a lockfile has. */
export interface Dependency {
  readonly registry: RegistryName;
  readonly name: string;
  /** As it is installed; a range where the file pins none. */
  readonly version: string;
  /** The project asks for it itself; null: the file does not tell. */
  readonly direct: boolean | null;
  /** For development only; null: the file does not tell. */
  readonly dev: boolean | null;
}

/** What a lockfile says. */
export interface Lockfile {
  /** As its program calls it, such as `package-lock.json`. */
  readonly format: string;
  readonly dependencies: readonly Dependency[];
  /** Entries that come from no registry: folders, repositories, addresses. */
  readonly others: number;
}

/** Dependencies, each once for a version: direct ones first, then by name. One that is needed in two ways counts as the nearer one. */
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
