import { quantity } from "./quantity.ts";
import { dayOf, day } from "./days.ts";

/** Facts about a repository and its owner from their host. Null: unknown. Times are milliseconds since 1970. */
export interface HostFacts {
  readonly stars: number | null;
  readonly forks: number | null;
  readonly isFork: boolean | null;
  readonly isArchived: boolean | null;
  /** Time of the last commit or change. */
  readonly activeAt: number | null;
  readonly followers: number | null;
  readonly ownerSince: number | null;
  /** When the repository was created. */
  readonly since: number | null;
  readonly ownerRepositories: number | null;
  /** Completeness of the owner's profile, 0 to 1. */
  readonly ownerProfile: number | null;
  /** Address of the project's site according to the repository. */
  readonly homepage: string | null;
}

/** Facts about a website that are known without a request. */
export interface SiteFacts {
  readonly isSecure: boolean;
  /** The public library with a score, 0 to 10, whose homepage is the site; null: none. */
  readonly namedBy: { readonly id: string; readonly score: number } | null;
}

/** The trust score of a library with its reasons. */
export interface Reputation {
  /** When its facts were read, in milliseconds since 1970. */
  readonly checkedAt: number;
  /** 0 to 10; null: too little is known. */
  readonly score: number | null;
  readonly stars: number | null;
  readonly factors: readonly TrustFactor[];
  /** The caps of the score, as sentences. */
  readonly caps: readonly string[];
  /** Why the facts could not be updated; null: no problem. */
  readonly problem: string | null;
  /** The homepage that the repository names. */
  readonly homepage: string | null;
  /** The repository of a package; absent: unknown, or not a package. */
  readonly repository?: string;
}

/** Minimum weight of known factors for a score, in hundredths. */
const leastWeight = 40;

/** Caps of the score. */
const forkCap = 3;
const copyCap = 3;
export const archivedCap = 6;

/** The score from which a library is verified, unless an operator has decided. */
const verifiedFrom = 9;

/** The members of a library that its trust score follows from. */
interface Standing {
  /** Set by an operator; null: not set. */
  readonly trust: number | null;
  readonly reputation?: Pick<Reputation, "score">;
}

/** The trust score of a library, an integer from 0 to 10: set by an operator, else computed; null: unknown. */
export function trustOf({ trust, reputation }: Standing): number | null {
  return trust ?? reputation?.score ?? null;
}

/** Whether a library is verified: set by an operator, else by its score; null: unknown. */
export function isVerified({ verified, ...library }: Standing & { readonly verified?: boolean }): boolean | null {
  const score = trustOf(library);
  return verified ?? (score === null ? null : score >= verifiedFrom);
}

/** Canonical host of a site, by which homepages and websites are compared. */
export function siteHost(url: string): string {
  return new URL(url).host.replace(/^www\./, "");
}

/** Whether a homepage is a site or a folder above it. */
export function namesSite(homepage: string, site: string): boolean {
  const pathOf = (url: string): string => new URL(url).pathname.replace(/(?<!\/)\/*$/, "/");
  return siteHost(homepage) === siteHost(site) && pathOf(site).startsWith(pathOf(homepage));
}

/** The reputation of a repository. `original` is a more trusted library with the same pages; null: none. */
export function judgeRepository(facts: HostFacts, original: string | null, now: number): Reputation {
  const caps = [
    ...(facts.isFork === true ? [{ cap: forkCap, reason: `It is a fork: ${forkCap} at most.` }] : []),
    ...(original === null ? [] : [copyOf(original)]),
    ...(facts.isArchived === true ? [{ cap: archivedCap, reason: `It is archived: ${archivedCap} at most.` }] : []),
  ];
  return reputation(factorsOf(facts, now), caps, now, { stars: facts.stars, homepage: facts.homepage });
}

/** The reputation of a website. */
export function judgeSite({ isSecure, namedBy }: SiteFacts, now: number): Reputation {
  const factors = [
    ...factor("https", 10, isSecure, () => [
      isSecure ? 1 : 0,
      `It is served over ${isSecure ? "https" : "plain http"}.`,
    ]),
    ...factor("repository", 30, namedBy, ({ id, score }) => [
      score / 10,
      `The repository of ${id}, whose score is ${score}, names it as its site.`,
    ]),
  ];
  return reputation(factors, [], now, { stars: null, homepage: null });
}

/** The reputation of a library without known facts. */
export function nothingKnown(now: number): Reputation {
  return reputation([], [], now, { stars: null, homepage: null });
}

/** The previous reputation, with the problem that prevented an update. */
export function withProblem(before: Reputation | undefined, problem: string, now: number): Reputation {
  const previous = before ?? { score: null, stars: null, factors: [], caps: [], homepage: null };
  return { ...previous, checkedAt: now, problem };
}

/** The cap of a copy of another library. */
export function copyOf(original: string): TrustCap {
  return { cap: copyCap, reason: `Most of its pages are those of ${original}: ${copyCap} at most.` };
}

/** The reputation from factors and caps, for every kind of source. */
export function reputation(
  factors: readonly TrustFactor[],
  caps: readonly TrustCap[],
  now: number,
  known: Pick<Reputation, "stars" | "homepage">,
): Reputation {
  const weight = factors.reduce((sum, one) => sum + one.weight, 0);
  const points = factors.reduce((sum, one) => sum + one.weight * one.value, 0);
  const score =
    weight < leastWeight ? null : Math.min(Math.round((10 * points) / weight), ...caps.map(({ cap }) => cap));
  return { ...known, checkedAt: now, score, factors, caps: caps.map(({ reason }) => reason), problem: null };
}

/** The known factors of a repository. */
function factorsOf(facts: HostFacts, now: number): readonly TrustFactor[] {
  const { stars, followers, ownerSince, since, activeAt, ownerRepositories, ownerProfile, forks } = facts;
  const age = (at: number): number => (now - at) / (8 * year);
  return [
    ...factor("stars", 35, stars, (count) => [upTo(5, count), `The repository has ${quantity(count, "star")}.`]),
    ...factor("followers", 15, followers, (count) => [upTo(4, count), `Its owner has ${quantity(count, "follower")}.`]),
    ...(ownerSince === null
      ? factor("age", 15, since, (at) => [age(at), `The repository was created on ${dayOf(at)}.`])
      : factor("age", 15, ownerSince, (at) => [age(at), `Its owner's account was created on ${dayOf(at)}.`])),
    ...factor("activity", 15, activeAt, (at) => [freshness(at, now), `It last changed on ${dayOf(at)}.`]),
    ...factor("repositories", 5, ownerRepositories, (count) => [
      upTo(2, count),
      `Its owner has ${quantity(count, "repository")}.`,
    ]),
    ...factor("profile", 10, ownerProfile, (share) => [
      share,
      `Its owner's profile is ${Math.round(share * 100)} % filled in.`,
    ]),
    ...factor("forks", 5, forks, (count) => [upTo(4, count), `It has ${quantity(count, "fork")}.`]),
  ];
}

interface TrustFactor {
  readonly name: string;
  /** In hundredths of all factors. */
  readonly weight: number;
  /** 0 to 1. */
  readonly value: number;
  /** A sentence. */
  readonly reason: string;
}

/** A maximum score with its reason. */
export interface TrustCap {
  readonly cap: number;
  readonly reason: string;
}

export const year = 365.25 * day;

/** A factor; empty if its fact is unknown. `judge` returns its value, which is clamped to 0 to 1, and its reason. */
export function factor<T>(
  name: string,
  weight: number,
  fact: T | null,
  judge: (known: T) => readonly [value: number, reason: string],
): readonly TrustFactor[] {
  if (fact === null) return [];
  const [value, reason] = judge(fact);
  return [{ name, weight, value: Math.min(1, Math.max(0, value)), reason }];
}

/** Logarithmic: 1 at the given power of ten. */
export function upTo(power: number, count: number): number {
  return Math.log10(1 + Math.max(0, count)) / power;
}

/** Decays to a third per year without a change. */
export function freshness(at: number, now: number): number {
  return Math.exp(-(now - at) / (365 * day));
}
