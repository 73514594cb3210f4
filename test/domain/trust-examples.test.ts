import { describe, expect, it } from "vitest";
import { packages } from "../support/trust/packages.ts";
import { repositories } from "../support/trust/repositories.ts";
import { madeFacts, scorePackage, scoreRepository } from "../support/trust/rows.ts";

const now = Date.parse("2026-06-01T00:00:00Z");

/** The score of each row with invented facts. */
const scores = new Map<string, number | null>();
for (const one of repositories) scores.set(`${one.host}: ${one.name}`, (await scoreRepository(one, now)).score);
for (const one of packages)
  if (one.made)
    scores.set(`${one.registry}: ${one.name}`, (await scorePackage(one, madeFacts(one.made, now), now)).score);

const scoreOf = (name: string): number => {
  const score = scores.get(name);
  if (typeof score !== "number") throw new Error(`${name} has no score.`);
  return score;
};

/** The score of every invented row; null: unknown. */
const expected: Readonly<Record<string, number | null>> = {
  "github: vercel/next.js": 10,
  "github: expressjs/express": 10,
  "github: spf13/cobra": 9,
  "github: acme/known": 7,
  "github: acme/small": 6,
  "github: acme/left": 4,
  "github: vercel/fresh": 7,
  "github: mallory/new": 2,
  "github: mallory/bought": 4,
  "github: mallory/next.js": 2,
  "github: acme/next.js": 3,
  "github: mallory/nextjs": 3,
  "github: request/request": 6,
  "github: acme/ended": 4,
  "gitlab: inkscape/inkscape": 8,
  "gitlab: mallory/new": 2,
  "gitlab: mallory/inkscape": 3,
  "bitbucket: acme/widgets": null,
  "gitea: forgejo/forgejo": 7,
  "gitea: mallory/new": 2,
  "github: acme/unknown": null,
  "github: acme/private": null,
  "github: acme/handbook": 9,
  "npm: @acme/famous": 10,
  "npm: @acme/deprecated": 6,
  "npm: @acme/closed": 6,
  "npm: @mallory/express": 3,
  "npm: expresss": 3,
  "npm: exppress": 3,
  "crates: acme_new": 2,
  "pypi: acme-new": null,
  "crates: acme_yanked": 3,
};

describe("the trust score of invented repositories and packages", () => {
  it("is the one that the formula gives", () => {
    expect(Object.fromEntries(scores)).toEqual(expected);
  });

  it.each([
    ["a fork", "its parent", "github: acme/next.js", "github: vercel/next.js"],
    ["a clone", "its original", "github: mallory/nextjs", "github: vercel/next.js"],
    ["a fork on GitLab", "its parent", "gitlab: mallory/inkscape", "gitlab: inkscape/inkscape"],
    ["what is archived", "what is maintained", "github: request/request", "github: acme/known"],
    ["what is new and unknown", "what is small and kept", "github: mallory/new", "github: acme/small"],
    ["what has bought stars", "what is small and kept", "github: mallory/bought", "github: acme/small"],
    ["a stranger's", "a known company's", "github: mallory/new", "github: vercel/fresh"],
    ["a typo-squat", "its original", "npm: expresss", "npm: @acme/famous"],
    ["a typo-squat with copied pages", "its original", "npm: exppress", "npm: @acme/famous"],
    ["a fork's package", "the parent's", "npm: @mallory/express", "npm: @acme/famous"],
    ["a deprecated package", "a maintained one", "npm: @acme/deprecated", "npm: @acme/famous"],
    ["a package whose versions were all yanked", "what is used", "crates: acme_yanked", "npm: @acme/closed"],
  ])("is lower for %s than for %s", (_less, _more, less, more) => {
    expect(scoreOf(less)).toBeLessThan(scoreOf(more));
  });
});
