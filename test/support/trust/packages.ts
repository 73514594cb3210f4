import type { PackageFacts } from "../../../domain/package-trust.ts";
import type { RegistryName } from "../../../domain/packages.ts";
import type { Repository } from "./repositories.ts";

/** A package of a public registry. */
export interface Package {
  readonly what: string;
  readonly registry: RegistryName;
  readonly name: string;
  /** Invented facts in place of the registry's, for cases that should not name a real package. */
  readonly made?: Partial<PackageFacts> & { readonly days: number; readonly changed: number };
  /** The library that it copies. */
  readonly original?: string;
  /** The repository whose manifest names the package, with an invented answer of its host. */
  readonly repository?: Pick<Repository, "host" | "name" | "figures">;
}

const team = { followers: 1500, repositories: 200, ownerDays: 4000 };
const person = { followers: 300, repositories: 100, ownerDays: 4500, profile: 0.75 };
const on = (name: string, figures: Repository["figures"]): NonNullable<Package["repository"]> => ({
  host: "github",
  name,
  figures,
});

const express = on("expressjs/express", { stars: 66_000, forks: 17_000, changed: 5, ...team });
const stranger = { followers: 0, repositories: 2, ownerDays: 20, profile: 0 };
/** A package that was published two weeks ago and is downloaded by bots only. */
const unknown = { days: 14, changed: 14, versions: 3, maintainers: 1, downloads: 300 };

/** Public and invented packages. The typo-squats have been reported publicly. */
export const packages: readonly Package[] = [
  { what: "famous", registry: "npm", name: "express", repository: express },
  {
    what: "famous",
    registry: "npm",
    name: "lodash",
    repository: on("lodash/lodash", { stars: 60_000, forks: 7000, changed: 60, ...team, followers: 800 }),
  },
  { what: "typo-squat of lodash", registry: "npm", name: "loadsh" },
  { what: "typo-squat of cross-env, emptied by npm", registry: "npm", name: "crossenv" },
  {
    what: "its repository is archived",
    registry: "npm",
    name: "request",
    repository: on("request/request", { stars: 25_000, forks: 3000, changed: 700, isArchived: true, ...person }),
  },
  {
    what: "famous",
    registry: "pypi",
    name: "requests",
    repository: on("psf/requests", { stars: 53_000, forks: 9000, changed: 10, ...team }),
  },
  {
    what: "not changed for a decade",
    registry: "pypi",
    name: "nose",
    repository: on("nose-devs/nose", { stars: 1400, forks: 400, changed: 3000, ...person, followers: 30 }),
  },
  { what: "placeholder with another's name", registry: "pypi", name: "sklearn" },
  {
    what: "famous",
    registry: "crates",
    name: "serde",
    repository: on("serde-rs/serde", { stars: 10_000, forks: 850, changed: 4, ...team, followers: 900 }),
  },
  {
    what: "its repository is archived",
    registry: "crates",
    name: "serde_yaml",
    repository: on("dtolnay/serde-yaml", {
      stars: 1000,
      forks: 180,
      changed: 650,
      isArchived: true,
      ...person,
      followers: 9000,
    }),
  },
  {
    what: "famous",
    registry: "go",
    name: "github.com/spf13/cobra",
    repository: on("spf13/cobra", { stars: 40_000, forks: 3000, changed: 20, ...person, followers: 5000 }),
  },
  {
    what: "deprecated",
    registry: "go",
    name: "github.com/golang/protobuf",
    repository: on("golang/protobuf", { stars: 10_000, forks: 1600, changed: 300, ...team }),
  },
  { what: "its repository is on a host without an API", registry: "go", name: "golang.org/x/sync" },
  {
    what: "famous",
    registry: "npm",
    name: "@acme/famous",
    made: { days: 4000, changed: 10, versions: 290, maintainers: 5, downloads: 30_000_000, isAttested: true },
    repository: express,
  },
  {
    what: "deprecated",
    registry: "npm",
    name: "@acme/deprecated",
    made: { days: 4000, changed: 1500, versions: 120, maintainers: 3, downloads: 12_000_000, isDeprecated: true },
    repository: express,
  },
  {
    what: "used, and names no repository",
    registry: "npm",
    name: "@acme/closed",
    made: { days: 1500, changed: 60, versions: 40, maintainers: 2, downloads: 40_000 },
  },
  {
    what: "fork under a name of its own",
    registry: "npm",
    name: "@mallory/express",
    made: { ...unknown, downloads: 900, days: 400 },
    repository: on("mallory/express", { stars: 12, changed: 14, isFork: true, ...person }),
  },
  { what: "typo-squat that names the original's repository", registry: "npm", name: "expresss", made: unknown },
  {
    what: "typo-squat with the original's pages",
    registry: "npm",
    name: "exppress",
    made: { ...unknown, days: 900, downloads: 20_000 },
    original: "/npm/express",
  },
  {
    what: "new, of a stranger",
    registry: "crates",
    name: "acme_new",
    made: { ...unknown, maintainers: null },
    repository: on("mallory/new", { stars: 1, changed: 0, ...stranger }),
  },
  { what: "new, of a stranger, no counts", registry: "pypi", name: "acme-new", made: { ...unknown, downloads: null } },
  {
    what: "every version yanked",
    registry: "crates",
    name: "acme_yanked",
    made: { days: 2000, changed: 900, versions: 12, downloads: 50_000, isWithdrawn: true },
  },
];
