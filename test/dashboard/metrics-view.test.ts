import { expect, it } from "vitest";

import { metricsView } from "../../api/dashboard/library/metrics.ts";
import type { Metrics, Status } from "../../api/answer-types.ts";

const hostile = `"></table><script>alert(1)</script>`;
const metrics: Metrics = {
  total: { page: 1, txt: 2000, mcp: 3, cli: 4 },
  daily: [{ date: "2026-01-02", page: 0, txt: 1999, mcp: 3, cli: 0, total: 2002 }],
  mcpClients: {
    dailyData: [{ date: "2026-01-02", uniqueUsersByClient: { [hostile]: 2, cursor: 5 }, totalUniqueUsers: 6 }],
  },
  topics: [{ topic: hostile, count: 2002 }],
  countries: [],
};
const missedQuestions = [{ words: hostile, times: 3, lastAskedAt: "2026-01-01T00:00:00.000Z" }];
const now = Date.parse("2026-01-03T12:00:00Z");

it("has every figure in tables and the days of the plots, and escapes untrusted names", () => {
  const page = metricsView(metrics, { missedQuestions } as unknown as Status, "/acme/widgets", "7", now).toString();
  expect(page).not.toContain("<script>");
  expect(page.match(/&lt;script&gt;/g)?.length).toBeGreaterThan(2);
  expect(page).toContain('data-first="2025-12-28" data-last="2026-01-03"');
  expect(page).toContain("1,999");
  // Agents with the most users come first.
  expect(page.indexOf(">cursor<")).toBeLessThan(page.indexOf("&lt;/table&gt;&lt;script&gt;"));
  expect(page).toContain("Questions without a result");
});

it("shows no questions to those who may not change the library", () => {
  const page = metricsView(metrics, {} as unknown as Status, "/acme/widgets", "30", now).toString();
  expect(page).not.toContain("Questions without a result");
});
