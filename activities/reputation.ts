import { toFailureRecord } from "../domain/failures.ts";
import type { Manifest } from "../domain/generation.ts";
import type { GitSourceSpec } from "../domain/kinds/git.ts";
import { kindOf, packageOf, type PackageSourceSpec } from "../domain/kinds/index.ts";
import type { ReputationSource } from "../domain/kinds/kind.ts";
import { judgePackage, type PackageFacts } from "../domain/package-trust.ts";
import type { BlobStore, Catalog, LibraryRecord } from "../domain/ports.ts";
import type { GitHost } from "../domain/source.ts";
import {
  judgeRepository,
  judgeSite,
  namesSite,
  nothingKnown,
  siteHost,
  trustOf,
  withProblem,
  type HostFacts,
  type Reputation,
} from "../domain/trust.ts";
import { readManifest } from "./parts.ts";

/** Requests to hosts and registries. */
export interface ReputationSources {
  /** The facts that a host has about a repository; undefined if it has no API, or requests to it are not allowed. @throws Failure */
  readonly askHost: (source: Pick<GitSourceSpec, "host" | "url">) => Promise<HostFacts | undefined>;
  /** The facts that a registry has about a package; undefined if requests to it are not allowed. @throws Failure */
  readonly askRegistry: (source: PackageSourceSpec) => Promise<PackageFacts | undefined>;
  /** The kind of a Git host, by its name. */
  readonly hostOf: (host: string) => GitHost;
}

/** The ports that `updateReputation` uses. */
export interface ReputationPorts extends ReputationSources {
  readonly catalog: Pick<Catalog, "libraries">;
  readonly blobs: BlobStore;
  readonly now: () => number;
}

/** Lifetime of a reputation, in milliseconds. */
export const reputationLifetime = 7 * 86_400_000;

/** Lifetime if the host did not answer, in milliseconds. */
const problemKept = 86_400_000;

/** Maximum sample of page keys that copies are found by: the smallest ones, so that equal libraries have equal samples. */
const sampleSize = 64;

/** Share of the sample that a copy and its original must have in common, and the minimum sample: small libraries are alike by chance. */
const copiedShare = 0.7;
const leastPages = 5;

/** Updates a public library's reputation, unless it is recent. That of private libraries is set by an operator. */
export async function updateReputation(ports: ReputationPorts, uid: string): Promise<void> {
  const { catalog, now } = ports;
  const library = await catalog.libraries.get(uid);
  if (!library || library.teamspace !== "" || library.redirect !== null) return;
  const { reputation } = library;
  const kept = reputation?.problem === null ? reputationLifetime : problemKept;
  if (reputation && now() - reputation.checkedAt < kept) return;
  await catalog.libraries.update(uid, { reputation: await judge(ports, library) });
}

/** The present reputation of a library. */
async function judge(ports: ReputationPorts, library: LibraryRecord): Promise<Reputation> {
  const { source, reputation } = library;
  const asked = kindOf(source).reputation?.(source);
  if (asked?.from === "repositories") return judgeAddress(ports, asked.url);
  try {
    const judging = await judgingOf(ports, library, asked);
    if (!judging) return nothingKnown(ports.now());
    const judged = judging(null);
    // Older facts stay: a count that is missing now is no reason to trust a package more or less.
    if (judged.problem !== null && lacks(judged, reputation))
      return withProblem(reputation, judged.problem, ports.now());
    const original = await originalOf(ports, library, judged);
    return original === null ? judged : judging(original.id);
  } catch (error) {
    // Never a guess: the previous facts stay, with the reason why there are no newer ones.
    return withProblem(reputation, toFailureRecord(error).message, ports.now());
  }
}

/** Judges a site by the most trusted public library that names it as its homepage. */
async function judgeAddress({ catalog, now }: ReputationPorts, url: string): Promise<Reputation> {
  const naming = (await catalog.libraries.namingSite(siteHost(url))).flatMap((one) => {
    const score = trustOf(one);
    return score !== null && namesSite(one.reputation?.homepage ?? "", url) ? [{ id: one.id, score }] : [];
  });
  const [namedBy = null] = naming.toSorted((one, other) => other.score - one.score);
  return judgeSite({ isSecure: url.startsWith("https:"), namedBy }, now());
}

/** A function that judges a library's facts, given the ID of its original; undefined without facts. */
async function judgingOf(
  ports: ReputationPorts,
  { uid, source }: LibraryRecord,
  asked: ReputationSource | undefined,
): Promise<((original: string | null) => Reputation) | undefined> {
  const now = ports.now();
  if (asked?.from === "host") {
    const facts = await ports.askHost(asked.repository);
    return facts && ((original) => judgeRepository(facts, original, now));
  }
  const spec = packageOf(source);
  if (asked?.from !== "registry" || spec === undefined) return undefined;
  const facts = await ports.askRegistry(spec);
  if (!facts) return undefined;
  const named = (await liveManifest(ports, uid))?.repository;
  const url = named?.isConfirmed === true ? named.url : undefined;
  const host = url === undefined ? undefined : await ports.askHost({ host: ports.hostOf(new URL(url).host), url });
  const repository = url === undefined ? null : { url, facts: host ?? null };
  return (original) => judgePackage(facts, repository, original, now);
}

/** Whether a reputation lacks a factor that it had before. */
function lacks(judged: Reputation, before: Reputation | undefined): boolean {
  const names = new Set(judged.factors.map(({ name }) => name));
  return before?.factors.some(({ name }) => !names.has(name)) ?? false;
}

async function liveManifest({ catalog, blobs }: ReputationPorts, uid: string): Promise<Manifest | undefined> {
  const versions = await catalog.libraries.versionsOf(uid);
  const live = versions.find(({ version }) => version === "")?.live;
  return live ? readManifest(blobs, live.id) : undefined;
}

/** The original of a copy: an older, more trusted library with most of its pages. */
async function originalOf(
  ports: ReputationPorts,
  library: LibraryRecord,
  { score, repository }: Reputation,
): Promise<LibraryRecord | null> {
  const { libraries } = ports.catalog;
  const manifest = await liveManifest(ports, library.uid);
  const keys = (manifest?.pages ?? []).flatMap(({ key }) => key ?? []);
  const sample = [...new Set(keys)].sort().slice(0, sampleSize);
  await libraries.keepSample(library.uid, sample);
  if (sample.length < leastPages) return null;
  const alike = await libraries.likeSample(library.uid, Math.ceil(sample.length * copiedShare));
  const own = repositoryOf({ ...library, ...(repository !== undefined && { reputation: { repository } }) });
  const isOriginal = (one: LibraryRecord): boolean =>
    one.createdAt < library.createdAt &&
    (trustOf(one) ?? -1) > (score ?? -1) &&
    // A package and its repository have the same pages, and neither is a copy.
    (own === undefined || repositoryOf(one) !== own);
  return alike.find(isOriginal) ?? null;
}

/** The normalised address of a library's repository, if any. */
function repositoryOf({
  source,
  reputation,
}: Pick<LibraryRecord, "source"> & { readonly reputation?: Pick<Reputation, "repository"> }): string | undefined {
  const asked = kindOf(source).reputation?.(source);
  const url = asked?.from === "host" ? asked.repository.url : reputation?.repository;
  return url?.toLowerCase().replace(/(?:\.git)?\/?$/, "");
}
