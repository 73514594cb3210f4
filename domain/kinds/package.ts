import { Failure } from "../failures.ts";
import { parseLibraryId } from "../library.ts";
import { repositoryLinesUrl } from "../addresses.ts";
import { gitHostOf, registries, type RegistryName } from "../packages.ts";
import type { SourceKind } from "./kind.ts";

/** A package of a registry. */
export interface PackageSourceSpec {
  readonly kind: "package";
  readonly registry: RegistryName;
  /** Address of the registry, with a slash at its end: part of the identity of the source. */
  readonly url: string;
  /** Its name, as the registry writes it. */
  readonly name: string;
  /** Version or tag that the default version follows; null: the newest release. */
  readonly version: string | null;
  /** The registry needs credentials of the server, so its libraries are never public. */
  readonly restricted: boolean;
  /** The submission named the registry, so packages of the same name in other registries do not matter. */
  readonly named?: true;
}

/** The ref of a package without a version. */
export const latest = "latest";

export const packageKind: SourceKind<PackageSourceSpec> = {
  kind: "package",
  sourceType: () => "public_repos",
  idPrefix: ({ registry }) => registries[registry].prefix,
  deriveId: ({ registry, name }) =>
    parseLibraryId(`/${registries[registry].prefix}/${registries[registry].id(name)}`).id,
  location: ({ url, name }) => `${url}${name}`,
  at: (spec) => spec,
  hasPaths: true,
  order: "source",
  host: ({ url }) => new URL(url).host,
  ref: ({ version }) => version ?? latest,
  reputation: () => ({ from: "registry" }),
  unusedVersions: { named: ({ version }) => version },
  namesVersion: true,
  // The first heading of a README can be anything.
  keepsTitle: true,
  address(_spec, pageUrl, { lines }) {
    if (!lines) return pageUrl;
    // A file of an archive has its path as the fragment.
    if (pageUrl.includes("#")) return `${pageUrl}:${lines[0]}-${lines[1]}`;
    return repositoryLinesUrl(gitHostOf(new URL(pageUrl).host), pageUrl, pageUrl, lines);
  },
};

/** Validates and normalises a name by the rules of its registry. @throws Failure validation_error */
export function packageName(registry: RegistryName, text: string): string {
  const { label, rule, example, normal } = registries[registry];
  const name = normal(text.trim());
  if (rule.test(name) && name.length <= maxName) return name;
  throw new Failure(
    "validation_error",
    `"${text.slice(0, 80)}" is no name of a package of ${label}. Give one such as ${example}.`,
  );
}

/** Maximum length of a name in any registry, in characters. */
const maxName = 214;
