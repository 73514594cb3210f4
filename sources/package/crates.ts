import { z } from "zod";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { jsonOf } from "../fetch/json.ts";
import { askJson, askText, invalidMetadata } from "./registry.ts";
import type { RegistryConnection, Registry, Release } from "./registry.ts";

/** A line of a crate's file in an index: https://doc.rust-lang.org/cargo/reference/registry-index.html */
const lineSchema = z.object({ name: z.string(), vers: z.string(), cksum: z.string(), yanked: z.boolean().optional() });
type Line = z.infer<typeof lineSchema>;

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

async function linesOf(spec: PackageSourceSpec, connection: RegistryConnection): Promise<readonly Line[]> {
  const file = await askText(spec, crateAddress(spec), connection);
  const lines = file.split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line) => {
    const parsed = lineSchema.safeParse(jsonOf(line));
    if (!parsed.success) throw invalidMetadata(spec, "a line of its index is not valid");
    return parsed.data.name.toLowerCase() === spec.name.toLowerCase() ? [parsed.data] : [];
  });
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
function downloadOf(dl: string, { name, vers, cksum }: Line): string {
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
