import { toFailureRecord } from "../domain/failures.ts";
import type { Manifest } from "../domain/generation.ts";
import type { GitSourceSpec } from "../domain/kinds/git.ts";
import type { PackageSourceSpec } from "../domain/kinds/index.ts";
import { judgePackage } from "../domain/package-trust.ts";
import type { PackageFacts } from "../domain/package-trust.ts";
import type { BlobStore, Catalog, LibraryRecord } from "../domain/ports.ts";
import type { GitHost } from "../domain/source.ts";
import { judgeRepository, judgeSite, namesSite, nothingKnown, siteHost, trustOf, unknown } from "../domain/trust.ts";
import type { HostFacts, Reputation } from "../domain/trust.ts";
import { readManifest } from "./parts.ts";

/** How hosts and registries are asked what they know. */
export interface ReputationAsking {
  /** What the host of a repository says of it; undefined where it has no API, or may not be asked. @throws Failure */
  readonly askHost: (source: Pick<GitSourceSpec, "host" | "url">) => Promise<HostFacts | undefined>;
  /** What the registry of a package says of it; undefined where it may not be asked. @throws Failure */
  readonly askRegistry: (source: PackageSourceSpec) => Promise<PackageFacts | undefined>;
  /** Which kind of Git host serves repositories under a name. */
  readonly hostOf: (host: string) => GitHost;
}

/** What finding out a reputation needs of the world. */
export interface ReputationPorts extends ReputationAsking {
  readonly catalog: Pick<Catalog, "libraries">;
  readonly blobs: BlobStore;
  readonly now: () => number;
}

/** Milliseconds after which a reputation is found out again. */
export const reputationKept = 7 * 86_400_000;

/** The same where the host did not answer. */
const problemKept = 86_400_000;

/** Pages in the sample that copies are found by: the smallest keys, so that equal libraries have equal samples. */
const sampleSize = 64;

/** Share of a sample that a copy's original must have, and the minimum size of a sample: small libraries are alike by chance. */
const copiedShare = 0.7;
const leastPages = 5;

/** Finds out a public library's reputation, unless that was done lately. Private libraries have what an operator sets. */
export async function updateReputation(ports: ReputationPorts, uid: string): Promise<void> {
  const { catalog, now } = ports;
  const library = await catalog.libraries.get(uid);
  if (!library || library.teamspace !== "" || library.redirect !== null) return;
  const { reputation } = library;
  const kept = reputation?.problem === null ? reputationKept : problemKept;
  if (reputation && now() - reputation.checkedAt < kept) return;
  await catalog.libraries.update(uid, { reputation: await judge(ports, library) });
}

/** What is known of a library now. */
async function judge(ports: ReputationPorts, library: LibraryRecord): Promise<Reputation> {
  const { source, reputation } = library;
  if (source.kind === "website" || source.kind === "llmstxt") return judgeAddress(ports, source.url);
  try {
    const judging = await judgingOf(ports, library);
    if (!judging) return nothingKnown(ports.now());
    const judged = judging(null);
    // Older facts stay: that a count is missing now is no reason to trust a package more or less.
    if (judged.problem !== null && lacks(judged, reputation)) return unknown(reputation, judged.problem, ports.now());
    const original = await originalOf(ports, library, judged);
    return original === null ? judged : judging(original.id);
  } catch (error) {
    // Never a guess: what was known before stays, with the reason why there is nothing newer.
    return unknown(reputation, toFailureRecord(error).message, ports.now());
  }
}

/** A site, by the public library that names it as its own and is trusted most. */
async function judgeAddress({ catalog, now }: ReputationPorts, url: string): Promise<Reputation> {
  const naming = (await catalog.libraries.namingSite(siteHost(url))).flatMap((one) => {
    const score = trustOf(one);
    return score !== null && namesSite(one.reputation?.homepage ?? "", url) ? [{ id: one.id, score }] : [];
  });
  const [namedBy = null] = naming.toSorted((one, other) => other.score - one.score);
  return judgeSite({ isSecure: url.startsWith("https:"), namedBy }, now());
}

/** Judges a library's facts, given the library that it is a copy of; undefined where there are no facts of its kind. */
async function judgingOf(
  ports: ReputationPorts,
  { uid, source }: LibraryRecord,
): Promise<((original: string | null) => Reputation) | undefined> {
  const now = ports.now();
  if (source.kind === "git") {
    const facts = await ports.askHost(source);
    return facts && ((original) => judgeRepository(facts, original, now));
  }
  if (source.kind !== "package") return undefined;
  const facts = await ports.askRegistry(source);
  if (!facts) return undefined;
  const named = (await liveManifest(ports, uid))?.repository;
  const url = named?.isConfirmed === true ? named.url : undefined;
  const host = url === undefined ? undefined : await ports.askHost({ host: ports.hostOf(new URL(url).host), url });
  const repository = url === undefined ? null : { url, facts: host ?? null };
  return (original) => judgePackage(facts, repository, original, now);
}

/** Whether a reputation lacks a factor that there was before. */
function lacks(judged: Reputation, before: Reputation | undefined): boolean {
  const names = new Set(judged.factors.map(({ name }) => name));
  return before?.factors.some(({ name }) => !names.has(name)) ?? false;
}

async function liveManifest({ catalog, blobs }: ReputationPorts, uid: string): Promise<Manifest | undefined> {
  const versions = await catalog.libraries.versionsOf(uid);
  const live = versions.find(({ version }) => version === "")?.live;
  return live ? readManifest(blobs, live.id) : undefined;
}

/** The library here that this one is a copy of: an older one, trusted more, that has most of its pages. */
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

/** The normalised address of the repository that a library is read from; undefined where there is none. */
function repositoryOf({
  source,
  reputation,
}: Pick<LibraryRecord, "source"> & { readonly reputation?: Pick<Reputation, "repository"> }): string | undefined {
  const url = source.kind === "git" ? source.url : reputation?.repository;
  return url?.toLowerCase().replace(/(?:\.git)?\/?$/, "");
}
