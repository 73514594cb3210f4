import { describe, expect, it } from "vitest";
import { judgePackage, type PackageFacts } from "../../domain/package-trust.ts";
import type { HostFacts } from "../../domain/trust.ts";

const now = Date.parse("2026-06-01T00:00:00Z");
const ago = (days: number): number => now - days * 86_400_000;

const famous: PackageFacts = {
  since: ago(4000),
  activeAt: ago(10),
  versions: 290,
  maintainers: 5,
  downloads: 30_000_000,
  isDeprecated: false,
  isWithdrawn: false,
  isAttested: true,
  problem: null,
};
/** What anybody can reach in an hour: some versions, and the downloads of mirrors. */
const squat: PackageFacts = {
  ...famous,
  since: ago(14),
  versions: 3,
  maintainers: 1,
  downloads: 300,
  isAttested: null,
};
const known: HostFacts = {
  stars: 66_000,
  forks: 17_000,
  isFork: false,
  isArchived: false,
  activeAt: ago(3),
  followers: 1500,
  ownerSince: ago(4000),
  since: ago(4000),
  ownerRepositories: 60,
  ownerProfile: 1,
  homepage: "https://widgets.example/",
};
const url = "https://git.example.com/acme/widgets";
const scoreOf = (facts: PackageFacts, repository: HostFacts | null = known, original: string | null = null) =>
  judgePackage(facts, repository && { url, facts: repository }, original, now).score;

describe("the trust score of a package", () => {
  it("is high where it is used and made from a repository that is trusted, and low for a typo-squat", () => {
    expect(scoreOf(famous)).toBe(10);
    expect(scoreOf(famous, null)).toBe(10);
    expect(scoreOf(squat, null)).toBe(3);
  });

  it("is lower for a package of a fork than for that of the parent, however often it is published", () => {
    const fork = { ...known, isFork: true, stars: 3, followers: 1 };
    expect(scoreOf({ ...famous, downloads: 20_000 }, fork)).toBe(6);
    expect(scoreOf(squat, fork)).toBe(3);
  });

  it("is capped where it is deprecated, taken back or a copy, or its repository is archived, and says so", () => {
    expect(scoreOf({ ...famous, isDeprecated: true })).toBe(6);
    expect(scoreOf(famous, { ...known, isArchived: true })).toBe(6);
    expect(scoreOf({ ...famous, isWithdrawn: true })).toBe(3);
    expect(judgePackage(famous, null, "/npm/widgets", now)).toMatchObject({
      score: 3,
      caps: ["Most of its pages are those of /npm/widgets: 3 at most."],
    });
  });

  it("is not known without downloads and repository: age and versions are cheap", () => {
    expect(scoreOf({ ...famous, downloads: null }, null)).toBeNull();
    // Like PyPI, which has no counts.
    expect(scoreOf({ ...famous, downloads: null, maintainers: null, isAttested: null })).toBe(9);
  });

  it("stays unknown where the host of its repository does not answer", () => {
    const judged = judgePackage({ ...famous, downloads: null }, { url, facts: null }, null, now);
    expect(judged).toMatchObject({ score: null, stars: null, repository: url });
  });

  it("has stars and site of its repository, and a reason for each factor", () => {
    const judged = judgePackage(famous, { url, facts: known }, null, now);
    expect(judged).toMatchObject({ stars: 66_000, homepage: "https://widgets.example/", repository: url });
    expect(judged.factors.map(({ reason }) => reason)).toEqual([
      `It is made from ${url}, whose score is 9 (66,000 stars).`,
      "It is downloaded 30,000,000 times a week.",
      "It was first published on 2015-06-19.",
      "Its newest version was published on 2026-05-22.",
      "It has 290 versions.",
      "It has 5 maintainers.",
      "Its newest version has an attestation of where it was built.",
    ]);
  });
});
