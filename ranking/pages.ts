import { searchFields } from "../domain/ports.ts";
import type { Candidate, Candidates, PageKind, Question } from "../domain/ports.ts";
import { saturate } from "./concepts.ts";
import type { Concepts } from "./concepts.ts";
import { weights } from "./weights.ts";

/** A candidate, and its place among them. */
export interface Place {
  readonly candidate: Candidate;
  readonly place: number;
}

/** A page that has candidates: what it says for each of them. */
export interface Page {
  readonly candidates: readonly Place[];
  /** What its name and the text of all its candidates are worth. */
  readonly worth: number;
  /** What it counts for its kind and its depth. */
  readonly factor: number;
}

/** Fields that are the text of a page: its headings and its path stand in every snippet again. */
const textFields = (["title", "prose", "code"] as const).map((field) => searchFields.indexOf(field));
const pathField = searchFields.indexOf("path");

/** The pages of the candidates; `counts` are those of `countConcepts`. */
export function pagesOf(
  { kinds }: Question,
  { worth }: Concepts,
  { candidates }: Candidates,
  counts: Float64Array,
): readonly Page[] {
  const places = candidates.map((candidate, place) => ({ candidate, place }));
  const pages = Map.groupBy(places, ({ candidate }) => candidate.pageUrl);
  const folders = [...pages.keys()].map(foldersOf);
  const highest = Math.min(...folders);
  const text = new Float64Array(worth.length);
  return [...pages.values()].map((own, number) => {
    text.fill(0);
    let factor = weights.deeper ** ((folders[number] ?? highest) - highest);
    let name = 0;
    for (const [at, { candidate, place }] of own.entries()) {
      addText(text, counts, place);
      if (at > 0) continue;
      factor *= kindFactor(candidate, kinds);
      name = worthOfName(counts, place, candidate.lengths[pathField] ?? 0, worth);
    }
    const said = weights.pageText.counts * saturate(text, worth, weights.pageText.saturation);
    return { candidates: own, worth: name + said, factor };
  });
}

/** The score on its page of a candidate with a score of its `own`, one of the `best` first of the page, and what is said `besides`. */
export function scoreOnPage(
  { worth, factor }: Page,
  [first = 0, second = 0, third = 0]: readonly number[],
  own: number,
  besides: number,
): number {
  const other = own === first ? second : first;
  return (own + weights.pageSecond * other + weights.pageThird * third + worth + besides) * factor;
}

/** Adds how often each concept stands in the text of a candidate. */
function addText(text: Float64Array, counts: Float64Array, place: number): void {
  for (const field of textFields) {
    const first = (place * searchFields.length + field) * text.length;
    for (let at = 0; at < text.length; at++) text[at] = (text[at] ?? 0) + (counts[first + at] ?? 0);
  }
}

/**
 * What the path of a page says for it. A page is called after its subject: this is no matter of how often its text says a
 * word. A word says the less the more words the path has.
 */
function worthOfName(counts: Float64Array, place: number, length: number, worth: readonly number[]): number {
  const first = (place * searchFields.length + pathField) * worth.length;
  let said = 0;
  for (let at = 0; at < worth.length; at++) said += Math.min(counts[first + at] ?? 0, 1) * (worth[at] ?? 0);
  return said === 0 ? 0 : (weights.pageName * said) / Math.sqrt(length);
}

/** What its kind says for the page of a candidate. */
function kindFactor({ pageKind, explains }: Candidate, asked: ReadonlySet<PageKind>): number {
  const meant = pageKind === undefined || asked.has(pageKind);
  return (meant ? 1 : weights.rarelyMeant) * (explains ? weights.explaining : 1);
}

/** How many folders deep a page stands, from anywhere. */
function foldersOf(pageUrl: string): number {
  let folders = 0;
  for (let at = pageUrl.indexOf("/"); at >= 0; at = pageUrl.indexOf("/", at + 1)) folders += 1;
  return folders;
}
