import { expect, it } from "vitest";
import { timeOfId, newId } from "../../cli/ids.ts";

it("an id contains its creation time", () => {
  const before = Date.now();
  const ids = Array.from({ length: 100 }, newId);
  for (const id of ids) {
    expect(timeOfId(id)).toBeGreaterThanOrEqual(before);
    expect(timeOfId(id)).toBeLessThanOrEqual(Date.now());
  }
  expect(new Set(ids).size).toBe(100);
  expect(timeOfId("first-run")).toBe(0);
});
