import { expect, it } from "vitest";
import { createMemory } from "../../search/memory.ts";

it("forgets what was used longest ago where there is no room for more", () => {
  const memory = createMemory<number>(100);
  memory.keep("a", 1, 40);
  memory.keep("b", 2, 40);
  expect(memory.get("a")).toBe(1);
  memory.keep("c", 3, 40);
  expect([memory.get("a"), memory.get("b"), memory.get("c")]).toEqual([1, undefined, 3]);
});

it("counts a key that is kept again once", () => {
  const memory = createMemory<number>(100);
  for (const value of [1, 2, 3]) memory.keep("a", value, 40);
  memory.keep("b", 4, 60);
  expect([memory.get("a"), memory.get("b")]).toEqual([3, 4]);
});

it("keeps nothing that is larger than all of its room", () => {
  const memory = createMemory<number>(100);
  memory.keep("a", 1, 101);
  expect(memory.get("a")).toBeUndefined();
  memory.keep("b", 2, 100);
  expect(memory.get("b")).toBe(2);
});
