import { Failure } from "../../domain/failures.ts";
import { latest } from "../../domain/kinds/package.ts";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { registries } from "../../domain/packages.ts";
import type { SourceState } from "../../domain/ports.ts";
import { chooseRefs } from "../../domain/refs.ts";
import type { SourceRef } from "../../domain/source.ts";
import { nearestNames, newestFirst } from "../../domain/versions.ts";
import type { Listing, PackageVersion } from "./registry.ts";

/** Maximum number of versions of a package, and of names that move among them. */
export const maxVersions = 50_000;
const maxTags = 1000;
const maxTagLength = 200;

const plainName = /^[\w.+!~-]{1,200}$/;

/**
 * A listing without malformed versions and tags, which makes it short enough to be returned by a thread.
 * @throws Failure library_too_large
 */
export function plainVersions({ versions, tags }: Listing): Listing {
  if (versions.length > maxVersions) throw tooMany(`the ${maxVersions} versions`);
  const plainTags = Object.entries(tags).filter(([tag, name]) => tag.length <= maxTagLength && plainName.test(name));
  return {
    versions: versions.filter(({ name }) => plainName.test(name)),
    tags: Object.fromEntries(plainTags.slice(0, maxTags)),
  };
}

/** The failure for a package with more of something than is looked at. */
export function tooMany(most: string): Failure {
  return new Failure("library_too_large", `The package has more than ${most} that are looked at.`);
}

/** The version that is wanted: by its name, a tag, or `latest`. @throws Failure branch_not_found, no_snippets_found */
export function chooseVersion(spec: PackageSourceSpec, { versions, tags }: Listing, wanted: string): PackageVersion {
  const byName = new Map(versions.map((version) => [version.name, version]));
  const exact = byName.get(tags[wanted] ?? wanted);
  if (exact) return exact;
  const names = versions.filter(({ withdrawn }) => withdrawn !== true).map(({ name }) => name);
  const newest = wanted === latest ? byName.get(newestFirst(names)[0] ?? "") : undefined;
  if (newest) return newest;
  const of = `${registries[spec.registry].label} package ${spec.name}`;
  if (names.length === 0) throw new Failure("no_snippets_found", `The ${of} has no version that can be read.`);
  throw new Failure(
    "branch_not_found",
    `The ${of} has no version "${wanted.slice(0, 100)}". Nearest to it: ${nearestNames(wanted, names, 3).join(", ")}.`,
  );
}

/** The refs of a package: its versions as tags, its moving tags as branches. */
export function refsOf(
  { registry, name: packageName }: PackageSourceSpec,
  { versions, tags }: Listing,
  named: ReadonlySet<string>,
): { readonly refs: SourceState["refs"]; readonly leftOut: number } {
  const chooser = chooseRefs(`/${registry}/${packageName}`, named);
  const byName = new Map(versions.map((version) => [version.name, version]));
  const refOf = (ref: string, kind: SourceRef["kind"], version: PackageVersion): SourceRef => ({
    name: ref,
    kind,
    revision: revisionOf(version),
  });
  for (const [tag, name] of Object.entries(tags)) {
    const version = byName.get(name);
    if (tag !== latest && version) chooser.add(refOf(tag, "branch", version));
  }
  for (const version of versions) if (version.withdrawn !== true) chooser.add(refOf(version.name, "tag", version));
  return chooser.chosen();
}

/** The revision of a library that is at a version. */
export function revisionOf({ name, revision }: PackageVersion): string {
  return `${name} ${revision}`.trim();
}
