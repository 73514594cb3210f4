import { searchFields } from "../domain/ports.ts";
import type { Candidate, Candidates, PageKind, Question, SearchField } from "../domain/ports.ts";
import { conceptsOf } from "./concepts.ts";
import type { Concepts } from "./concepts.ts";
import { isExplaining, kindOfPage } from "./page-kinds.ts";

/** Version of the order; part of what cached answers are known by. */
export const rankerVersion = "8";

/** A candidate with its score: higher is better, comparable within one answer only. */
export interface RankedSnippet {
  readonly candidate: Candidate;
  readonly score: number;
}

/** The one table of weights; docs/ranking.md says what each part is worth, measured. */
const weights = {
  /** What an occurrence counts in each field. */
  field: { title: 3, breadcrumb: 1.5, path: 1, identifiers: 2, prose: 1, code: 1 } satisfies Record<
    SearchField,
    number
  >,
  /** How far a field that is longer than the mean counts less (BM25's b). */
  normalisation: 0.5,
  /** From how many weighted occurrences on more of them say little (BM25's k1). */
  saturation: 1.2,
  /** What a guess and a phrase are worth of a term of the question; and what an occurrence counts of terms that stand beside one. */
  shares: { guess: 0.2, phrase: 0.6, alsoMeant: 0.5, standIn: 0.5, correction: 0.5 },
  /** Shares of its page's best other snippet, and of the page's third best, that a snippet earns on top. */
  pageSecond: 0.25,
  pageThird: 0.1,
  /** Share that it earns on top of what its page's other snippets earn by what it says less of or not at all. */
  pageCovers: 0.12,
  /** What the words of the question are worth on top that the page's path has, before its length counts. */
  pageName: 0.5,
  /** What a snippet counts that stands right below the title of its page. */
  belowTitle: 1.1,
  /** What a snippet of less than so many tokens counts. */
  short: { tokens: 50, counts: 0.9 },
  /** What pages count of kinds that are rarely meant, unless the question asks for them. */
  rarelyMeant: 0.8,
  /** What pages count that explain. */
  explaining: 1.1,
  /**
   * Share of the best score below which a snippet is left out. Code of another page than the best one stands before the
   * best page's prose in the JSON form, so it has to be nearer.
   */
  least: { any: 0.35, codeElsewhere: 0.65 },
  /** Snippets that a page has before the others have had their turn. */
  perPage: 6,
  /** How much the whole question says beside one side of a comparison, where the best about that side is looked for. */
  wholeBesideSide: 0.25,
} as const;

/** A candidate with what it is ordered by. */
interface Scored extends RankedSnippet {
  /** What each concept of the question earned it; empty unless the question compares. */
  readonly earned: Float64Array;
  /** What the name of its page says for it. */
  readonly pageName: number;
}

const unread = new Float64Array(0);

/**
 * Orders candidates: BM25F with the statistics of their generation; then evidence of the page, its name and its kind,
 * where on it the snippet stands and how short it is; both sides of a comparison at the front; and no page with more than
 * its share before the others had their turn. What is far worse than the best is left out. Equal scores are ordered by id.
 */
export function rank(question: Question, candidates: Candidates, limit: number): RankedSnippet[] {
  const concepts = conceptsOf(question, candidates, weights.shares);
  const pages = new Map<string, Page>();
  const scored = scoreAll(question, concepts, candidates, pages).filter(({ score }) => score > 0);
  const found = withPages(scored, pages, question).toSorted(compare);
  const [best] = found;
  const sorted = best === undefined ? [] : found.filter((one) => one.score >= leastOf(one, best) * best.score);
  return inTurns(bothSides(question, concepts, sorted))
    .slice(0, limit)
    .map(({ candidate, score }) => ({ candidate, score }));
}

/** Scores each candidate by itself; what the candidates of a page earn together is noted in `pages`. */
function scoreAll({ sides }: Question, concepts: Concepts, found: Candidates, pages: Map<string, Page>): Scored[] {
  const { worth } = concepts;
  const earned = new Float64Array(worth.length);
  const counts = countConcepts(concepts, found);
  const path = searchFields.indexOf("path");
  const fields = searchFields.map((field) => ({
    weight: weights.field[field],
    meanLength: Math.max(found.averageLength[field], 1),
  }));
  return found.candidates.map((candidate, place) => {
    earned.fill(0);
    let pageName = 0;
    for (const [number, { weight, meanLength }] of fields.entries()) {
      const length = candidate.lengths[number] ?? 0;
      if (length === 0) continue;
      const first = (place * fields.length + number) * worth.length;
      if (number === path) pageName = worthOfName(counts, first, length, worth);
      const factor = weight / (1 - weights.normalisation + weights.normalisation * (length / meanLength));
      for (let at = 0; at < earned.length; at++) earned[at] = (earned[at] ?? 0) + factor * (counts[first + at] ?? 0);
    }
    const score = saturate(earned, worth);
    note(pages, candidate.pageUrl, score, earned);
    return { candidate, earned: sides.length < 2 ? unread : earned.slice(), pageName, score };
  });
}

/**
 * What the path of a page says for it; its counts begin at `first`. A page is called after its subject: this is no matter
 * of how often its text says a word. A word says the less the more words the path has.
 */
function worthOfName(counts: Float64Array, first: number, length: number, worth: readonly number[]): number {
  let said = 0;
  for (let at = 0; at < worth.length; at++) said += Math.min(counts[first + at] ?? 0, 1) * (worth[at] ?? 0);
  return said === 0 ? 0 : (weights.pageName * said) / Math.sqrt(length);
}

/**
 * Occurrences of each concept in the first field of the first candidate, then in its second, and so on; those of a stand-in
 * count their share.
 */
function countConcepts({ terms, worth }: Concepts, { candidates, occurrences }: Candidates): Float64Array {
  const counts = new Float64Array(candidates.length * searchFields.length * worth.length);
  for (const { term, concept, share } of terms) {
    const found = occurrences.get(term) ?? [];
    for (let at = 0; at < found.length; at += 3) {
      const field = (found[at] ?? 0) * searchFields.length + (found[at + 1] ?? 0);
      const place = field * worth.length + concept;
      counts[place] = (counts[place] ?? 0) + share * (found[at + 2] ?? 0);
    }
  }
  return counts;
}

/** Makes what is earned of weighted occurrences, in place, and sums it up. */
function saturate(sums: Float64Array, worth: readonly number[]): number {
  let score = 0;
  for (let at = 0; at < sums.length; at++) {
    const sum = sums[at] ?? 0;
    const earned = ((worth[at] ?? 0) * sum) / (weights.saturation + sum);
    sums[at] = earned;
    score += earned;
  }
  return score;
}

/** Adds to each score what the other snippets of the page, the page's name and its kind say for it. */
function withPages(scored: readonly Scored[], pages: ReadonlyMap<string, Page>, { kinds }: Question): Scored[] {
  const covered = new Map<Page, number>();
  const factors = new Map<string, number>();
  for (const page of pages.values())
    covered.set(
      page,
      page.earned.reduce((sum, most) => sum + most, 0),
    );
  return scored.map(({ candidate, earned, pageName, score: own }) => {
    const { pageUrl } = candidate;
    const page = pages.get(pageUrl);
    const kind = factors.get(pageUrl) ?? kindFactor(candidate, kinds);
    factors.set(pageUrl, kind);
    const score = own + pageName + (page === undefined ? 0 : evidenceOf(page, covered.get(page) ?? 0, own));
    return { candidate, earned, pageName, score: score * kind * formFactor(candidate) };
  });
}

/** What the candidates of a page have. */
interface Page {
  /** The three highest scores, the best first. */
  readonly best: [first: number, second: number, third: number];
  /** The most that one of them earns by each concept of the question. */
  readonly earned: Float64Array;
}

/** What a page that covers so much says for a snippet of it. */
function evidenceOf({ best: [first, second, third] }: Page, covered: number, own: number): number {
  const other = own === first ? second : first;
  return weights.pageSecond * other + weights.pageThird * third + weights.pageCovers * (covered - own);
}

function note(pages: Map<string, Page>, pageUrl: string, score: number, earned: Float64Array): void {
  const page = pages.get(pageUrl);
  if (page === undefined) {
    pages.set(pageUrl, { best: [score, 0, 0], earned: earned.slice() });
    return;
  }
  const { best, earned: most } = page;
  for (let at = 0; at < most.length; at++) most[at] = Math.max(most[at] ?? 0, earned[at] ?? 0);
  const [first, second, third] = best;
  if (score <= third) return;
  best[2] = score > second ? second : score;
  if (score > second) best[1] = score > first ? first : score;
  if (score > first) best[0] = score;
}

/** What its place on the page and its size say for a snippet. */
function formFactor({ belowTitle, tokens }: Candidate): number {
  return (belowTitle ? weights.belowTitle : 1) * (tokens < weights.short.tokens ? weights.short.counts : 1);
}

/** The share of the best one's score that a snippet has to reach. */
function leastOf({ candidate }: Scored, best: Scored): number {
  const elsewhere = candidate.pageUrl !== best.candidate.pageUrl;
  return candidate.kind === "code" && elsewhere ? weights.least.codeElsewhere : weights.least.any;
}

/** What its kind says for the page of a candidate. */
function kindFactor(candidate: Candidate, asked: ReadonlySet<PageKind>): number {
  const kind = kindOfPage(candidate);
  const meant = kind === undefined || asked.has(kind);
  return (meant ? 1 : weights.rarelyMeant) * (isExplaining(candidate.path) ? weights.explaining : 1);
}

/** Lets the best page about each side of a comparison in behind the best of all. */
function bothSides({ sides }: Question, { of }: Concepts, sorted: readonly Scored[]): readonly Scored[] {
  const [best] = sorted;
  if (best === undefined || sides.length < 2) return sorted;
  const front = [best];
  for (const side of sides) {
    const others = new Set(sides.filter((other) => other !== side).flat());
    const own = side.filter((term) => !others.has(term)).map((term) => of.get(term) ?? 0);
    const earned = sorted.map((one) => own.reduce((sum, concept) => sum + (one.earned[concept] ?? 0), 0));
    const most = Math.max(...earned);
    if (most === 0) continue;
    const about = sorted.map(
      ({ score }, at) => (earned[at] ?? 0) / most + (weights.wholeBesideSide * score) / best.score,
    );
    const favourite = sorted[about.indexOf(Math.max(...about))];
    if (favourite !== undefined && !front.some(({ candidate }) => candidate.pageUrl === favourite.candidate.pageUrl))
      front.push(favourite);
  }
  return [...front, ...sorted.filter((one) => !front.includes(one))];
}

/** Puts what goes beyond a page's share behind all others. */
function inTurns(sorted: readonly Scored[]): readonly Scored[] {
  const taken = new Map<string, number>();
  const beyond = new Set<Scored>();
  for (const one of sorted) {
    const before = taken.get(one.candidate.pageUrl) ?? 0;
    if (before >= weights.perPage) beyond.add(one);
    taken.set(one.candidate.pageUrl, before + 1);
  }
  return [...sorted.filter((one) => !beyond.has(one)), ...beyond];
}

function compare(a: RankedSnippet, b: RankedSnippet): number {
  if (a.score !== b.score) return b.score - a.score;
  return a.candidate.id < b.candidate.id ? -1 : 1;
}
