import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../domain/failures.ts";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { registries } from "../../domain/packages.ts";
import type { RegistryRoute } from "../../domain/packages.ts";
import type { FetchClient, FetchResponse } from "../fetch/client.ts";
import { pauseOf } from "../fetch/polite.ts";
import type { ThreadPool } from "../../threads/thread-pool.ts";

/** What a registry is asked with. */
export interface Asking {
  readonly client: Pick<FetchClient, "request">;
  /** Where metadata is parsed: some of it has tens of megabytes. */
  readonly pool: ThreadPool;
  readonly signal: AbortSignal;
  /** Value of the Authorization header for a request; null: it is made without. */
  authorizationFor(url: URL): string | null;
  readonly route: RegistryRoute;
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

/** Cap on metadata that is parsed on a thread, in bytes: that of the longest-lived packages has tens of megabytes. */
export const maxOnThread = 200_000_000;
/** Cap on what is parsed here. */
const maxMetadata = 30_000_000;

/** Asks a registry for something. @throws Failure for any answer but 200 */
export async function ask(
  { registry, name }: PackageSourceSpec,
  url: URL,
  asking: Asking,
  { accept = "application/json", maxBytes = maxMetadata } = {},
): Promise<FetchResponse> {
  return get(asking, url, { accept, maxBytes, what: `${registries[registry].label} package ${name}` });
}

/** Gets something of a registry, which is `what` in a sentence. @throws Failure for any answer but 200 */
export async function get(
  { client, signal, route, authorizationFor }: Asking,
  url: URL,
  { accept, maxBytes, what }: { readonly accept?: string; readonly maxBytes: number; readonly what: string },
): Promise<FetchResponse> {
  const authorization = authorizationFor(url);
  const headers = { ...(accept !== undefined && { accept }), ...(authorization !== null && { authorization }) };
  for (let attempt = 1; ; attempt += 1) {
    const response = await client.request(url, { headers, signal, maxBytes, route });
    if (response.status === 200) return response;
    response.discard();
    const pause = pauseOf(response, attempt, Date.now());
    if (pause === undefined) throw refusal(response.status, url, what, "later");
    if (pause > maxPause || attempt === maxAttempts)
      throw refusal(response.status, url, what, `in ${Math.ceil(pause / 1000)} seconds`);
    await sleep(pause, undefined, { signal });
  }
}

/** The whole answer as bytes of its own. */
export async function bytesOf(response: FetchResponse): Promise<Uint8Array> {
  return new Uint8Array(Buffer.concat(await Array.fromAsync(response.body)));
}

/** Attempts of a request that a registry wants later, and the longest pause that is taken, in milliseconds: a step has two minutes. */
const maxAttempts = 3;
const maxPause = 30_000;

/** What a status other than 200 means. */
function refusal(status: number, { host }: URL, what: string, when: string): Failure {
  if (status === 404 || status === 410)
    return new Failure("source_not_found", `${host} has no ${what}. Check its name and its version.`);
  if (status === 401 || status === 403)
    return new Failure(
      "source_refused",
      `${host} refuses ${what} (status ${status}). Check the credentials of the registry in the server's own configuration.`,
    );
  const code = status === 429 || status >= 500 ? "source_unreachable" : "source_invalid";
  return new Failure(code, `${host} answered ${status} for ${what}. Try again ${when}.`);
}

/** The failure of metadata that is not what it should be. */
export function invalidMetadata({ registry, name, url }: PackageSourceSpec, problem: string): Failure {
  const message = `What ${new URL(url).host} says of ${name} is no metadata of ${registries[registry].label}: ${problem}.`;
  return new Failure("source_invalid", message);
}
