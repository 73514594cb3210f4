import { quantity } from "./quantity.ts";
import { dayOf } from "./days.ts";
import {
  factor,
  freshness,
  upTo,
  year,
  archivedCap,
  copyOf,
  judgeRepository,
  reputation,
  type TrustCap,
  type HostFacts,
  type Reputation,
} from "./trust.ts";

/** Facts about a package from its registry. Null: unknown. Times are milliseconds since 1970. */
export interface PackageFacts {
  /** When its first version was published. */
  readonly since: number | null;
  /** When its newest version was published. */
  readonly activeAt: number | null;
  readonly versions: number | null;
  readonly maintainers: number | null;
  /** Downloads in a week. */
  readonly downloads: number | null;
  /** The newest version is deprecated, or the project archived. */
  readonly isDeprecated: boolean | null;
  /** Every version was withdrawn: yanked, retracted or quarantined. */
  readonly isWithdrawn: boolean | null;
  /** The newest version has a build attestation. Null: none, or unknown, as mirrors leave them out. */
  readonly isAttested: true | null;
  /** Why the number of downloads is unknown, as a sentence; null: no problem. */
  readonly problem: string | null;
}

/** The repository of a package, with facts from its host. */
export interface PackageRepository {
  readonly url: string;
  /** Null: its host has no API, or may not be asked. */
  readonly facts: HostFacts | null;
}

/** Maximum trust score of a package whose versions were all withdrawn. */
const withdrawnCap = 3;

/** Weekly downloads of any package, by mirrors and scanners. */
const leastDownloads = 100;

/**
 * The reputation of a package. `repository` must be one whose own manifest names the package, as a typo-squat can claim any
 * repository. `original` is a more trusted library with the same pages.
 */
export function judgePackage(
  facts: PackageFacts,
  repository: PackageRepository | null,
  original: string | null,
  now: number,
): Reputation {
  const { since, activeAt, versions, maintainers, downloads, isAttested } = facts;
  const judged = repository?.facts ? judgeRepository(repository.facts, null, now) : null;
  const factors = [
    ...factor("repository", 40, judged?.score ?? null, (score) => [
      score / 10,
      `It is made from ${repository?.url ?? ""}, whose score is ${score}${starsOf(judged)}.`,
    ]),
    ...factor("downloads", 25, downloads, (count) => [
      Math.log10(Math.max(1, count) / leastDownloads) / 5,
      `It is downloaded ${quantity(count, "time")} a week.`,
    ]),
    ...factor("age", 10, since, (at) => [(now - at) / (8 * year), `It was first published on ${dayOf(at)}.`]),
    ...factor("activity", 10, activeAt, (at) => [
      freshness(at, now),
      `Its newest version was published on ${dayOf(at)}.`,
    ]),
    ...factor("versions", 5, versions, (count) => [upTo(2, count), `It has ${quantity(count, "version")}.`]),
    ...factor("maintainers", 5, maintainers, (count) => [count / 3, `It has ${quantity(count, "maintainer")}.`]),
    ...factor("provenance", 5, isAttested, () => [1, "Its newest version has an attestation of where it was built."]),
  ];
  const known = { stars: judged?.stars ?? null, homepage: judged?.homepage ?? null };
  return {
    ...reputation(factors, capsOf(facts, repository?.facts ?? null, original), now, known),
    problem: facts.problem,
    ...(repository && { repository: repository.url }),
  };
}

function capsOf(
  { isDeprecated, isWithdrawn }: PackageFacts,
  repository: HostFacts | null,
  original: string | null,
): readonly TrustCap[] {
  return [
    ...(isWithdrawn === true
      ? [{ cap: withdrawnCap, reason: `Every version was withdrawn: ${withdrawnCap} at most.` }]
      : []),
    ...(original === null ? [] : [copyOf(original)]),
    ...(isDeprecated === true ? [{ cap: archivedCap, reason: `It is deprecated: ${archivedCap} at most.` }] : []),
    ...(repository?.isArchived === true
      ? [{ cap: archivedCap, reason: `Its repository is archived: ${archivedCap} at most.` }]
      : []),
  ];
}

function starsOf(judged: Reputation | null): string {
  return typeof judged?.stars === "number" ? ` (${quantity(judged.stars, "star")})` : "";
}
