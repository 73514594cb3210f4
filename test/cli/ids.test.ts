import { expect, it } from "vitest";
import { madeAt, newId } from "../../cli/ids.ts";

it("an id says when it was made, and sorts by it", () => {
  const before = Date.now();
  const ids = Array.from({ length: 100 }, newId);
  for (const id of ids) {
    expect(madeAt(id)).toBeGreaterThanOrEqual(before);
    expect(madeAt(id)).toBeLessThanOrEqual(Date.now());
  }
  expect(new Set(ids).size).toBe(100);
  expect(madeAt("first-run")).toBe(0);
});
