import { z } from "zod";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import {
  askJson,
  askParsed,
  invalidMetadata,
  type RegistryConnection,
  type Registry,
  type Release,
} from "./registry.ts";
import type { CrateLine } from "./crate-lines.ts";

const index = { module: new URL("./crate-lines.ts", import.meta.url), name: "readCrateLines" };

const configSchema = z.object({ dl: z.string().min(1) });

/** A sparse index of crates. */
export const cratesRegistry: Registry = {
  async list(spec, connection) {
    const lines = await linesOf(spec, connection);
    return {
      versions: lines.map(({ vers, cksum, yanked }) => ({
        name: vers,
        revision: `sha256-${cksum}`,
        ...(yanked === true && { withdrawn: true as const }),
      })),
      tags: {},
    };
  },

  async release(spec, version, connection): Promise<Release> {
    const line = (await linesOf(spec, connection)).find(({ vers }) => vers === version);
    if (line === undefined) throw invalidMetadata(spec, `it has no version ${version}`);
    const config = configSchema.safeParse(await askJson(spec, new URL("config.json", spec.url), connection));
    if (!config.success) throw invalidMetadata(spec, "its config.json does not say where crates are");
    const url = URL.parse(downloadOf(config.data.dl, line));
    if (url === null) throw invalidMetadata(spec, "the address of its crates is not valid");
    const checksum = { algorithm: "sha256", digest: line.cksum.toLowerCase() } as const;
    return { archive: { url, format: "tar", checksum, strip: 1 } };
  },
};

async function linesOf(spec: PackageSourceSpec, connection: RegistryConnection): Promise<readonly CrateLine[]> {
  const problem = "a line of its index is not valid";
  const lines = await askParsed<readonly CrateLine[]>(spec, crateAddress(spec), connection, index, { problem });
  return lines.filter(({ name }) => name.toLowerCase() === spec.name.toLowerCase());
}

/** Address of a crate's file in an index. */
export function crateAddress({ name, url }: PackageSourceSpec): URL {
  return new URL(`${folderOf(name)}/${name.toLowerCase()}`, url);
}

/** Folders of an index by the length of a crate's name. */
function folderOf(name: string): string {
  const lower = name.toLowerCase();
  if (lower.length < 3) return String(lower.length);
  return lower.length === 3 ? `3/${lower.slice(0, 1)}` : `${lower.slice(0, 2)}/${lower.slice(2, 4)}`;
}

/** Address of a crate's archive, by the template `dl` of its index. */
function downloadOf(dl: string, { name, vers, cksum }: CrateLine): string {
  const markers: Readonly<Record<string, string>> = {
    "{crate}": name,
    "{version}": vers,
    "{prefix}": folderOf(name),
    "{lowerprefix}": folderOf(name),
    "{sha256-checksum}": cksum,
  };
  const filled = dl.replace(/\{[a-z\d-]{1,20}\}/g, (marker) => markers[marker] ?? marker);
  return filled === dl ? `${dl}/${name}/${vers}/download` : filled;
}
