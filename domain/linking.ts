import { visibleTeamspaces } from "./access.ts";
import type { Caller } from "./access.ts";
import { may } from "./authorizing.ts";
import type { PackageSourceSpec } from "./kinds/index.ts";
import type { TeamspaceAccess } from "./policies.ts";
import type { Catalog, LibraryFacet, LibraryRecord, PackageLink } from "./ports.ts";

/** A library that is linked to another one. */
export interface LinkedLibrary {
  readonly uid: string;
  readonly libraryId: string;
  /** Its relation to the other one. */
  readonly relation: "repository" | "package";
  /** A manifest of the repository names the package; otherwise only the package names the repository. */
  readonly isConfirmed: boolean;
}

/** A package with the libraries of its repository. */
export interface LinkedPackage {
  readonly source: PackageSourceSpec;
  readonly repositories: readonly LinkedLibrary[];
}

/** Maximum number of packages that are listed for a repository. */
const packagesNamed = 20;

type LinkPorts = { readonly catalog: Pick<Catalog, "libraries"> };

/** The packages among some libraries, each with the libraries of its repository that the caller may read. */
export async function packagesAmong(
  { catalog: { libraries } }: LinkPorts,
  caller: Caller,
  access: TeamspaceAccess,
  uids: readonly string[],
): Promise<ReadonlyMap<string, LinkedPackage>> {
  if (uids.length === 0) return new Map();
  const links = await libraries.links({ packages: uids }, visibleTeamspaces(caller));
  const facets = await facetsOf({ libraries }, [...uids, ...links.map(({ repositoryUid }) => repositoryUid)]);
  const readable = facets.filter((one) => isReadable(one, caller, access));
  const sources = new Map(facets.map(({ uid, source }) => [uid, source]));
  return new Map(
    uids.flatMap((uid) => {
      const source = sources.get(uid);
      if (source?.kind !== "package") return [];
      const own = links.filter(({ packageUid }) => packageUid === uid);
      return [[uid, { source, repositories: own.flatMap((link) => toLinked(readable, link, "repository")) }] as const];
    }),
  );
}

/** The libraries linked to one that the caller may read: the repository of a package, or the packages of a repository. */
export async function linkedLibraries(
  ports: LinkPorts,
  caller: Caller,
  access: TeamspaceAccess,
  { uid, source }: Pick<LibraryRecord, "uid" | "source">,
): Promise<readonly LinkedLibrary[]> {
  const { libraries } = ports.catalog;
  const relation = source.kind === "package" ? "repository" : "package";
  const of = relation === "repository" ? { packages: [uid] } : { repository: uid, limit: packagesNamed };
  const links = await libraries.links(of, visibleTeamspaces(caller));
  const others = links.map((link) => (relation === "repository" ? link.repositoryUid : link.packageUid));
  const facets = await facetsOf({ libraries }, others);
  const readable = facets.filter((one) => isReadable(one, caller, access));
  return links.flatMap((link) => toLinked(readable, link, relation));
}

async function facetsOf(
  { libraries }: LinkPorts["catalog"],
  uids: readonly string[],
): Promise<readonly LibraryFacet[]> {
  return uids.length === 0 ? [] : libraries.facets({ uids: [...new Set(uids)] });
}

/** Whether the caller may read a library that has something to read. */
function isReadable(one: LibraryFacet, caller: Caller, access: TeamspaceAccess): boolean {
  return one.servedAt !== null && may(caller, "library.read", one) && access.exclusion(one, one.servedAt) === undefined;
}

function toLinked(
  readable: readonly LibraryFacet[],
  { packageUid, repositoryUid, isConfirmed }: PackageLink,
  relation: LinkedLibrary["relation"],
): readonly LinkedLibrary[] {
  const uid = relation === "repository" ? repositoryUid : packageUid;
  const facet = readable.find((one) => one.uid === uid);
  return facet ? [{ uid: facet.uid, libraryId: facet.id, relation, isConfirmed }] : [];
}
