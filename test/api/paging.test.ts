import { expect, it } from "vitest";

import { pageOf } from "../../api/paging.ts";

const all = ["a", "b", "c"];

it("splits a list into pages, each with the cursor of the next", () => {
  const first = pageOf(all, { limit: 2 }, "g1");
  expect(first).toEqual({ items: ["a", "b"], total: 3, next: "2.g1" });
  expect(pageOf(all, { limit: 2, cursor: "2.g1" }, "g1")).toEqual({ items: ["c"], total: 3, next: null });
  expect(pageOf([], { limit: 2 }, "")).toEqual({ items: [], total: 0, next: null });
});

it.each(["2.g2", "2", "-1.g1", "x.g1", "1e3.g1", "1234567890.g1", ""])(
  "refuses the cursor %s of another list",
  (cursor) => {
    expect(() => pageOf(all, { limit: 2, cursor }, "g1")).toThrow("cursor is wrong, or the list has changed.");
    expect(() => pageOf(all, { limit: 2, cursor }, "")).toThrow("Start again without it.");
  },
);
