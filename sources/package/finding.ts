import { Failure } from "../../domain/failures.ts";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { registries } from "../../domain/packages.ts";
import type { RegistryPlace } from "../../domain/packages.ts";
import type { Listing, PackageVersion } from "./registry.ts";

/** Lists the versions of a package at one registry. @throws Failure source_not_found where it has none, and others */
export type ListAt = (place: Pick<RegistryPlace, "url" | "restricted">) => Promise<Listing>;

/** A registry that has a package. */
export interface Found {
  readonly url: string;
  readonly listing: Listing;
}

/**
 * The first registry that has a package: the one of its source, then those behind it that are as open as that. What everybody reads is
 * never looked for where credentials are shown, nor the other way round.
 * @throws Failure source_not_found where none has it
 */
export async function findPackage(
  spec: PackageSourceSpec,
  places: readonly RegistryPlace[],
  listAt: ListAt,
): Promise<Found> {
  const at = places.findIndex(({ url }) => url === spec.url);
  const own = places[at] ?? { url: spec.url, restricted: spec.restricted };
  const behind = at < 0 || spec.named === true ? [] : places.slice(at + 1);
  const asked = [own, ...behind.filter(({ restricted }) => restricted === spec.restricted)];
  for (const [index, place] of asked.entries()) {
    try {
      return { url: place.url, listing: await listAt({ url: place.url, restricted: spec.restricted }) };
    } catch (error) {
      const isMissing = error instanceof Failure && error.code === "source_not_found";
      const isLast = index === asked.length - 1;
      if (isMissing && isLast) throw missing(spec, asked, places, error);
      const mayFail = error instanceof Failure && place.orElse === "failing";
      if (isLast || !(isMissing || mayFail)) throw error;
    }
  }
  throw new TypeError("One registry is asked at least.");
}

/**
 * Holds a name to one package: where a registry that is read with credentials and one that is read without both have it, neither is read,
 * unless they have the same file at the version or the submission has named its registry.
 * @throws Failure validation_error for two packages, and what asking the others throws: what cannot be told is not read
 */
export async function refuseTwins(
  spec: PackageSourceSpec,
  places: readonly RegistryPlace[],
  { name, revision }: PackageVersion,
  listAt: ListAt,
): Promise<void> {
  if (spec.named === true) return;
  for (const place of places) {
    if (place.restricted === spec.restricted || place.url === spec.url) continue;
    const twin = await listOrNone(place, listAt);
    if (twin === undefined) continue;
    const same = twin.versions.some((one) => one.name === name && one.revision === revision);
    if (same && revision !== "") continue;
    throw new Failure(
      "validation_error",
      `More than one registry of this server has a package called ${spec.name}, and nothing shows that ${name} is the same in both, so that none is read. ` +
        "An administrator of the instance submits it with registryUrl, the address of the one that is meant.",
    );
  }
}

async function listOrNone(place: RegistryPlace, listAt: ListAt): Promise<Listing | undefined> {
  try {
    return await listAt(place);
  } catch (error) {
    if (error instanceof Failure && error.code === "source_not_found") return undefined;
    throw error;
  }
}

/** Versions of a package that are looked at. */
const maxVersions = 50_000;

/** A listing without what no registry takes for a version. @throws Failure library_too_large */
export function plainVersions({ name }: PackageSourceSpec, { versions, tags }: Listing): Listing {
  if (versions.length > maxVersions)
    throw new Failure("library_too_large", `${name} has more than the ${maxVersions} versions that are looked at.`);
  return { versions: versions.filter((version) => /^[\w.+!~-]{1,200}$/.test(version.name)), tags };
}

/** Where several registries were asked, or some were not, the failure of the last one says too little. */
function missing(
  { registry, name, restricted }: PackageSourceSpec,
  asked: readonly Pick<RegistryPlace, "url">[],
  places: readonly RegistryPlace[],
  cause: Failure,
): Failure {
  const isAll = places.every((place) => place.restricted === restricted);
  if (asked.length === 1 && isAll) return cause;
  const hosts = asked.map(({ url }) => new URL(url).host).join(", ");
  const others = isAll
    ? ""
    : " If it is in another registry of this server, an administrator submits it with registryUrl.";
  return new Failure(
    "source_not_found",
    `No ${registries[registry].label} package ${name} is at ${hosts}. Check its name.${others}`,
    { cause },
  );
}
