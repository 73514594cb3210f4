/** Names compared, and the length of each: the comparison grows with their product. */
const maxNames = 2000;
const maxLength = 100;

/** The three names that differ least from the one wanted, nearest first, by the number of letters to change. */
export function nearest(wanted: string, names: readonly string[]): string[] {
  return [...new Set(names.slice(0, maxNames))]
    .map((name) => ({ name, distance: distance(wanted.slice(0, maxLength), name.slice(0, maxLength)) }))
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Levenshtein distance, row by row. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_value, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= other.length; j += 1)
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (letter === other[j - 1] ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[other.length] ?? 0;
}
