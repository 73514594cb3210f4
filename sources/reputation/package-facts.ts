import type { PackageFacts } from "../../domain/package-trust.ts";
import { arrayOf, countOf, jsonOf, objectOf, timeOf } from "./json.ts";

/** Facts of which a registry says nothing. */
export const unsaidOfPackage: PackageFacts = {
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
 * What a packument says; null for what is none: https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md. Times count only with
 * `created` among them: a mirror that has none tells when it copied each version. Runs on a thread.
 */
export function readPackument(bytes: Uint8Array): PackageFacts | null {
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
    ...unsaidOfPackage,
    since,
    activeAt: since === null || typeof latest !== "string" ? null : timeOf(times[latest]),
    versions: names.length,
    maintainers: maintainers?.length ?? null,
    isDeprecated: deprecated === true || (typeof deprecated === "string" && deprecated !== ""),
    isAttested: Object.hasOwn(objectOf(objectOf(newest["dist"])["attestations"]), "url") ? true : null,
  };
}

/**
 * What an index of Python packages says in JSON; null for what is none: PEP 691, with the times of PEP 700, the provenance of PEP 740 and
 * the status of PEP 792. It has no counts. Runs on a thread.
 */
export function readPythonProject(bytes: Uint8Array): PackageFacts | null {
  const document = objectOf(jsonOf(bytes));
  const files = arrayOf(document["files"])?.map(objectOf);
  if (files === undefined || files.length === 0) return null;
  const times = files.flatMap((file) => timeOf(file["upload-time"]) ?? []);
  const { status } = objectOf(document["project-status"]);
  const newest = files.toSorted(
    (one, other) => (timeOf(one["upload-time"]) ?? 0) - (timeOf(other["upload-time"]) ?? 0),
  );
  return {
    ...unsaidOfPackage,
    since: leastOf(times),
    activeAt: mostOf(times),
    versions: arrayOf(document["versions"])?.length ?? null,
    isDeprecated: status === "archived" || status === "deprecated",
    isWithdrawn: status === "quarantined" || files.every(({ yanked }) => yanked === true || typeof yanked === "string"),
    isAttested: typeof newest.at(-1)?.["provenance"] === "string" ? true : null,
  };
}

/** What the file of a crate in an index says; null for what is none: https://doc.rust-lang.org/cargo/reference/registry-index.html. Runs on a thread. */
export function readCrate(bytes: Uint8Array): PackageFacts | null {
  const lines = new TextDecoder().decode(bytes).split("\n");
  const versions = lines.flatMap((line) => (line.trim() === "" ? [] : [objectOf(jsonOf(line))]));
  if (versions.length === 0 || versions.some(({ vers }) => typeof vers !== "string")) return null;
  const times = versions.flatMap(({ pubtime }) => timeOf(pubtime) ?? []);
  return {
    ...unsaidOfPackage,
    // Without the time of the first one it is not known how old the crate is.
    since: timeOf(versions[0]?.["pubtime"]),
    activeAt: mostOf(times),
    versions: versions.length,
    isWithdrawn: versions.every(({ yanked }) => yanked === true),
  };
}

/** Downloads in a week, from what crates.io says of the last 90 days: https://crates.io/data-access */
export function weeklyOfCrate(bytes: Uint8Array): number | null {
  const recent = countOf(objectOf(objectOf(jsonOf(bytes))["crate"])["recent_downloads"]);
  return recent === null ? null : Math.round((recent * 7) / 90);
}

/** Downloads in a week, as npm counts them: https://github.com/npm/registry/blob/main/docs/download-counts.md */
export function weeklyOfNpm(bytes: Uint8Array): number | null {
  return countOf(objectOf(jsonOf(bytes))["downloads"]);
}

function leastOf(times: readonly number[]): number | null {
  return times.length === 0 ? null : times.reduce((one, other) => Math.min(one, other));
}

function mostOf(times: readonly number[]): number | null {
  return times.length === 0 ? null : times.reduce((one, other) => Math.max(one, other));
}
