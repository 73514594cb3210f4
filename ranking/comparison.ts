/** How a comparison names its sides. A side is short: the longest runs that are read are bounded. */
const forms: readonly RegExp[] = [
  /\b(?:differences?|differ|choose|choosing|decide|deciding)\s+between\s+(\S.{1,79}?)\s+(?:and|or|vs\.?|versus)\s+(.{2,80})/i,
  /\bcompare[sd]?\s+(\S.{1,79}?)\s+(?:and|with|to|against)\s+(.{2,80})/i,
  /^(.{2,80}?)\s+(?:vs\.?|versus|compared\s+(?:to|with))\s+(.{2,80})/i,
  /\b(?:should\s+i\s+use|(?:better|when|whether)\s+to\s+use)\s+(\S.{1,59}?)\s+(?:or|instead\s+of|rather\s+than|over)\s+(.{2,60})/i,
];

/** Words of the forms, which say nothing of the things compared. */
export const comparisonWords: ReadonlySet<string> = new Set(
  `difference differences differ choose choosing decide deciding compare compares compared comparison vs versus better
  instead rather prefer should`.split(/\s+/),
);

/** The two or more things that a question compares, in its own words; none where it compares nothing. */
export function sidesOf(query: string): readonly string[] {
  for (const form of forms) {
    const [, first, last] = form.exec(query) ?? [];
    if (first !== undefined && last !== undefined) return [...first.split(","), last];
  }
  return [];
}
