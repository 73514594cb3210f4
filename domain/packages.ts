import type { IdPrefix } from "./kinds/kind.ts";
import type { GitHost } from "./source.ts";

interface RegistryFacts {
  /** Its name for people. */
  readonly label: string;
  /** Address of the public registry. */
  readonly url: string;
  /** First segment of the IDs of its packages. */
  readonly prefix: IdPrefix;
  /** Pattern of normalised names. */
  readonly rule: RegExp;
  readonly example: string;
  /** Normalises a name as the registry does. */
  normal(name: string): string;
  /** The form of the name in a library ID. */
  id(name: string): string;
}

const same = (name: string): string => name;

/** The registries, one entry each. Readers (`sources/package/registries.ts`) have the same keys. */
export const registries = {
  npm: {
    label: "npm",
    url: "https://registry.npmjs.org/",
    prefix: "npm",
    rule: /^(?:@[a-z\d~-][\w.~-]*\/)?[a-z\d~-][\w.~-]*$/i,
    example: "zod or @types/node",
    normal: same,
    id: same,
  },
  pypi: {
    label: "PyPI",
    url: "https://pypi.org/simple/",
    prefix: "pypi",
    rule: /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/,
    example: "requests",
    // PEP 503, "Normalized Names".
    normal: (name) => name.toLowerCase().replace(/[-_.]+/g, "-"),
    id: same,
  },
  crates: {
    label: "crates.io",
    url: "https://index.crates.io/",
    prefix: "crates",
    rule: /^[a-z][\w-]{0,63}$/i,
    example: "serde",
    normal: same,
    id: same,
  },
  go: {
    label: "the Go module proxy",
    url: "https://proxy.golang.org/",
    prefix: "packages",
    rule: /^[\w-]+(?:\.[\w-]+)+(?:\/[\w.~-]+)*$/,
    example: "github.com/spf13/cobra",
    normal: same,
    // The dots of the host tell a module from an npm package under its alias `/packages/…`.
    id: (name) => name.replaceAll("/", "_"),
  },
} as const satisfies Readonly<Record<string, RegistryFacts>>;

/** Name of a package registry in the API. */
export type RegistryName = keyof typeof registries;

export const registryNames = Object.keys(registries) as readonly RegistryName[];

/** Pages of packages on the registries' websites, by host: the name, and the version if the address has one. */
const packagePages: Readonly<Record<string, readonly [RegistryName, RegExp]>> = {
  "www.npmjs.com": ["npm", /^\/package\/((?:@[^/]+\/)?[^/]+)(?:\/v\/([^/]+))?\/?$/],
  "pypi.org": ["pypi", /^\/project\/([^/]+)(?:\/([^/]+))?\/?$/],
  "crates.io": ["crates", /^\/crates\/([^/]+)(?:\/([^/]+))?\/?$/],
  "docs.rs": ["crates", /^\/(?:crate\/)?(?!about(?:\/|$)|releases(?:\/|$))([^/]+)(?:\/([^/]+))?(?:\/.*)?$/],
  "pkg.go.dev": ["go", /^\/([^/@.]+\.[^/@]+(?:\/[^@]+)?)(?:@([^/]+))?$/],
};

/** The package whose page on its registry's website an address is; null for other addresses. */
function packagePage(text: string): ReturnType<typeof parsePackage> {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  if (url === null) return null;
  const host = url.host === "npmjs.com" ? "www.npmjs.com" : url.host;
  const [registry, page] = (Object.hasOwn(packagePages, host) ? packagePages[host] : undefined) ?? [];
  const [, name, version] = page?.exec(url.pathname.replaceAll("%40", "@").replace(/\/$/, "")) ?? [];
  if (registry === undefined || name === undefined) return null;
  // docs.rs has "latest" for the newest release.
  return { registry, name, version: version === undefined || version === "latest" ? null : version };
}

/** Parses `registry:name@version`, or the address of a package's page on its registry's website; null for another shape. */
export function parsePackage(
  text: string,
): { readonly registry: RegistryName; readonly name: string; readonly version: string | null } | null {
  const page = packagePage(text.trim());
  if (page !== null) return page;
  const [, registry = "", rest = ""] = /^(?:pkg:)?(npm|pypi|crates|cargo|go|golang)[:/](.+)$/is.exec(text.trim()) ?? [];
  const [, name = "", version] = /^(@?[^@]+)(?:@(.+))?$/s.exec(rest) ?? [];
  if (name === "") return null;
  const aliases: Readonly<Record<string, RegistryName>> = { cargo: "crates", golang: "go" };
  const written = registry.toLowerCase();
  return { registry: aliases[written] ?? (written as RegistryName), name, version: version ?? null };
}

/** The kind of a Git host, by its host name. */
export function gitHostOf(host: string): GitHost {
  if (host === "github.com") return "github";
  if (host === "bitbucket.org") return "bitbucket";
  if (host === "codeberg.org" || host === "gitea.com") return "gitea";
  return host.startsWith("gitlab.") ? "gitlab" : "git";
}

/** A registry that may have a package. */
export interface RegistryPlace {
  /** Address of the registry, with a slash at its end. */
  readonly url: string;
  /** It needs credentials of the server, so its packages are never public. */
  readonly restricted: boolean;
  /** The next registry is tried on any failure; absent: only if this one lacks the package. */
  readonly orElse?: "failing";
}

/** Proxies and certificates for a registry, in place of those of the environment. */
export interface RegistryRoute {
  readonly proxies?: {
    readonly http: string | undefined;
    readonly https: string | undefined;
    /** Hosts without a proxy, separated by commas or spaces. */
    readonly except: string;
  };
  /** Trusted certificates as PEM, in place of the default ones. */
  readonly ca?: string;
}

/** The registries that the server is configured for. */
export interface RegistryAccess {
  /** The registries to try for a package, in order; a string is the error message if no registry is configured for it. */
  placesOf(registry: RegistryName, name: string): readonly RegistryPlace[] | string;
  /** The Authorization header of a request to `url` for the registry at `place`; null: none. */
  authorizationFor(registry: RegistryName, place: string, url: URL): string | null;
  routeOf(registry: RegistryName): RegistryRoute;
}

/** A package in a lockfile. */
export interface Dependency {
  readonly registry: RegistryName;
  readonly name: string;
  /** The installed version; a range if the file pins none. */
  readonly version: string;
  /** A direct dependency of the project; null: the file does not say. */
  readonly direct: boolean | null;
  /** For development only; null: the file does not say. */
  readonly dev: boolean | null;
}

/** Maximum number of packages resolved for a lockfile or list. */
export const maxPackages = 5000;

/** A parsed lockfile. */
export interface Lockfile {
  /** Its format, by file name, such as `package-lock.json`. */
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
  const merged = new Map<string, Dependency>();
  for (const one of dependencies) {
    const key = `${one.registry} ${one.name} ${one.version}`;
    const before = merged.get(key);
    const direct = before?.direct === true || one.direct === true ? true : (before?.direct ?? one.direct);
    const dev = before?.dev === false || one.dev === false ? false : (before?.dev ?? one.dev);
    merged.set(key, { ...one, direct, dev });
  }
  const rank = ({ direct }: Dependency): number => (direct === true ? 0 : direct === null ? 1 : 2);
  return [...merged.values()].toSorted(
    (one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0),
  );
}
