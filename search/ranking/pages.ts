import { searchFields } from "../../domain/ports.ts";
import type { Candidate, Candidates } from "../../domain/ports.ts";
import { saturate } from "./concepts.ts";
import type { Concepts } from "./concepts.ts";
import { weights } from "./weights.ts";

/** A candidate, and its place among all candidates. */
export interface PlacedCandidate {
  readonly candidate: Candidate;
  readonly place: number;
}

/** A page that has candidates. */
export interface Page {
  readonly candidates: readonly PlacedCandidate[];
  /** The score of its name and of the text of all its candidates together. */
  readonly worth: number;
}

/** Fields with the text of a page. Its headings and its path are repeated in every passage. */
const textFields = (["title", "prose", "code"] as const).map((field) => searchFields.indexOf(field));
const nameFields = { path: searchFields.indexOf("path"), subject: searchFields.indexOf("subject") } as const;

/** The pages of the candidates; `counts` are those of `countConcepts`. */
export function pagesOf({ worth, doing }: Concepts, { candidates }: Candidates, counts: Float64Array): readonly Page[] {
  const places = candidates.map((candidate, place) => ({ candidate, place }));
  const pages = Map.groupBy(places, ({ candidate }) => candidate.pageUrl);
  const text = new Float64Array(worth.length);
  return [...pages.values()].map((own) => {
    text.fill(0);
    for (const { place } of own) addText(text, counts, place);
    const said = weights.pageText * saturate(text, worth);
    const [first] = own;
    if (first === undefined) return { candidates: own, worth: said };
    const named =
      weights.pageName * worthOfName(counts, first, "path", worth) +
      weights.pageSubject * worthOfName(counts, first, "subject", worth) +
      (doesIt(counts, first, worth) ? doing : 0);
    return { candidates: own, worth: said + named };
  });
}

/** Adds how often each concept stands in the text of a candidate. */
function addText(text: Float64Array, counts: Float64Array, place: number): void {
  for (const field of textFields) {
    const first = (place * searchFields.length + field) * text.length;
    for (let at = 0; at < text.length; at++) text[at] = (text[at] ?? 0) + (counts[first + at] ?? 0);
  }
}

/**
 * The score of a page's path or subject. Unlike in text, the number of occurrences of a word does not count, and a word counts less the
 * longer the name is.
 */
function worthOfName(
  counts: Float64Array,
  { candidate, place }: PlacedCandidate,
  name: keyof typeof nameFields,
  worth: readonly number[],
): number {
  const field = nameFields[name];
  const first = (place * searchFields.length + field) * worth.length;
  let said = 0;
  for (let at = 0; at < worth.length; at++) said += Math.min(counts[first + at] ?? 0, 1) * (worth[at] ?? 0);
  return said === 0 ? 0 : said / (candidate.lengths[field] ?? 0) ** weights.length[name];
}

/** Whether a page is an operation that does what is asked for: its subject has the mark, the last concept. */
function doesIt(counts: Float64Array, { place }: PlacedCandidate, { length }: readonly number[]): boolean {
  return (counts[(place * searchFields.length + nameFields.subject) * length + length - 1] ?? 0) > 0;
}
