import { counted, dateOf, factor, freshness, upTo, year } from "./trust-factors.ts";
import type { TrustCap, TrustFactor } from "./trust-factors.ts";

/** What the host of a repository says of it and of its owner. Null: it does not say. Times are milliseconds since 1970. */
export interface HostFacts {
  readonly stars: number | null;
  readonly forks: number | null;
  readonly isFork: boolean | null;
  readonly isArchived: boolean | null;
  /** Last commit, or last change, by the host's own word. */
  readonly activeAt: number | null;
  readonly followers: number | null;
  readonly ownerSince: number | null;
  /** When the repository was made. */
  readonly since: number | null;
  readonly ownerRepositories: number | null;
  /** Share of its profile that the owner has filled in, 0 to 1. */
  readonly ownerProfile: number | null;
  /** Address of the project's site, as the repository names it. */
  readonly homepage: string | null;
}

/** What is known of a website without asking anybody. */
export interface SiteFacts {
  readonly isSecure: boolean;
  /** The public library here that names the site as its own, by its ID, and its score, 0 to 10; null: none does, or none that has a score. */
  readonly namedBy: { readonly id: string; readonly score: number } | null;
}

/** How far a library is trusted, and why. */
export interface Reputation {
  /** When it was found out, in milliseconds since 1970. */
  readonly checkedAt: number;
  /** 0 to 10; null: too little is known. */
  readonly score: number | null;
  readonly stars: number | null;
  readonly factors: readonly TrustFactor[];
  /** What the score is limited by, as sentences. */
  readonly caps: readonly string[];
  /** Why nothing newer is known; null: it is. */
  readonly problem: string | null;
  /** The site that the repository names. */
  readonly homepage: string | null;
  /** The repository that a package was found to be made from; absent: not known, or no package. */
  readonly repository?: string;
}

/** Hundredths of the weights that have to be known: with less a score would be a guess. */
const leastKnown = 40;

/** Scores that a library has at most. */
const forkCap = 3;
const copyCap = 3;
export const archivedCap = 6;

/** The score from which on a library counts as verified, where nobody has decided. */
const verifiedFrom = 9;

/** What the trust score of a library follows from. */
interface Standing {
  /** The operator's; null: none. */
  readonly trust: number | null;
  readonly reputation?: Pick<Reputation, "score">;
}

/** The trust score of a library, a whole number from 0 to 10: the operator's, else what follows from facts; null: not known. */
export function trustOf({ trust, reputation }: Standing): number | null {
  return trust ?? reputation?.score ?? null;
}

/** Whether a library is verified: by the operator's mark, else by its score; null: not known. */
export function isVerified({ verified, ...library }: Standing & { readonly verified?: boolean }): boolean | null {
  const score = trustOf(library);
  return verified ?? (score === null ? null : score >= verifiedFrom);
}

/** Host of a site, by which a repository's homepage and a website are compared. */
export function siteHost(url: string): string {
  return new URL(url).host.replace(/^www\./, "");
}

/** Whether a repository's homepage is a site, or what the site is below. */
export function namesSite(homepage: string, site: string): boolean {
  const pathOf = (url: string): string => new URL(url).pathname.replace(/(?<!\/)\/*$/, "/");
  return siteHost(homepage) === siteHost(site) && pathOf(site).startsWith(pathOf(homepage));
}

/** What a repository's host says, as a reputation. `original` is the library whose pages this one has, and which is trusted more. */
export function judgeRepository(facts: HostFacts, original: string | null, now: number): Reputation {
  const caps = [
    ...(facts.isFork === true ? [{ cap: forkCap, reason: `It is a fork: ${forkCap} at most.` }] : []),
    ...(original === null ? [] : [copyOf(original)]),
    ...(facts.isArchived === true ? [{ cap: archivedCap, reason: `It is archived: ${archivedCap} at most.` }] : []),
  ];
  return reputation(factorsOf(facts, now), caps, now, { stars: facts.stars, homepage: facts.homepage });
}

/** What is known of a website, as a reputation. */
export function judgeSite({ isSecure, namedBy }: SiteFacts, now: number): Reputation {
  const factors: readonly TrustFactor[] = [
    {
      name: "https",
      weight: 10,
      value: isSecure ? 1 : 0,
      reason: isSecure ? "It is served over https." : "It is served over plain http.",
    },
    ...(namedBy === null
      ? []
      : [
          {
            name: "repository",
            weight: 30,
            value: namedBy.score / 10,
            reason: `The repository of ${namedBy.id}, whose score is ${namedBy.score}, names it as its site.`,
          },
        ]),
  ];
  return reputation(factors, [], now, { stars: null, homepage: null });
}

/** The reputation of a library of whose source nothing is known. */
export function nothingKnown(now: number): Reputation {
  return reputation([], [], now, { stars: null, homepage: null });
}

/** The reputation that stays where nothing newer can be found out: the last one, with why. */
export function unknown(before: Reputation | undefined, problem: string, now: number): Reputation {
  const last = before ?? { score: null, stars: null, factors: [], caps: [], homepage: null };
  return { ...last, checkedAt: now, problem };
}

/** What a copy of another library has at most. */
export function copyOf(original: string): TrustCap {
  return { cap: copyCap, reason: `Most of its pages are those of ${original}: ${copyCap} at most.` };
}

/** A score of factors and caps, as every kind of source gets it. */
export function reputation(
  factors: readonly TrustFactor[],
  caps: readonly TrustCap[],
  now: number,
  known: Pick<Reputation, "stars" | "homepage">,
): Reputation {
  const weight = factors.reduce((sum, one) => sum + one.weight, 0);
  const points = factors.reduce((sum, one) => sum + one.weight * one.value, 0);
  const score =
    weight < leastKnown ? null : Math.min(Math.round((10 * points) / weight), ...caps.map(({ cap }) => cap));
  return { ...known, checkedAt: now, score, factors, caps: caps.map(({ reason }) => reason), problem: null };
}

/** The factors of a repository that are known. */
function factorsOf(facts: HostFacts, now: number): readonly TrustFactor[] {
  const { stars, followers, ownerSince, since, activeAt, ownerRepositories, ownerProfile, forks } = facts;
  const age = (at: number): number => (now - at) / (8 * year);
  return [
    ...factor("stars", 35, stars, upTo(5), (count) => `The repository has ${counted(count, "star")}.`),
    ...factor("followers", 15, followers, upTo(4), (count) => `Its owner has ${counted(count, "follower")}.`),
    ...(ownerSince === null
      ? factor("age", 15, since, age, (at) => `The repository has been there since ${dateOf(at)}.`)
      : factor("age", 15, ownerSince, age, (at) => `Its owner has been there since ${dateOf(at)}.`)),
    ...factor("activity", 15, activeAt, freshness(now), (at) => `It changed last on ${dateOf(at)}.`),
    ...factor(
      "repositories",
      5,
      ownerRepositories,
      upTo(2),
      (count) => `Its owner has ${counted(count, "repository")}.`,
    ),
    ...factor(
      "profile",
      10,
      ownerProfile,
      (share) => share,
      (share) => `Its owner's profile is ${Math.round(share * 100)} % filled in.`,
    ),
    ...factor("forks", 5, forks, upTo(4), (count) => `It has ${counted(count, "fork")}.`),
  ];
}
