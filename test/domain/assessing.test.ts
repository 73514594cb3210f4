import { expect, it } from "vitest";
import { assess } from "../../domain/indexing.ts";
import type { Counts } from "../../domain/generation.ts";

const limits = { tokens: 1e6, shrink: 0.5 };
const counts = (changes: Partial<Counts>): Counts => ({
  pages: 0,
  pagesSkipped: 0,
  pagesFailed: 0,
  code: 100,
  info: 0,
  quarantined: 0,
  duplicates: 0,
  tokens: 0,
  bytes: 0,
  ...changes,
});

it("holds a refresh in which most pages have begun to fail, even if their last passages are kept", () => {
  const live = counts({ pages: 100 });
  expect(assess("/a/b", counts({ pages: 40, pagesFailed: 60 }), live, limits)).toEqual({
    verdict: "hold",
    reason: "60 of 100 pages cannot be read any more.",
  });
});

it.each([
  ["few of them", counts({ pages: 100 }), counts({ pages: 60, pagesFailed: 40 })],
  ["few pages", counts({ pages: 30 }), counts({ pages: 11, pagesFailed: 19 })],
  ["pages that failed before", counts({ pages: 40, pagesFailed: 60 }), counts({ pages: 40, pagesFailed: 60 })],
])("publishes where %s fail", (_, live, now) => {
  expect(assess("/a/b", now, live, limits)).toEqual({ verdict: "publish" });
});

it("publishes a first generation of which most pages fail: there is nothing to keep", () => {
  expect(assess("/a/b", counts({ pages: 1, pagesFailed: 99 }), undefined, limits)).toEqual({ verdict: "publish" });
});

it("compares passages, however many examples and prose they hold", () => {
  const live = counts({ pages: 9, passages: 100, code: 300 });
  const now = counts({ pages: 9, passages: 40, code: 400, info: 40 });
  expect(assess("/a/b", now, live, limits)).toEqual({ verdict: "hold", reason: "60 of 100 passages would be lost." });
  expect(assess("/a/b", counts({ pages: 9, passages: 90, code: 90 }), live, limits)).toEqual({ verdict: "publish" });
});
