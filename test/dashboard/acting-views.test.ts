import { expect, it } from "vitest";

import type { Html } from "../../api/dashboard/html.ts";
import { heldView } from "../../api/dashboard/library/held.ts";
import { quarantineView } from "../../api/dashboard/library/quarantine.ts";
import { runsView } from "../../api/dashboard/library/runs.ts";
import type { Run, Status } from "../../api/answer-types.ts";

/** Closing tags, a script, markup and a bidi override. */
const hostile = `"'></pre></textarea><script>alert(1)</script><img src=x onerror=alert(1)>\u202e`;
const now = Date.parse("2026-01-03T12:00:00Z");
const time = "2026-01-03T11:00:00.000Z";

const counts = {
  pages: 40,
  pagesSkipped: 0,
  pagesFailed: 0,
  passages: 40,
  code: 3,
  info: 37,
  quarantined: 0,
  duplicates: 0,
};
const live = {
  id: "g1",
  revision: hostile,
  ref: hostile,
  counts: { ...counts, tokens: 900, bytes: 2000 },
  createdAt: time,
  damage: null,
  unindexedSince: null,
};
const run: Run = {
  id: "r1",
  reason: "refresh",
  state: "closed",
  phase: "collecting",
  outcome: "failed",
  failure: { error: hostile, message: hostile },
  progress: {},
  attempt: 2,
  lastFailure: null,
  progressAt: time,
  createdAt: time,
  startedAt: time,
  closedAt: "2026-01-03T11:01:30.000Z",
};
const status = (permitted: Status["permitted"], more: Partial<Status> = {}) =>
  ({ title: hostile, live, held: null, openRun: null, runs: [run], permitted, ...more }) as unknown as Status;

function expectText(view: Html): string {
  const page = view.toString();
  expect(page).not.toMatch(/<script|<img|\u202e/);
  expect(page).toContain("&lt;script&gt;");
  return page;
}

it("shows runs and their failures as text, with only the actions that the key may use", () => {
  const page = expectText(runsView(status(["refresh", "metrics", "change"]), `/acme/${hostile}`, now));
  expect(page).toContain("90 s");
  expect(page).toContain("do=refresh");
  expect(page).toContain("do=rollback");
  expect(page).not.toContain("do=cancel");
  expect(runsView(status(["refresh"]), "/acme/widgets", now).toString()).not.toContain("do=rollback");
  expect(runsView(status([]), "/acme/widgets", now).toString()).not.toContain("/-/library/act");
});

it("shows what a held generation changes", () => {
  const held = {
    ...live,
    id: "g2",
    counts: { ...live.counts, pages: 5, quarantined: 2, tokens: 100 },
    notes: [hostile],
  };
  const lost = [
    { path: hostile, url: `javascript:${hostile}`, title: hostile, outcome: "failed" as const, reason: hostile },
  ];
  const changes = { libraryId: hostile, version: "", live: "g1", held: "g2", added: 3, lost, total: 35, next: hostile };
  const page = expectText(heldView(status(["change"], { held }), changes, "/acme/widgets", now));
  expect(page).not.toContain('href="javascript:');
  expect(page).toContain("−35 (−88 %)");
  expect(page).toContain("+2");
  expect(page).toContain("do=publish");
  expect(heldView(status([], { held }), changes, "/acme/widgets", now).toString()).not.toContain("do=publish");
});

it("shows quarantined passages as text", () => {
  const passage = {
    id: hostile,
    title: hostile,
    breadcrumb: [hostile],
    content: hostile,
    codes: [{ language: hostile, code: hostile }],
    url: `data:text/html,${hostile}`,
    findings: [{ finding: hostile, meaning: hostile }],
    released: true,
    served: false,
  };
  const quarantine = { libraryId: hostile, version: "", generation: "g1", screen: "off" as const, notes: [hostile] };
  const page = expectText(
    quarantineView({ ...quarantine, passages: [passage], total: 1, next: null }, hostile, "token"),
  );
  expect(page).not.toContain('href="data:');
  expect(page).toContain("U+202E");
  expect(page).toContain("Will be released with the next refresh");
});
