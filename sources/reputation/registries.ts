import { Failure } from "../../domain/failures.ts";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import type { PackageFacts } from "../../domain/package-trust.ts";
import { registries, type RegistryAccess, type RegistryName } from "../../domain/packages.ts";
import { objectOf } from "../../extract/json.ts";
import { timeOf } from "../lib/fetch/json.ts";
import { crateAddress } from "../package/crates.ts";
import { goModOf, listedVersions, moduleAddress } from "../package/go.ts";
import { npmAddress } from "../package/npm.ts";
import { projectAddress } from "../package/pypi.ts";
import { askJson, askParsed, type RegistryConnection } from "../package/registry.ts";
import { withDeadline } from "./index.ts";
import { unknownPackageFacts, weeklyOfCrate, weeklyOfNpm } from "./package-facts.ts";
import { compareVersions, newestFirst, parseVersion } from "../../domain/versions.ts";
import { retractedBy } from "../package/go-versions.ts";

/** Time for all requests to a registry, in milliseconds: metadata of old packages has tens of megabytes. */
const deadline = 60_000;

/** The facts about a package from its registry. @throws Failure if that does not answer, or does not have the package */
export function askRegistry(
  { client, pool, routeOf }: Pick<RegistryConnection, "client" | "pool"> & Partial<Pick<RegistryAccess, "routeOf">>,
  spec: PackageSourceSpec,
): Promise<PackageFacts> {
  const route = routeOf?.(spec.registry) ?? {};
  return withDeadline(new URL(spec.url).host, deadline, (signal) =>
    // Requests have no credentials: only public packages have facts.
    readers[spec.registry](spec, { client, pool, signal, route, authorizationFor: () => null }),
  );
}

/** Download counts of the packages in npm's public registry. */
const npmCounts = "https://api.npmjs.org/downloads/point/last-week/";

const readers: Readonly<
  Record<RegistryName, (spec: PackageSourceSpec, connection: RegistryConnection) => Promise<PackageFacts>>
> = {
  async npm(spec, connection) {
    const facts = await factsOf(spec, connection, npmAddress(spec), "readPackument");
    if (spec.url !== registries.npm.url) return facts;
    return withDownloads(facts, spec, connection, new URL(spec.name, npmCounts), weeklyOfNpm);
  },

  pypi: (spec, connection) =>
    factsOf(spec, connection, projectAddress(spec), "readPythonProject", "application/vnd.pypi.simple.v1+json"),

  async crates(spec, connection) {
    const facts = await factsOf(spec, connection, crateAddress(spec), "readCrate");
    const { api } = objectOf(await askJson(spec, new URL("config.json", spec.url), connection));
    if (typeof api !== "string" || !URL.canParse(api)) return facts;
    const counts = new URL(`${api.replace(/\/$/, "")}/api/v1/crates/${spec.name}`);
    return withDownloads(facts, spec, connection, counts, weeklyOfCrate);
  },

  async go(spec, connection) {
    const publishedAt = async (version: string): Promise<number | null> =>
      timeOf(objectOf(await askJson(spec, moduleAddress(spec, `@v/${version}.info`), connection))["Time"]);
    const versions = await listedVersions(spec, connection);
    const ends = endsOf(versions);
    if (ends === undefined) return { ...unknownPackageFacts, versions: 0 };
    return {
      ...unknownPackageFacts,
      ...factsOfModule(versions, await goModOf(spec, connection, ends.newest)),
      since: await publishedAt(ends.first),
      activeAt: await publishedAt(ends.newest),
    };
  },
};

/** The facts in metadata, parsed by a function of `package-facts.ts` on a thread. */
function factsOf(
  spec: PackageSourceSpec,
  connection: RegistryConnection,
  address: URL,
  name: "readPackument" | "readPythonProject" | "readCrate",
  accept = "application/json",
): Promise<PackageFacts> {
  const task = { module: new URL("./package-facts.ts", import.meta.url), name };
  return askParsed(spec, address, connection, task, { accept, problem: "it has no versions" });
}

/** Adds the download count of a server; without an answer, the reason. */
async function withDownloads(
  facts: PackageFacts,
  spec: PackageSourceSpec,
  connection: RegistryConnection,
  address: URL,
  countIn: (answer: unknown) => number | null,
): Promise<PackageFacts> {
  try {
    return { ...facts, downloads: countIn(await askJson(spec, address, connection)) };
  } catch (error) {
    connection.signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    return { ...facts, problem: `Number of downloads unknown: ${error.message}` };
  }
}

/** The facts in the list of a module's versions and the go.mod of its newest one. */
function factsOfModule(
  versions: readonly string[],
  goMod: string,
): Pick<PackageFacts, "versions" | "isDeprecated" | "isWithdrawn"> {
  const isRetracted = retractedBy(goMod);
  const count = versions.filter((version) => !isRetracted(version)).length;
  return { versions: count, isDeprecated: isDeprecated(goMod), isWithdrawn: versions.length > 0 && count === 0 };
}

/** The newest and the first version; undefined without versions. */
function endsOf(versions: readonly string[]): { readonly newest: string; readonly first: string } | undefined {
  const numbered = versions.flatMap((name) => {
    const version = parseVersion(name);
    return version === null ? [] : [{ name, version }];
  });
  const first = numbered.toSorted((one, other) => compareVersions(one.version, other.version))[0]?.name;
  const newest = newestFirst(versions)[0];
  return first === undefined || newest === undefined ? undefined : { newest, first };
}

/** Whether a comment at the directive `module` deprecates it: https://go.dev/ref/mod#go-mod-file-module-deprecation */
function isDeprecated(goMod: string): boolean {
  const lines = goMod.split("\n").map((line) => line.trim());
  const module = lines.findIndex((line) => /^module\b/.test(line));
  const above = lines.slice(0, Math.max(0, module)).toReversed();
  const end = above.findIndex((line) => !line.startsWith("//"));
  const [, comment = ""] = lines[module]?.split("//", 2) ?? [];
  const comments = [...above.slice(0, end === -1 ? above.length : end), `//${comment}`];
  return comments.some((line) => /^\/\/\s*Deprecated:/.test(line));
}
