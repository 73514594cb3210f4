import { visibleTeamspaces, type Caller } from "./access.ts";
import type { AnsweringPorts } from "./answering.ts";
import {
  answeringVersion,
  parseRequestedPackage,
  requestedVersion,
  type AnsweringVersion,
  type RequestedPackage,
} from "./requested-packages.ts";
import { may } from "./authorizing.ts";
import { packageOf, type PackageSourceSpec } from "./kinds/index.ts";
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

interface LinkedPackage {
  readonly source: PackageSourceSpec;
  readonly repositories: readonly LinkedLibrary[];
}

/** Maximum number of packages listed for a repository. */
const maxPackagesOfRepository = 20;

type LinkPorts = { readonly catalog: Pick<Catalog, "libraries"> };

/** The packages among some libraries, each with the readable libraries of its repository. */
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
      const spec = sources.get(uid);
      const source = spec && packageOf(spec);
      if (source === undefined) return [];
      const repositories = links
        .filter(({ packageUid }) => packageUid === uid)
        .flatMap((link) => toLinked(readable, link, "repository"));
      return [[uid, { source, repositories }] as const];
    }),
  );
}

/** The readable libraries linked to one: the repository of a package, or the packages of a repository. */
export async function linkedLibraries(
  ports: LinkPorts,
  caller: Caller,
  access: TeamspaceAccess,
  { uid, source }: Pick<LibraryRecord, "uid" | "source">,
): Promise<readonly LinkedLibrary[]> {
  const { libraries } = ports.catalog;
  const relation = packageOf(source) ? "repository" : "package";
  const of = relation === "repository" ? { packages: [uid] } : { repository: uid, limit: maxPackagesOfRepository };
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

/** Whether a library has something to read, and the caller may read it. */
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
  /** Absent: not a package. */
  readonly package?: PackageSourceSpec;
  /** Readable linked libraries; of a repository only the packages among the results. */
  readonly linked: readonly LinkedLibrary[];
  /** The requested version and the one that answers; absent: none was requested, or none answers. */
  readonly asked?: AnsweringVersion & { readonly wanted: string };
}

/** The ports that finding packages needs. */
export interface PackagePorts extends Pick<AnsweringPorts, "catalog" | "ranker"> {
  /** The entries of the readable ones among some libraries. */
  readonly entries: (uids: readonly string[]) => Promise<readonly LibraryEntry[]>;
}

/** First segments of the IDs of packages. */
const prefixes: ReadonlySet<string> = new Set(registryNames.map((name) => registries[name].prefix));

/**
 * Search results with their links. For a name that can only be a package, its packages come first, each followed by the
 * libraries of its repository, whatever their rank.
 */
export async function withPackages(
  ports: PackagePorts,
  caller: Caller,
  access: TeamspaceAccess,
  sought: { readonly name: string; readonly query: string; readonly limit: number },
  ranked: readonly LibraryEntry[],
): Promise<readonly FoundLibrary[]> {
  const requested = parseRequestedPackage(sought.name);
  const wanted = requested && (requested.version ?? requestedVersion(requested, sought.query));
  const isSure = requested !== null && (requested.isSure || wanted !== null);
  const first = isSure ? await ports.entries(await uidsOf(ports, caller, requested)) : [];
  const firstUids = new Set(first.map(({ uid }) => uid));
  const entries = [...first, ...ranked.filter(({ uid }) => !firstUids.has(uid))];
  const uids = entries.filter(({ id }) => prefixes.has(id.split("/")[1] ?? "")).map(({ uid }) => uid);
  const packages = await packagesAmong(ports, caller, access, uids);
  const all = await withRepositories(ports, requested, packages, entries);
  return all.slice(0, sought.limit).map((entry) => {
    const linked = packages.get(entry.uid);
    const search = { name: sought.name, requested, linked };
    const asked = wanted === null ? undefined : askedOf(ports, search, wanted, entry);
    return {
      entry,
      ...(linked && { package: linked.source }),
      linked: linked?.repositories ?? packagesOf(entry.uid, packages, all),
      ...(asked && { asked }),
    };
  });
}

/** The uids of the requested package in each registry, in the order of the registries. */
async function uidsOf(
  { catalog }: Pick<PackagePorts, "catalog">,
  caller: Caller,
  { registries: names, nameIn }: RequestedPackage,
): Promise<readonly string[]> {
  const views = await Promise.all(
    names.map((registry) => {
      const { prefix, id } = registries[registry];
      return catalog.libraries.find(visibleTeamspaces(caller), foldId(`/${prefix}/${id(nameIn(registry))}`), "");
    }),
  );
  return views.flatMap((view) => (view && may(caller, "library.read", view.library) ? [view.library.uid] : []));
}

/** Inserts the libraries of repositories after the packages that have the requested name. */
async function withRepositories(
  { entries }: PackagePorts,
  requested: RequestedPackage | null,
  packages: ReadonlyMap<string, LinkedPackage>,
  found: readonly LibraryEntry[],
): Promise<readonly LibraryEntry[]> {
  if (requested === null) return found;
  const named = new Map([...packages].filter(([, { source }]) => isRequested(requested, source)));
  const present = new Set(found.map(({ uid }) => uid));
  const missing = [...named.values()].flatMap(({ repositories }) => repositories.map(({ uid }) => uid));
  const more = new Map(
    (await entries([...new Set(missing.filter((uid) => !present.has(uid)))])).map((entry) => [entry.uid, entry]),
  );
  return found.flatMap((entry) => {
    const repositories = (named.get(entry.uid)?.repositories ?? []).flatMap(({ uid }) => {
      const repository = more.get(uid);
      return repository && more.delete(uid) ? [repository] : [];
    });
    return [entry, ...repositories];
  });
}

/** The confirmed packages of a repository among the found libraries; any package can name any repository. */
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

function isRequested({ registries: names, nameIn }: RequestedPackage, { registry, name }: PackageSourceSpec): boolean {
  return names.includes(registry) && nameIn(registry).toLowerCase() === name.toLowerCase();
}

/** The version that answers: of the requested package also the nearest one, of libraries that claim its name only the requested one. */
function askedOf(
  { ranker }: Pick<PackagePorts, "ranker">,
  search: {
    readonly name: string;
    readonly requested: RequestedPackage | null;
    readonly linked: LinkedPackage | undefined;
  },
  wanted: string,
  entry: LibraryEntry,
): FoundLibrary["asked"] {
  const { name, requested, linked } = search;
  const isPackage = requested !== null && linked !== undefined && isRequested(requested, linked.source);
  if (!isPackage && (linked !== undefined || ranker.claimFor(name, entry) === undefined)) return undefined;
  const answering = answeringVersion(wanted, versionsOf(entry, isPackage), entry.id);
  return answering && (isPackage || answering.isAsked) ? { ...answering, wanted } : undefined;
}

/** The readable versions of a library, newest first; of a package with its default one. */
export function versionsOf({ id, branch, versions }: LibraryEntry, isPackage: boolean): readonly string[] {
  return isPackage && branch !== "" ? newestFirst([branch, ...versions], id) : versions;
}
