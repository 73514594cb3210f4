import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../domain/failures.ts";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { registries, type RegistryRoute } from "../../domain/packages.ts";
import type { FetchClient, FetchResponse } from "../lib/fetch/client.ts";
import { jsonOf } from "../../extract/json.ts";
import { pauseOf } from "../lib/fetch/polite.ts";
import { parseText, type ThreadPool, type ThreadTask } from "../lib/threads/thread-pool.ts";
import { latest } from "../../domain/kinds/package.ts";
import type { SourceState } from "../../domain/ports.ts";
import { chooseRefs } from "../../domain/refs.ts";
import type { SourceRef } from "../../domain/source.ts";
import { nearestNames, newestFirst } from "../../domain/versions.ts";

/** How a registry is reached. */
export interface RegistryConnection {
  readonly client: Pick<FetchClient, "request">;
  /** Parses metadata, some of which has tens of megabytes. */
  readonly pool: ThreadPool;
  readonly signal: AbortSignal;
  /** Value of the Authorization header for a request; null: none. */
  authorizationFor(url: URL): string | null;
  readonly route: RegistryRoute;
}

/** A version that a registry has. */
export interface PackageVersion {
  readonly name: string;
  /** Hash or number of the published file. */
  readonly revision: string;
  /** Yanked or retracted: not chosen, but served to those who pinned it. */
  readonly withdrawn?: true;
}

/** The versions of a package. */
export interface Listing {
  readonly versions: readonly PackageVersion[];
  /** Names that move from version to version, such as `latest` and `next`. */
  readonly tags: Readonly<Record<string, string>>;
}

/** The checksum that an archive has to have. */
export interface Checksum {
  readonly algorithm: "sha512" | "sha384" | "sha256" | "sha1";
  /** In hex. */
  readonly digest: string;
}

/** The archive of a version. */
export interface Archive {
  readonly url: URL;
  readonly format: "tar" | "zip";
  /** Leading folders of every path that are cut off. */
  readonly strip: number;
  /** The strongest that the registry gives; undefined: none. */
  readonly checksum: Checksum | undefined;
}

/** The repository that a version says it was made from; not verified. */
export interface ClaimedRepository {
  readonly url: URL;
  /** Folder of the package in it; "": the root. */
  readonly folder: string;
  /** Commit that it was published from, if the registry has it. */
  readonly commit?: string;
}

/** A published version. */
export interface Release {
  readonly archive: Archive;
  readonly repository?: ClaimedRepository;
}

/** One registry. */
export interface Registry {
  /** The versions of a package. @throws Failure source_not_found, source_refused, source_unreachable, source_invalid */
  list(spec: PackageSourceSpec, connection: RegistryConnection): Promise<Listing>;
  /** The archive of a listed version. @throws as `list` */
  release(spec: PackageSourceSpec, version: string, connection: RegistryConnection): Promise<Release>;
}

/** Cap on metadata that is parsed on a thread, in bytes: that of the longest-lived packages has tens of megabytes. */
const maxOnThread = 200_000_000;
/** Cap on metadata that is parsed in the main thread: that of one version. */
const maxMetadata = 4_000_000;

/** A response of a registry as threads get it. */
export interface MetadataAnswer {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly url: string;
}

/** Metadata of a package as text. @throws Failure for any status but 200, and library_too_large */
export async function askText(
  spec: PackageSourceSpec,
  url: URL,
  connection: RegistryConnection,
  maxBytes = maxMetadata,
): Promise<string> {
  const response = await ask(spec, url, connection, "application/json", maxBytes);
  return response.text();
}

/** Metadata of a package as JSON; undefined for anything else. @throws as `askText` */
export async function askJson(spec: PackageSourceSpec, url: URL, connection: RegistryConnection): Promise<unknown> {
  return jsonOf(await askText(spec, url, connection));
}

/**
 * Metadata of a package, parsed on a thread by `task`, which returns null for invalid metadata; `problem` says what is wrong with it.
 * @throws Failure source_invalid for null; as `askText`
 */
export async function askParsed<Parsed>(
  spec: PackageSourceSpec,
  address: URL,
  connection: RegistryConnection,
  task: ThreadTask,
  { accept = "application/json", problem }: { readonly accept?: string; readonly problem: string },
): Promise<Parsed> {
  const { body, headers, url } = await ask(spec, address, connection, accept, maxOnThread);
  const bytes = new Uint8Array(Buffer.concat(await Array.fromAsync(body)));
  const answer = { bytes, mediaType: headers["content-type"] ?? "", url: url.href };
  const parsed = await parseText<MetadataAnswer, Parsed | null>(connection, task, answer, spec.name);
  if (parsed === null) throw invalidMetadata(spec, problem);
  return parsed;
}

function ask(
  { registry, name }: PackageSourceSpec,
  url: URL,
  connection: RegistryConnection,
  accept: string,
  maxBytes: number,
): Promise<FetchResponse> {
  return get(connection, url, { accept, maxBytes, what: `${registries[registry].label} package ${name}` });
}

/** Sends a GET to a registry; `what` names the requested thing in an error. @throws Failure for any status but 200 */
export async function get(
  { client, signal, route, authorizationFor }: RegistryConnection,
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

/** Attempts of a request, and the longest pause between two, in milliseconds: a step has two minutes. */
const maxAttempts = 3;
const maxPause = 30_000;

/** The failure for a status other than 200. */
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

/** The failure for metadata that is malformed; `problem` ends its sentence. */
export function invalidMetadata({ registry, name, url }: PackageSourceSpec, problem: string): Failure {
  const message = `The answer of ${new URL(url).host} about ${name} is not valid metadata of ${registries[registry].label}: ${problem}.`;
  return new Failure("source_invalid", message);
}

/** Maximum number of versions of a package, and of names that move among them. */
export const maxVersions = 50_000;
const maxTags = 1000;
const maxTagLength = 200;

const plainName = /^[\w.+!~-]{1,200}$/;

/**
 * A listing without malformed versions and tags, so that it is short enough to be returned by a thread.
 * @throws Failure library_too_large
 */
export function plainVersions({ versions, tags }: Listing): Listing {
  if (versions.length > maxVersions) throw tooMany(`the ${maxVersions} versions`);
  const plainTags = Object.entries(tags).filter(([tag, name]) => tag.length <= maxTagLength && plainName.test(name));
  return {
    versions: versions.filter(({ name }) => plainName.test(name)),
    tags: Object.fromEntries(plainTags.slice(0, maxTags)),
  };
}

/** The failure for a package with too many versions or files. */
export function tooMany(most: string): Failure {
  return new Failure("library_too_large", `The package has more than ${most} that are read.`);
}

/** The requested version: by its name, a tag, or `latest`. @throws Failure branch_not_found, no_snippets_found */
export function chooseVersion(spec: PackageSourceSpec, { versions, tags }: Listing, wanted: string): PackageVersion {
  const byName = new Map(versions.map((version) => [version.name, version]));
  const exact = byName.get(tags[wanted] ?? wanted);
  if (exact) return exact;
  const names = versions.filter(({ withdrawn }) => withdrawn !== true).map(({ name }) => name);
  const newest = wanted === latest ? byName.get(newestFirst(names)[0] ?? "") : undefined;
  if (newest) return newest;
  const of = `${registries[spec.registry].label} package ${spec.name}`;
  if (names.length === 0) throw new Failure("no_snippets_found", `The ${of} has no version that can be read.`);
  throw new Failure(
    "branch_not_found",
    `The ${of} has no version "${wanted.slice(0, 100)}". Nearest to it: ${nearestNames(wanted, names, 3).join(", ")}.`,
  );
}

/** The refs of a package: its versions as tags, its moving tags as branches. */
export function refsOf(
  { registry, name: packageName }: PackageSourceSpec,
  { versions, tags }: Listing,
  named: ReadonlySet<string>,
): { readonly refs: SourceState["refs"]; readonly leftOut: number } {
  const chooser = chooseRefs(`/${registry}/${packageName}`, named);
  const byName = new Map(versions.map((version) => [version.name, version]));
  const refOf = (ref: string, kind: SourceRef["kind"], version: PackageVersion): SourceRef => ({
    name: ref,
    kind,
    revision: revisionOf(version),
  });
  for (const [tag, name] of Object.entries(tags)) {
    const version = byName.get(name);
    if (tag !== latest && version) chooser.add(refOf(tag, "branch", version));
  }
  for (const version of versions) if (version.withdrawn !== true) chooser.add(refOf(version.name, "tag", version));
  return chooser.chosen();
}

/** The revision of a library at a version. */
export function revisionOf({ name, revision }: PackageVersion): string {
  return `${name} ${revision}`.trim();
}
