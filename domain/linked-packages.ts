import { visibleTeamspaces } from "./access.ts";
import type { Caller } from "./access.ts";
import type { AnsweringPorts } from "./answering.ts";
import { answeringVersion, parseRequestedPackage, requestedVersion } from "./requested-packages.ts";
import type { AnsweringVersion, RequestedPackage } from "./requested-packages.ts";
import { may } from "./authorizing.ts";
import type { PackageSourceSpec } from "./kinds/index.ts";
import { foldId } from "./library.ts";
import { registries, registryNames } from "./packages.ts";
import type { TeamspaceAccess } from "./policies.ts";
import type { LibraryEntry, Catalog, LibraryFacet, LibraryRecord, PackageLink } from "./ports.ts";
import { newestFirst } from "./versions.ts";

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
interface LinkedPackage {
  readonly source: PackageSourceSpec;
  readonly repositories: readonly LinkedLibrary[];
}

/** Maximum number of packages that are listed for a repository. */
const packagesNamed = 20;

type LinkPorts = { readonly catalog: Pick<Catalog, "libraries"> };

/** The packages among some libraries, each with the libraries of its repository that the caller may read. */
async function packagesAmong(
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

/** A found library, with its links between packages and repositories. */
export interface FoundLibrary {
  readonly entry: LibraryEntry;
  /** The package that it is; absent: none. */
  readonly package?: PackageSourceSpec;
  /** Linked libraries that the caller may read; of a repository only the packages among the found libraries. */
  readonly linked: readonly LinkedLibrary[];
  /** The requested version, and the one that answers for it; absent: none was requested, or none answers. */
  readonly asked?: AnsweringVersion & { readonly wanted: string };
}

/** The ports that finding packages needs. */
export interface PackagePorts extends Pick<AnsweringPorts, "catalog" | "ranker"> {
  /** The entries of some libraries that the caller may read. */
  readonly entries: (uids: readonly string[]) => Promise<readonly LibraryEntry[]>;
}

/** First segments of the IDs of packages. */
const prefixes: ReadonlySet<string> = new Set(registryNames.map((name) => registries[name].prefix));

/**
 * The found libraries with their links. For a name that can only be a package, its packages come first, each followed by the
 * libraries of its repository, whatever their rank.
 */
export async function withPackages(
  ports: PackagePorts,
  caller: Caller,
  access: TeamspaceAccess,
  sought: { readonly name: string; readonly query: string; readonly limit: number },
  ranked: readonly LibraryEntry[],
): Promise<readonly FoundLibrary[]> {
  const meant = parseRequestedPackage(sought.name);
  const wanted = meant && (meant.version ?? requestedVersion(meant, sought.query));
  const sure =
    meant && (meant.isSure || wanted !== null) ? await ports.entries(await uidsOf(ports, caller, meant)) : [];
  const isSure = new Set(sure.map(({ uid }) => uid));
  const first = [...sure, ...ranked.filter(({ uid }) => !isSure.has(uid))];
  const uids = first.filter(({ id }) => prefixes.has(id.split("/")[1] ?? "")).map(({ uid }) => uid);
  const packages = await packagesAmong(ports, caller, access, uids);
  const all = await withRepositories(ports, meant, packages, first);
  return all.slice(0, sought.limit).map((entry) => {
    const own = packages.get(entry.uid);
    const asked = wanted === null ? undefined : askedOf(ports, { name: sought.name, meant, wanted, own }, entry);
    return {
      entry,
      ...(own && { package: own.source }),
      linked: own?.repositories ?? packagesOf(entry.uid, packages, all),
      ...(asked && { asked }),
    };
  });
}

/** The uids of the requested package in each registry, in the order of the registries. */
async function uidsOf(
  { catalog }: Pick<PackagePorts, "catalog">,
  caller: Caller,
  { registries: meant, nameIn }: RequestedPackage,
): Promise<readonly string[]> {
  const views = await Promise.all(
    meant.map((registry) => {
      const { prefix, id } = registries[registry];
      return catalog.libraries.find(visibleTeamspaces(caller), foldId(`/${prefix}/${id(nameIn(registry))}`), "");
    }),
  );
  return views.flatMap((view) => (view && may(caller, "library.read", view.library) ? [view.library.uid] : []));
}

/** Inserts the libraries of repositories after the packages that have the requested name. */
async function withRepositories(
  { entries }: PackagePorts,
  meant: RequestedPackage | null,
  packages: ReadonlyMap<string, LinkedPackage>,
  found: readonly LibraryEntry[],
): Promise<readonly LibraryEntry[]> {
  const named = new Map(
    [...packages].filter(([, { source }]) => meant !== null && isMeant(meant, source)).map(([uid, one]) => [uid, one]),
  );
  const present = new Set(found.map(({ uid }) => uid));
  const missing = [...named.values()].flatMap(({ repositories }) => repositories.map(({ uid }) => uid));
  const more = new Map(
    (await entries([...new Set(missing.filter((uid) => !present.has(uid)))])).map((entry) => [entry.uid, entry]),
  );
  return found.flatMap((entry) => {
    const behind: LibraryEntry[] = [];
    for (const { uid } of named.get(entry.uid)?.repositories ?? []) {
      const one = more.get(uid);
      if (one && more.delete(uid)) behind.push(one);
    }
    return [entry, ...behind];
  });
}

/** The packages of a repository among the found libraries, confirmed ones only, as any package can name any repository. */
function packagesOf(
  uid: string,
  packages: ReadonlyMap<string, LinkedPackage>,
  found: readonly LibraryEntry[],
): readonly LinkedLibrary[] {
  return found.flatMap((entry) =>
    (packages.get(entry.uid)?.repositories ?? [])
      .filter((one) => one.uid === uid && one.isConfirmed)
      .map(({ isConfirmed }) => ({ uid: entry.uid, libraryId: entry.id, relation: "package" as const, isConfirmed })),
  );
}

function isMeant({ registries: meant, nameIn }: RequestedPackage, { registry, name }: PackageSourceSpec): boolean {
  return meant.includes(registry) && nameIn(registry).toLowerCase() === name.toLowerCase();
}

/** The version of a library that answers: of the requested package also the nearest one, of other libraries with its name only the requested one. */
function askedOf(
  { ranker }: Pick<PackagePorts, "ranker">,
  {
    name,
    meant,
    wanted,
    own,
  }: {
    readonly name: string;
    readonly meant: RequestedPackage | null;
    readonly wanted: string;
    readonly own: LinkedPackage | undefined;
  },
  entry: LibraryEntry,
): FoundLibrary["asked"] {
  const isPackage = meant !== null && own !== undefined && isMeant(meant, own.source);
  if (!isPackage && (own !== undefined || ranker.claimFor(name, entry) === undefined)) return undefined;
  const answering = answeringVersion(wanted, versionsOf(entry, isPackage), entry.id);
  return answering && (isPackage || answering.isAsked) ? { ...answering, wanted } : undefined;
}

/** The readable versions of a library, newest first; of a package with its default one. */
export function versionsOf({ id, branch, versions }: LibraryEntry, isPackage: boolean): readonly string[] {
  return isPackage && branch !== "" ? newestFirst([branch, ...versions], id) : versions;
}
