import { Failure, isFailure } from "../../domain/failures.ts";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { registries, type RegistryPlace } from "../../domain/packages.ts";
import { undefinedFor } from "../lib/fetch/failures.ts";
import type { Listing, PackageVersion } from "./registry.ts";

/** Lists the versions of a package at one registry. @throws as `Registry.list` */
export type ListAt = (place: Pick<RegistryPlace, "url" | "restricted">) => Promise<Listing>;

/** The registry that has a package, and its versions there. */
export interface Found {
  readonly url: string;
  readonly listing: Listing;
}

/**
 * Finds the first registry that has a package: that of its source, then those configured after it. Public packages are never looked up in
 * registries with credentials, nor the other way round.
 * @throws Failure source_not_found if none has it
 */
export async function findPackage(
  spec: PackageSourceSpec,
  places: readonly RegistryPlace[],
  listAt: ListAt,
): Promise<Found> {
  const at = places.findIndex(({ url }) => url === spec.url);
  const own = places[at] ?? { url: spec.url, restricted: spec.restricted };
  const later = at < 0 || spec.named === true ? [] : places.slice(at + 1);
  const asked = [own, ...later.filter(({ restricted }) => restricted === spec.restricted)];
  for (const [index, place] of asked.entries()) {
    try {
      return { url: place.url, listing: await listAt({ url: place.url, restricted: spec.restricted }) };
    } catch (error) {
      const isMissing = isFailure(error, "source_not_found");
      const isLast = index === asked.length - 1;
      if (isMissing && isLast) throw missing(spec, asked, places, error);
      const mayFail = error instanceof Failure && place.orElse === "failing";
      if (isLast || !(isMissing || mayFail)) throw error;
    }
  }
  throw new TypeError("At least one registry is asked.");
}

/**
 * Guards against dependency confusion: refuses a name that is in a registry with credentials and in one without, unless both have the same
 * file of the version or the submission names its registry.
 * @throws Failure validation_error for two packages; as `listAt` for the other registries
 */
export async function refuseAmbiguousPackage(
  spec: PackageSourceSpec,
  places: readonly RegistryPlace[],
  { name, revision }: PackageVersion,
  listAt: ListAt,
): Promise<void> {
  if (spec.named === true) return;
  for (const place of places) {
    if (place.restricted === spec.restricted || place.url === spec.url) continue;
    const twin = await listAt(place).catch(undefinedFor("source_not_found"));
    if (twin === undefined) continue;
    const same = twin.versions.some((one) => one.name === name && one.revision === revision);
    if (same && revision !== "") continue;
    throw new Failure(
      "validation_error",
      `More than one registry of this server has a package called ${spec.name}, and nothing shows that ${name} is the same in both, so neither is read. ` +
        "An administrator of the instance can submit it with registryUrl, the address of the right registry.",
    );
  }
}

/** The failure if no registry has a package: that of the only one, or one that names all requested ones. */
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
    : " If it is in another registry of this server, an administrator can submit it with registryUrl.";
  return new Failure(
    "source_not_found",
    `No ${registries[registry].label} package ${name} is at ${hosts}. Check its name.${others}`,
    { cause },
  );
}
