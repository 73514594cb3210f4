import { z } from "zod";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import {
  askJson,
  askParsed,
  invalidMetadata,
  type Checksum,
  type ClaimedRepository,
  type Listing,
  type Registry,
  type Release,
} from "./registry.ts";

const packument = { module: new URL("./npm-metadata.ts", import.meta.url), name: "readPackument" };

/** The field `repository` of a manifest; undefined where it is malformed. */
export const repositorySchema = z
  .union([z.string(), z.object({ url: z.string(), directory: z.string().optional().catch(undefined) })])
  .optional()
  .catch(undefined);

/** The fields of a version's manifest that are read. */
const manifestSchema = z.object({
  version: z.string(),
  gitHead: z.string().optional().catch(undefined),
  repository: repositorySchema,
  dist: z.object({
    tarball: z.string(),
    integrity: z.string().optional().catch(undefined),
    shasum: z.string().optional().catch(undefined),
  }),
});

/** A registry that speaks npm's protocol. */
export const npmRegistry: Registry = {
  async list(spec, connection) {
    const accept = "application/vnd.npm.install-v1+json, application/json;q=0.8";
    return askParsed<Listing>(spec, npmAddress(spec), connection, packument, { accept, problem: "it has no versions" });
  },

  async release(spec, version, connection): Promise<Release> {
    const url = npmAddress(spec);
    url.pathname += `/${encodeURIComponent(version)}`;
    const parsed = manifestSchema.safeParse(await askJson(spec, url, connection));
    if (!parsed.success || parsed.data.version !== version)
      throw invalidMetadata(spec, `version ${version} has no archive`);
    const { dist, repository, gitHead } = parsed.data;
    if (!URL.canParse(dist.tarball)) throw invalidMetadata(spec, "the address of its archive is not valid");
    const claimed = repositoryOf(repository, gitHead);
    return {
      archive: {
        url: new URL(dist.tarball),
        format: "tar",
        strip: 1,
        checksum: checksumOf(dist.integrity, dist.shasum),
      },
      ...(claimed && { repository: claimed }),
    };
  },
};

/** Address of a package's metadata, in which the slash of a scope is encoded. */
export function npmAddress({ url, name }: PackageSourceSpec): URL {
  return new URL(name.replace("/", "%2f"), url);
}

/** The strongest checksum of Subresource Integrity, else the SHA-1 of old packages. */
function checksumOf(integrity = "", shasum = ""): Checksum | undefined {
  const digests = new Map(
    integrity.split(/\s+/).flatMap((part) => {
      const [, algorithm, base64 = ""] = /^(sha512|sha384|sha256|sha1)-([\w+/=]+)/.exec(part) ?? [];
      return algorithm === undefined ? [] : [[algorithm, Buffer.from(base64, "base64").toString("hex")] as const];
    }),
  );
  for (const algorithm of ["sha512", "sha384", "sha256", "sha1"] as const) {
    const digest = digests.get(algorithm);
    if (digest !== undefined) return { algorithm, digest };
  }
  return /^[\da-f]{40}$/i.test(shasum) ? { algorithm: "sha1", digest: shasum.toLowerCase() } : undefined;
}

/** The repository in the field `repository`: a URL in one of npm's forms, or a short form of a host. */
export function repositoryOf(
  repository: z.infer<typeof repositorySchema>,
  commit?: string,
): ClaimedRepository | undefined {
  const { url = "", directory = "" } = typeof repository === "string" ? { url: repository } : (repository ?? {});
  const address = repositoryUrl(url);
  if (address === undefined) return undefined;
  const folder = directory.replace(/^(?:\.?\/)+|(?<!\/)\/+$/g, "");
  return { url: address, folder, ...(commit !== undefined && { commit }) };
}

const shortHosts: Readonly<Record<string, string>> = {
  "": "github.com",
  github: "github.com",
  gitlab: "gitlab.com",
  bitbucket: "bitbucket.org",
};

/** The https address of a repository; undefined for anything else. */
export function repositoryUrl(text: string): URL | undefined {
  const plain = text.trim().replace(/^git\+/, "");
  const [, host = "", path] = /^(?:(github|gitlab|bitbucket):)?([\w.-]{1,100}\/[\w.-]{1,100})$/.exec(plain) ?? [];
  if (path !== undefined) return new URL(`https://${shortHosts[host]}/${path}`);
  const [, server, place] = /^(?:ssh:\/\/)?(?:git@)([\w.-]{1,200})[:/]([\w./~-]{1,300})$/.exec(plain) ?? [];
  const url = URL.parse(server === undefined ? plain.replace(/^git:/, "https:") : `https://${server}/${place}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return undefined;
  url.hash = url.search = "";
  // Some manifests have the web page of a folder in the repository.
  url.pathname = url.pathname.replace(/\/(?:-\/)?(?:tree|blob)\/.*$/, "");
  return url.pathname.length > 1 ? url : undefined;
}
