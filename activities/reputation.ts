import { toFailureRecord } from "../domain/failures.ts";
import type { GitSourceSpec } from "../domain/kinds/git.ts";
import type { BlobStore, Catalog, LibraryRecord } from "../domain/ports.ts";
import { judgeRepository, judgeSite, namesSite, nothingKnown, siteHost, trustOf, unknown } from "../domain/trust.ts";
import type { HostFacts, Reputation } from "../domain/trust.ts";
import { readManifest } from "./parts.ts";

/** What finding out a reputation needs of the world. */
export interface ReputationPorts {
  readonly catalog: Pick<Catalog, "libraries">;
  readonly blobs: BlobStore;
  /** What the host of a repository says of it; undefined where it has no API, or may not be asked. @throws Failure */
  readonly askHost: (source: GitSourceSpec) => Promise<HostFacts | undefined>;
  readonly now: () => number;
}

/** Milliseconds after which a reputation is found out again. */
export const reputationKept = 7 * 86_400_000;

/** The same where the host did not say anything. */
const problemKept = 86_400_000;

/** Pages in the sample that copies are found by: the smallest keys, so that equal libraries have equal samples. */
const sampleSize = 64;

/** Share of a sample that another library has to have, and the pages that a sample has at least: small libraries are alike by chance. */
const copiedShare = 0.7;
const leastPages = 5;

/** Finds out how far a public library is trusted, unless that was done lately. Private libraries have what an operator sets. */
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
  const { catalog, now } = ports;
  const { source, reputation } = library;
  if (source.kind === "website") {
    const naming = await catalog.libraries.namingSite(siteHost(source.url));
    const namedBy = naming.find((one) => namesSite(one.reputation?.homepage ?? "", source.url))?.id ?? null;
    return judgeSite({ isSecure: source.url.startsWith("https:"), namedBy }, now());
  }
  if (source.kind !== "git") return nothingKnown(now());
  try {
    const facts = await ports.askHost(source);
    if (!facts) return nothingKnown(now());
    const judged = judgeRepository(facts, null, now());
    const original = await originalOf(ports, library, judged.score);
    return original === null ? judged : judgeRepository(facts, original.id, now());
  } catch (error) {
    // Never a guess: what was known before stays, with why nothing newer is.
    return unknown(reputation, toFailureRecord(error).message, now());
  }
}

/** The library here that this one is a copy of: an older one, trusted more, that has most of its pages. */
async function originalOf(
  { catalog, blobs }: ReputationPorts,
  library: LibraryRecord,
  score: number | null,
): Promise<LibraryRecord | null> {
  const versions = await catalog.libraries.versionsOf(library.uid);
  const live = versions.find(({ version }) => version === "")?.live;
  const manifest = live && (await readManifest(blobs, live.id));
  const keys = (manifest?.pages ?? []).flatMap(({ key }) => key ?? []);
  const sample = [...new Set(keys)].sort().slice(0, sampleSize);
  await catalog.libraries.keepSample(library.uid, sample);
  if (sample.length < leastPages) return null;
  const alike = await catalog.libraries.likeSample(library.uid, Math.ceil(sample.length * copiedShare));
  return alike.find((one) => one.createdAt < library.createdAt && (trustOf(one) ?? -1) > (score ?? -1)) ?? null;
}
