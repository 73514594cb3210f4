import type { GitHost } from "./source.ts";

/** A registry of packages, as programs call it. */
export type RegistryName = "npm" | "pypi" | "crates" | "go";

/** What there is to know of a registry without asking it. */
export interface RegistryFacts {
  /** What people call it. */
  readonly label: string;
  /** Address of the public one. */
  readonly url: string;
  /** First segment of the IDs of its packages. */
  readonly prefix: string;
  /** What names look like once they are normal. */
  readonly rule: RegExp;
  readonly example: string;
  /** A name as the registry compares it. */
  normal(name: string): string;
  /** What stands for the name in an ID. */
  id(name: string): string;
}

const same = (name: string): string => name;

/** The registries, one entry each. Readers (`sources/package/registries.ts`) have the same keys. */
export const registries: Readonly<Record<RegistryName, RegistryFacts>> = {
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
    // The host keeps its dots, which tells a module from a package of npm under its other name.
    id: (name) => name.replaceAll("/", "_"),
  },
};

/** Names of the registries. */
export const registryNames = Object.keys(registries) as readonly RegistryName[];

/** What `registry:name@version` says; null where a text has another shape. */
export function parsePackage(
  text: string,
): { readonly registry: RegistryName; readonly name: string; readonly version: string | null } | null {
  const [, registry = "", rest = ""] = /^(?:pkg:)?(npm|pypi|crates|cargo|go|golang)[:/](.+)$/is.exec(text.trim()) ?? [];
  const [, name = "", version] = /^(@?[^@]+)(?:@(.+))?$/s.exec(rest) ?? [];
  if (name === "") return null;
  const other: Readonly<Record<string, RegistryName>> = { cargo: "crates", golang: "go" };
  const found = registry.toLowerCase();
  return { registry: other[found] ?? (found as RegistryName), name, version: version ?? null };
}

/** Which kind of Git host serves a repository, as far as its name tells. */
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
  /** It is read with credentials of the server, so that its packages are not for everybody. */
  readonly restricted: boolean;
  /** When the next one is asked in place of this: where it has no such package, unless this says that any failure will do. */
  readonly orElse?: "failing";
}

/** How a registry is reached, where that is not what the environment of the process says. */
export interface RegistryRoute {
  readonly proxies?: {
    readonly http: string | undefined;
    readonly https: string | undefined;
    /** Hosts that are reached directly, separated by commas or spaces. */
    readonly except: string;
  };
  /** The certificates that are trusted, as PEM, in place of the usual ones. */
  readonly ca?: string;
}

/** The registries that the server is configured for. */
export interface RegistryAccess {
  /** Those that may have a package, in the order in which they are asked, one at least; a sentence that says why there is none. */
  placesOf(registry: RegistryName, name: string): readonly RegistryPlace[] | string;
  /** Value of the Authorization header for a request to `url` that is made for the registry at `place`; null: none. */
  authorizationFor(registry: RegistryName, place: string, url: URL): string | null;
  routeOf(registry: RegistryName): RegistryRoute;
}

/** Access to the public registries, without credentials. */
export const publicRegistries: RegistryAccess = {
  placesOf: (registry) => [{ url: registries[registry].url, restricted: false }],
  authorizationFor: () => null,
  routeOf: () => ({}),
};
