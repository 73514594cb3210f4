import { z } from "zod";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { newestFirst } from "../../domain/versions.ts";
import { undefinedFor } from "../lib/fetch/failures.ts";
import { jsonOf } from "../../extract/json.ts";
import { retractedBy } from "./go-versions.ts";
import {
  askParsed,
  askText,
  invalidMetadata,
  type RegistryConnection,
  type PackageVersion,
  type Registry,
  type Release,
} from "./registry.ts";

const listing = { module: new URL("./go-versions.ts", import.meta.url), name: "readVersionList" };

const infoSchema = z.object({
  Version: z.string().min(1),
  Origin: z.object({ Hash: z.string().optional() }).optional().catch(undefined),
});

/** A proxy of Go modules: https://go.dev/ref/mod#goproxy-protocol */
export const goRegistry: Registry = {
  async list(spec, connection) {
    const names = await listedVersions(spec, connection);
    const newest = await latestOf(spec, connection);
    // A module without tags has no version in the list.
    const all = newest === undefined || names.includes(newest) ? names : [...names, newest];
    // The go.mod of the newest version has the retractions, which may include that version.
    const [highest] = newestFirst(all);
    const isRetracted = retractedBy(highest === undefined ? "" : await goModOf(spec, connection, highest));
    const versions = all.map((name): PackageVersion => ({
      name,
      revision: "",
      ...(isRetracted(name) && { withdrawn: true }),
    }));
    return { versions, tags: newest === undefined || isRetracted(newest) ? {} : { latest: newest } };
  },

  async release(spec, version): Promise<Release> {
    const url = moduleAddress(spec, `@v/${escaped(version)}.zip`);
    return { archive: { url, format: "zip", checksum: undefined, strip: spec.name.split("/").length } };
  },
};

/** The versions that a proxy lists for a module. */
export async function listedVersions(
  spec: PackageSourceSpec,
  connection: RegistryConnection,
): Promise<readonly string[]> {
  const problem = "it has no list of versions";
  return askParsed<readonly string[]>(spec, moduleAddress(spec, "@v/list"), connection, listing, { problem });
}

/** The go.mod of a version. */
export function goModOf(spec: PackageSourceSpec, connection: RegistryConnection, version: string): Promise<string> {
  return askText(spec, moduleAddress(spec, `@v/${escaped(version)}.mod`), connection, maxGoMod);
}

/** Cap on a go.mod, in bytes. */
const maxGoMod = 1_000_000;

/** The newest version by `@latest`, which a proxy need not have; undefined without it. */
async function latestOf(spec: PackageSourceSpec, connection: RegistryConnection): Promise<string | undefined> {
  const address = moduleAddress(spec, "@latest");
  const text = await askText(spec, address, connection).catch(undefinedFor("source_not_found"));
  if (text === undefined) return undefined;
  const parsed = infoSchema.safeParse(jsonOf(text));
  if (!parsed.success) throw invalidMetadata(spec, "its newest version has no name");
  return parsed.data.Version;
}

/** Address of a file of a module on its proxy. */
export function moduleAddress({ url, name }: PackageSourceSpec, path: string): URL {
  return new URL(`${escaped(name)}/${path}`, url);
}

/** Escapes upper-case letters as `!` and the lower-case one, for disks that ignore case. */
function escaped(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}
