import { expect, it } from "vitest";
import { createRowCache } from "../../search/sqlite/row-cache.ts";

it("reads a row once, and again when others have taken its room", () => {
  const read: string[] = [];
  const cache = createRowCache<string>(100);
  const get = (generation: string, row: number, bytes: number): string =>
    cache.get(generation, row, (wanted) => {
      read.push(`${generation}${wanted}`);
      return { value: `${generation}${wanted}`, bytes };
    });
  for (const row of [1, 2, 1, 3, 1, 2]) expect(get("a", row, 40)).toBe(`a${row}`);
  expect(read).toEqual(["a1", "a2", "a3", "a2"]);
  expect(get("b", 1, 40)).toBe("b1");
});

it("keeps nothing that is larger than all of its room", () => {
  let reads = 0;
  const cache = createRowCache<number>(100);
  const read = () => ({ value: (reads += 1), bytes: 101 });
  expect([cache.get("a", 1, read), cache.get("a", 1, read)]).toEqual([1, 2]);
});
