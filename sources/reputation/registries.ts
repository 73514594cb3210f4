import { Failure } from "../../domain/failures.ts";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import type { PackageFacts } from "../../domain/package-trust.ts";
import { registries } from "../../domain/packages.ts";
import type { RegistryAccess, RegistryName } from "../../domain/packages.ts";
import { parseText } from "../../threads/parse-text.ts";
import { crateAddress } from "../package/crates.ts";
import { moduleAddress } from "../package/go.ts";
import { npmAddress } from "../package/npm.ts";
import { ask, bytesOf, invalidMetadata, maxOnThread } from "../package/registry.ts";
import type { Asking } from "../package/registry.ts";
import { endsOf, factsOfModule } from "./go-facts.ts";
import { jsonOf, objectOf, timeOf } from "./json.ts";
import { unsaidOfPackage, weeklyOfCrate, weeklyOfNpm } from "./package-facts.ts";

/** Time for all that a registry is asked, in milliseconds: metadata of old packages has tens of megabytes. */
const deadline = 60_000;

/** What a registry says of a package. @throws Failure where it does not answer, or says nothing of the package */
export async function askRegistry(
  { client, pool, routeOf }: Pick<Asking, "client" | "pool"> & Partial<Pick<RegistryAccess, "routeOf">>,
  spec: PackageSourceSpec,
): Promise<PackageFacts> {
  const signal = AbortSignal.timeout(deadline);
  try {
    // What everybody reads is read without credentials.
    const route = routeOf?.(spec.registry) ?? {};
    return await readers[spec.registry](spec, { client, pool, signal, route, authorizationFor: () => null });
  } catch (error) {
    if (!signal.aborted || error instanceof Failure) throw error;
    const { host } = new URL(spec.url);
    throw new Failure("timeout", `${host} did not answer within ${deadline / 1000} s.`, { cause: error });
  }
}

/** Where npm counts downloads: of the public registry's packages alone. */
const npmCounts = "https://api.npmjs.org/downloads/point/last-week/";

const readers: Readonly<Record<RegistryName, (spec: PackageSourceSpec, asking: Asking) => Promise<PackageFacts>>> = {
  async npm(spec, asking) {
    const facts = await factsOf(spec, asking, npmAddress(spec), "readPackument");
    if (spec.url !== registries.npm.url) return facts;
    return withDownloads(facts, spec, asking, new URL(spec.name, npmCounts), weeklyOfNpm);
  },

  pypi: (spec, asking) =>
    factsOf(
      spec,
      asking,
      new URL(`${spec.name}/`, spec.url),
      "readPythonProject",
      "application/vnd.pypi.simple.v1+json",
    ),

  async crates(spec, asking) {
    const facts = await factsOf(spec, asking, crateAddress(spec), "readCrate");
    const { api } = objectOf(jsonOf(await (await ask(spec, new URL("config.json", spec.url), asking)).text()));
    if (typeof api !== "string" || !URL.canParse(api)) return facts;
    const counts = new URL(`${api.replace(/\/$/, "")}/api/v1/crates/${spec.name}`);
    return withDownloads(facts, spec, asking, counts, weeklyOfCrate);
  },

  async go(spec, asking) {
    const text = async (path: string): Promise<string> => (await ask(spec, moduleAddress(spec, path), asking)).text();
    const publishedAt = async (version: string): Promise<number | null> =>
      timeOf(objectOf(jsonOf(await text(`@v/${version}.info`)))["Time"]);
    const versions = (await text("@v/list")).split("\n").flatMap((line) => line.trim() || []);
    const ends = endsOf(versions);
    if (ends === undefined) return { ...unsaidOfPackage, versions: 0 };
    return {
      ...unsaidOfPackage,
      ...factsOfModule(versions, await text(`@v/${ends.newest}.mod`)),
      since: await publishedAt(ends.first),
      activeAt: await publishedAt(ends.newest),
    };
  },
};

/** What metadata says that is read on a thread. */
async function factsOf(
  spec: PackageSourceSpec,
  asking: Asking,
  address: URL,
  reader: "readPackument" | "readPythonProject" | "readCrate",
  accept = "application/json",
): Promise<PackageFacts> {
  const bytes = await bytesOf(await ask(spec, address, asking, { accept, maxBytes: maxOnThread }));
  const task = { module: new URL("./package-facts.ts", import.meta.url), name: reader };
  const facts = await parseText<Uint8Array, PackageFacts | null>(asking, task, bytes, spec.name);
  if (facts === null) throw invalidMetadata(spec, "it has no versions");
  return facts;
}

/** The facts with downloads from a server that counts them; without them, and with why, where it does not say. */
async function withDownloads(
  facts: PackageFacts,
  spec: PackageSourceSpec,
  asking: Asking,
  address: URL,
  countIn: (bytes: Uint8Array) => number | null,
): Promise<PackageFacts> {
  try {
    const downloads = countIn(await bytesOf(await ask(spec, address, asking)));
    return { ...facts, downloads };
  } catch (error) {
    asking.signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    return { ...facts, problem: `Its downloads are not known: ${error.message}` };
  }
}
