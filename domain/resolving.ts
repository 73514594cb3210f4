import { visibleTeamspaces, type Caller } from "./access.ts";
import { answeringVersion } from "./requested-packages.ts";
import { may } from "./authorizing.ts";
import { kindOf, packageOf } from "./kinds/index.ts";
import { inOrder } from "./in-order.ts";
import { foldId, showLibrary } from "./library.ts";
import { registries, type Dependency, type RegistryAccess } from "./packages.ts";
import type { Policies } from "./policies.ts";
import type { Catalog, LibraryView } from "./ports.ts";
import { isSameVersion } from "./version-match.ts";
import { nearestNames } from "./versions.ts";

export interface ResolvingPorts {
  readonly catalog: Pick<Catalog, "libraries">;
  readonly policies: Policies;
}

/** The request that indexes a package, or a version of it. */
export interface HowToGet {
  readonly method: "POST";
  /** Path below `/api`. */
  readonly path: "/v2/add/package" | "/v1/refresh";
  readonly body: Readonly<Record<string, string>>;
}

/** A dependency with the library that answers for it. */
export interface ResolvedPackage extends Dependency {
  /** ID of the package's library, which need not exist, without a version. */
  readonly libraryId: string;
  /** Address of its registry; "": the server is configured for none. */
  readonly source: string;
  /** `exact`: its version, or one in its range, is indexed; `nearest`: only another version; `none`: no version. */
  readonly found: "exact" | "nearest" | "none";
  /** The library ID to ask, such as `/npm/zod@4.1.0`; null: nothing is indexed. */
  readonly ask: string | null;
  /** The indexed version that answers; null: none. */
  readonly indexedVersion: string | null;
  /** A run is open. */
  readonly indexing: boolean;
  /** Why the policy of the teamspace excludes the library, as the end of a sentence; null: it does not. */
  readonly excluded: string | null;
  /** The request that indexes the exact version; null: it is indexed, being indexed, or excluded. */
  readonly get: HowToGet | null;
  /** The version to count as used; not part of the response. */
  readonly counted: { readonly uid: string; readonly version: string } | null;
}

const maxConcurrent = 20;

/** The library that answers for each dependency, in order. Libraries that the caller may not see count as missing. */
export async function resolvePackages(
  ports: ResolvingPorts,
  caller: Caller,
  access: RegistryAccess,
  dependencies: readonly Dependency[],
): Promise<readonly ResolvedPackage[]> {
  const resolve = (one: Dependency): Promise<ResolvedPackage> => resolveOne(ports, caller, access, one);
  return Array.fromAsync(inOrder(dependencies, resolve, { items: maxConcurrent }));
}

async function resolveOne(
  { catalog, policies }: ResolvingPorts,
  caller: Caller,
  access: RegistryAccess,
  dependency: Dependency,
): Promise<ResolvedPackage> {
  const { registry, name, version } = dependency;
  const configured = access.placesOf(registry, name);
  const places = typeof configured === "string" ? [] : configured;
  const { url, restricted } = places[0] ?? { url: "", restricted: false };
  const spec = { kind: "package", registry, url, name, version: null, restricted } as const;
  const id = kindOf(spec).deriveId(spec, "");
  const view = await catalog.libraries.find(visibleTeamspaces(caller), foldId(id), "");
  const isVisible = view !== undefined && may(caller, "library.read", view.library) && view.library.redirect === null;
  const place = isVisible ? places.find((one) => isOf(view, one.url)) : undefined;
  const none = {
    ...dependency,
    source: place?.url ?? url,
    libraryId: id,
    found: "none",
    ask: null,
    indexedVersion: null,
    indexing: false,
    excluded: null,
    get: { method: "POST", path: "/v2/add/package", body: { registry, name } },
    counted: null,
  } as const;
  const excluded = isVisible
    ? ((await policies.of(caller)).exclusion(view.library, view.version?.live?.createdAt ?? null) ?? null)
    : null;
  // If the server is configured for no registry, the submission says why.
  if (!isVisible) return none;
  // A package with the same name from another registry is another package.
  if (excluded !== null || place === undefined) return { ...none, excluded, get: null };
  const { library } = view;
  const versions = await catalog.libraries.versionsOf(library.uid);
  const named = new Map(versions.flatMap((one) => (one.live ? [[one.live.ref ?? one.version, one] as const] : [])));
  const exact = versions.find(
    (one) =>
      isSameVersion(version, one.live?.ref ?? one.version) ||
      (one.version !== "" && isSameVersion(version, one.version)),
  );
  const chosen = exact?.live
    ? { version: exact.live.ref ?? exact.version, isAsked: true }
    : answeringVersion(version, [...named.keys()], library.id);
  const nearest = chosen?.version ?? nearestNames(version, [...named.keys()], 1, library.id)[0];
  const found = nearest === undefined ? "none" : chosen?.isAsked === true ? "exact" : "nearest";
  const answering = nearest === undefined ? undefined : named.get(nearest);
  const isComing = exact !== undefined && exact.openRun !== null;
  const hasFailed = versions.every(({ live, openRun }) => live === null && openRun === null);
  return {
    ...none,
    libraryId: library.id,
    found,
    ask: nearest === undefined ? null : showLibrary(library.id, nearest),
    indexedVersion: nearest ?? null,
    indexing: isComing || (view.version?.openRun ?? null) !== null,
    get:
      found === "exact" || isComing
        ? null
        : hasFailed
          ? none.get
          : { method: "POST", path: "/v1/refresh", body: { libraryName: showLibrary(library.id, version) } },
    counted: answering ? { uid: library.uid, version: answering.version } : null,
  };
}

/** Whether a library is a package of the registry at an address. */
function isOf({ library: { source } }: LibraryView, url: string): boolean {
  return packageOf(source)?.url === url;
}

/** A package with its registry for people, such as `npm zod@4.1.0`. */
export function packageLabel({ registry, name, version }: Dependency): string {
  return `${registries[registry].label} ${name}@${version}`;
}
