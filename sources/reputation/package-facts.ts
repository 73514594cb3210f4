import type { PackageFacts } from "../../domain/package-trust.ts";
import { jsonOf, objectOf } from "../../extract/json.ts";
import { arrayOf, countOf, timeOf } from "../lib/fetch/json.ts";
import type { MetadataAnswer } from "../package/registry.ts";

type Metadata = Pick<MetadataAnswer, "bytes">;

/** The facts about a package if a registry has none. */
export const unknownPackageFacts: PackageFacts = {
  since: null,
  activeAt: null,
  versions: null,
  maintainers: null,
  downloads: null,
  isDeprecated: null,
  isWithdrawn: null,
  isAttested: null,
  problem: null,
};

/**
 * The facts in a packument; null for anything else: https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md. Times are ignored
 * without `created`: then they are those at which a mirror copied a version. Runs on a thread.
 */
export function readPackument({ bytes }: Metadata): PackageFacts | null {
  const document = objectOf(jsonOf(bytes));
  const versions = objectOf(document["versions"]);
  const names = Object.keys(versions);
  if (names.length === 0) return null;
  const latest = objectOf(document["dist-tags"])["latest"];
  const newest = objectOf(typeof latest === "string" && Object.hasOwn(versions, latest) ? versions[latest] : null);
  const times = objectOf(document["time"]);
  const since = timeOf(times["created"]);
  const maintainers = arrayOf(document["maintainers"]) ?? arrayOf(newest["maintainers"]);
  const { deprecated } = newest;
  return {
    ...unknownPackageFacts,
    since,
    activeAt: since === null || typeof latest !== "string" ? null : timeOf(times[latest]),
    versions: names.length,
    maintainers: maintainers?.length ?? null,
    isDeprecated: deprecated === true || (typeof deprecated === "string" && deprecated !== ""),
    isAttested: Object.hasOwn(objectOf(objectOf(newest["dist"])["attestations"]), "url") ? true : null,
  };
}

/**
 * The facts in the JSON of an index of Python packages (PEP 691, with the times of PEP 700, the provenance of PEP 740 and the status of
 * PEP 792); null for anything else. It has no download counts. Runs on a thread.
 */
export function readPythonProject({ bytes }: Metadata): PackageFacts | null {
  const document = objectOf(jsonOf(bytes));
  const files = arrayOf(document["files"])?.map(objectOf);
  if (files === undefined || files.length === 0) return null;
  const { status } = objectOf(document["project-status"]);
  const byTime = files
    .map((file) => ({ time: timeOf(file["upload-time"]), provenance: file["provenance"] }))
    .toSorted((one, other) => (one.time ?? 0) - (other.time ?? 0));
  return {
    ...unknownPackageFacts,
    since: byTime.find(({ time }) => time !== null)?.time ?? null,
    activeAt: byTime.findLast(({ time }) => time !== null)?.time ?? null,
    versions: arrayOf(document["versions"])?.length ?? null,
    isDeprecated: status === "archived" || status === "deprecated",
    isWithdrawn: status === "quarantined" || files.every(({ yanked }) => yanked === true || typeof yanked === "string"),
    isAttested: typeof byTime.at(-1)?.provenance === "string" ? true : null,
  };
}

/** The facts in a crate's index file; null for anything else: https://doc.rust-lang.org/cargo/reference/registry-index.html. Runs on a thread. */
export function readCrate({ bytes }: Metadata): PackageFacts | null {
  const lines = new TextDecoder().decode(bytes).split("\n");
  const versions = lines.flatMap((line) => (line.trim() === "" ? [] : [objectOf(jsonOf(line))]));
  if (versions.length === 0 || versions.some(({ vers }) => typeof vers !== "string")) return null;
  const times = versions.flatMap(({ pubtime }) => timeOf(pubtime) ?? []);
  return {
    ...unknownPackageFacts,
    // The age of the crate is known only if the first version has a time.
    since: timeOf(versions[0]?.["pubtime"]),
    activeAt: latestOf(times),
    versions: versions.length,
    isWithdrawn: versions.every(({ yanked }) => yanked === true),
  };
}

/** Weekly downloads, as the mean of the 90 days that crates.io counts: https://crates.io/data-access */
export function weeklyOfCrate(answer: unknown): number | null {
  const recent = countOf(objectOf(objectOf(answer)["crate"])["recent_downloads"]);
  return recent === null ? null : Math.round((recent * 7) / 90);
}

/** Weekly downloads, as counted by npm: https://github.com/npm/registry/blob/main/docs/download-counts.md */
export function weeklyOfNpm(answer: unknown): number | null {
  return countOf(objectOf(answer)["downloads"]);
}

function latestOf(times: readonly number[]): number | null {
  return times.length === 0 ? null : times.reduce((one, other) => Math.max(one, other));
}
