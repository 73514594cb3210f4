/** The key of each word in a table of words with spaces between; a word that is there twice has the last key. */
export function keysByWord<Key extends string>(table: Readonly<Record<Key, string>>): ReadonlyMap<string, Key> {
  const entries = Object.entries(table) as [Key, string][];
  return new Map(entries.flatMap(([key, words]) => words.split(" ").map((word) => [word, key] as const)));
}
