import { Failure } from "../../domain/failures.ts";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { registries } from "../../domain/packages.ts";
import type { FetchClient, FetchResponse } from "../fetch/client.ts";
import type { ThreadPool } from "../../threads/thread-pool.ts";

/** What a registry is asked with. */
export interface Asking {
  readonly client: Pick<FetchClient, "request">;
  /** Where metadata is parsed: some of it has tens of megabytes. */
  readonly pool: ThreadPool;
  readonly signal: AbortSignal;
  /** Value of the Authorization header for the registry; null: it is read without. */
  readonly authorization: string | null;
}

/** A version that a registry has. */
export interface PackageVersion {
  readonly name: string;
  /** Hash or number of what was published. */
  readonly revision: string;
  /** The registry keeps it for those who have it, and gives it to nobody else. */
  readonly withdrawn?: true;
}

/** The versions of a package. */
export interface Listing {
  readonly versions: readonly PackageVersion[];
  /** Names that move from version to version, such as `latest` and `next`. */
  readonly tags: Readonly<Record<string, string>>;
}

/** What an archive has to come to. */
export interface Checksum {
  readonly algorithm: "sha512" | "sha384" | "sha256" | "sha1";
  /** In hex. */
  readonly digest: string;
}

/** The archive of a version. */
export interface Archive {
  readonly url: URL;
  readonly format: "tar" | "zip";
  /** Leading folders of every path that say nothing. */
  readonly strip: number;
  /** The strongest that the registry tells; undefined: it tells none. */
  readonly checksum: Checksum | undefined;
}

/** Where a version says that it was made. It is a claim. */
export interface ClaimedRepository {
  readonly url: URL;
  /** Folder of the package in it; "": the root. */
  readonly folder: string;
  /** Commit that it was published from, as the registry has it. */
  readonly commit?: string;
}

/** A published version. */
export interface Release {
  readonly version: string;
  readonly archive: Archive;
  readonly repository?: ClaimedRepository;
}

/** How one registry is asked. */
export interface Registry {
  /** The versions of a package. @throws Failure source_not_found, source_refused, source_unreachable, source_invalid */
  list(spec: PackageSourceSpec, asking: Asking): Promise<Listing>;
  /** A version of it. @throws as `list` */
  release(spec: PackageSourceSpec, version: string, asking: Asking): Promise<Release>;
}

/** Cap on metadata, in bytes: that of the longest-lived packages has tens of megabytes. */
const maxMetadata = 200_000_000;

/** Asks a registry for something. @throws Failure for any answer but 200 */
export async function ask(
  { registry, name, url: base }: PackageSourceSpec,
  url: URL,
  { client, signal, authorization }: Asking,
  accept = "application/json",
): Promise<FetchResponse> {
  const isOwn = url.origin === new URL(base).origin;
  const response = await client.request(url, {
    headers: { accept, ...(authorization !== null && isOwn && { authorization }) },
    signal,
    maxBytes: maxMetadata,
  });
  if (response.status === 200) return response;
  response.discard();
  throw refusal(response.status, url, `${registries[registry].label} package ${name}`);
}

/** The whole answer as bytes of its own. */
export async function bytesOf(response: FetchResponse): Promise<Uint8Array> {
  return new Uint8Array(Buffer.concat(await Array.fromAsync(response.body)));
}

/** What a status other than 200 means. */
export function refusal(status: number, { host }: URL, what: string): Failure {
  if (status === 404 || status === 410)
    return new Failure("source_not_found", `${host} has no ${what}. Check its name and its version.`);
  if (status === 401 || status === 403)
    return new Failure(
      "source_refused",
      `${host} refuses ${what} (status ${status}). Check the credentials of the registry in the server's own configuration.`,
    );
  const code = status === 429 || status >= 500 ? "source_unreachable" : "source_invalid";
  return new Failure(code, `${host} answered ${status} for ${what}. Try again later.`);
}

/** The failure of metadata that is not what it should be. */
export function invalidMetadata({ registry, name, url }: PackageSourceSpec, problem: string): Failure {
  const message = `What ${new URL(url).host} says of ${name} is no metadata of ${registries[registry].label}: ${problem}.`;
  return new Failure("source_invalid", message);
}
