import type { RegistryAccess, RegistryName } from "../../domain/packages.ts";
import { registryAccess, type RegistryConfiguration } from "../../sources/package/configured/index.ts";

/** The configuration of registries, in the format of each program. */
export interface Configured {
  readonly npmrc?: string;
  readonly npmRegistry?: string;
  readonly pip?: Partial<RegistryConfiguration["pip"]>;
  /** Files by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly go?: Partial<RegistryConfiguration["go"]>;
  readonly netrc?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The access to registries of a configuration. */
export function accessTo({
  npmrc = "",
  npmRegistry = "",
  pip = {},
  files = {},
  go = {},
  netrc = "",
  env = {},
}: Configured) {
  const configuration: RegistryConfiguration = {
    npm: { registry: npmRegistry, npmrc },
    pip: { indexUrl: "", extraIndexUrls: "", file: "", ...pip },
    cargo: { home: "/home/user/.cargo" },
    go: { proxies: "", isPrivate: "", isKept: "", file: "", ...go },
    netrc,
  };
  return registryAccess(configuration, env, (path) => files[path] ?? "");
}

/** The places of a package, with `*` at those that are read with credentials. */
export function placesOf(access: RegistryAccess, registry: RegistryName, name = "widgets"): string | readonly string[] {
  const places = access.placesOf(registry, name);
  if (typeof places === "string") return places;
  return places.map(({ url, restricted, orElse = "" }) => `${url}${restricted ? "*" : ""}${orElse}`);
}
