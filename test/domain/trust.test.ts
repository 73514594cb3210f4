import { describe, expect, it } from "vitest";
import {
  isVerified,
  judgeRepository,
  judgeSite,
  namesSite,
  trustOf,
  withProblem,
  type HostFacts,
} from "../../domain/trust.ts";

const now = Date.parse("2026-06-01T00:00:00Z");
const ago = (days: number): number => now - days * 86_400_000;

const famous: HostFacts = {
  stars: 98_000,
  forks: 9200,
  isFork: false,
  isArchived: false,
  activeAt: ago(1),
  followers: 24_000,
  ownerSince: ago(4000),
  since: ago(3800),
  ownerRepositories: 120,
  ownerProfile: 1,
  homepage: "https://widgets.example/",
};
const fresh: HostFacts = {
  ...famous,
  stars: 3,
  forks: 0,
  followers: 2,
  ownerSince: ago(40),
  ownerRepositories: 1,
  ownerProfile: 0.25,
};
const scoreOf = (facts: HostFacts, original: string | null = null): number | null =>
  judgeRepository(facts, original, now).score;

describe("the trust score of a repository", () => {
  it("is high for what is famous and kept, and low for what is new and unknown", () => {
    expect(scoreOf(famous)).toBe(10);
    expect(scoreOf({ ...famous, stars: 1200, followers: 80, ownerRepositories: 30 })).toBe(8);
    expect(scoreOf(fresh)).toBe(2);
  });

  it("falls where nothing has changed for years", () => {
    expect(scoreOf({ ...famous, activeAt: ago(2000) })).toBe(8);
    expect(scoreOf({ ...fresh, activeAt: ago(2000) })).toBe(1);
  });

  it("is capped for forks, copies and what is archived, and says so", () => {
    expect(scoreOf({ ...famous, isFork: true })).toBe(3);
    expect(scoreOf({ ...famous, isArchived: true })).toBe(6);
    expect(judgeRepository(famous, "/acme/widgets", now)).toMatchObject({
      score: 3,
      caps: ["Most of its pages are those of /acme/widgets: 3 at most."],
    });
  });

  it("is not known where the host says too little", () => {
    const nothing = Object.fromEntries(Object.keys(famous).map((name) => [name, null])) as unknown as HostFacts;
    expect(scoreOf(nothing)).toBeNull();
    // Like Bitbucket, which has no stars.
    expect(scoreOf({ ...nothing, activeAt: ago(1) })).toBeNull();
    // Like GitLab, which says nothing about owners.
    expect(scoreOf({ ...nothing, activeAt: ago(1), stars: 9000, forks: 900 })).toBe(8);
  });

  it("has a reason for each factor", () => {
    expect(judgeRepository(famous, null, now).factors.map(({ reason }) => reason)).toEqual([
      "The repository has 98,000 stars.",
      "Its owner has 24,000 followers.",
      "Its owner's account was created on 2015-06-19.",
      "It last changed on 2026-05-31.",
      "Its owner has 120 repositories.",
      "Its owner's profile is 100 % filled in.",
      "It has 9,200 forks.",
    ]);
  });

  it("stays as it was while the host fails", () => {
    const before = judgeRepository(famous, null, now - 1000);
    expect(withProblem(before, "git.example.com answered 503.", now)).toEqual({
      ...before,
      checkedAt: now,
      problem: "git.example.com answered 503.",
    });
    expect(withProblem(undefined, "git.example.com answered 503.", now).score).toBeNull();
  });
});

describe("the trust score of a website", () => {
  it("is known where the repository of a library here names the site", () => {
    expect(judgeSite({ isSecure: true, namedBy: { id: "/acme/widgets", score: 10 } }, now).score).toBe(10);
    expect(judgeSite({ isSecure: false, namedBy: { id: "/acme/widgets", score: 10 } }, now).score).toBe(8);
    expect(judgeSite({ isSecure: true, namedBy: null }, now).score).toBeNull();
  });

  it("is low where what names it is not trusted", () => {
    expect(judgeSite({ isSecure: true, namedBy: { id: "/mallory/widgets", score: 1 } }, now).score).toBe(3);
  });

  it("compares sites by host and what their paths begin with", () => {
    expect(namesSite("https://www.widgets.example", "https://widgets.example/guide/")).toBe(true);
    expect(namesSite("https://acme.example/widgets", "https://acme.example/widgets/guide")).toBe(true);
    expect(namesSite("https://acme.example/widgets", "https://acme.example/widgets-2/")).toBe(false);
    expect(namesSite("https://acme.example/", "https://other.example/")).toBe(false);
  });
});

describe("a library", () => {
  it("has the score that an operator has set, if any", () => {
    const reputation = judgeRepository(famous, null, now);
    expect(trustOf({ trust: 2, reputation })).toBe(2);
    expect(trustOf({ trust: null, reputation })).toBe(10);
    expect(trustOf({ trust: null })).toBeNull();
  });

  it("is verified by mark, else by a score of 9 and more, else unknown", () => {
    const reputation = judgeRepository(famous, null, now);
    expect(isVerified({ trust: null, reputation })).toBe(true);
    expect(isVerified({ trust: 8, reputation })).toBe(false);
    expect(isVerified({ trust: null, reputation, verified: false })).toBe(false);
    expect(isVerified({ trust: null })).toBeNull();
  });
});
