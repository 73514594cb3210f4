import {
  searchFields,
  type Candidate,
  type Candidates,
  type ExplainedPassage,
  type Question,
} from "../../domain/ports.ts";
import { isSourceAddress } from "../../domain/addresses.ts";
import { conceptsOf, countConcepts, saturate, type Concepts } from "./concepts.ts";
import { likeness, meansBy } from "./meaning.ts";
import { weights } from "./weights.ts";

/** A page or folder named after a day or month: an announcement. */
const dated = /(?:^|\/)(?:19|20)\d\d[-_/](?:0?[1-9]|1[0-2])(?:[-_/.]|$)/;
/** A page named after a version, with or without words for a release: release notes. */
const versioned =
  /(?:^|\/)(?:(?:releases?|changes|changelog|version|news|what-?s-?new|(?:release[-_]?)?notes)[-_.]?)?v?\d{1,4}(?:[._-](?:\d{1,4}|x)){1,3}(?:[-_.](?:changes|changelog|release|(?:release[-_]?)?notes))?$/i;
/** News, by the name of their folder or page. */
const news =
  /(?:^|\/)(?:(?:blog|news|announce(?:ments?)?|releases)\/.|(?:release[-_]?notes|relnotes|what-?s[-_]?new|changelogs?|change[-_]log)(?:\/|$))/i;
/** A numbered paper: a decision record. */
const numbered = /(?:^|\/)0\d{3}-[^/]{1,200}$/;
/** Proposals and decisions, by the name of the folder or page. */
const proposed = /(?:^|\/)(?:(?:proposals?|rfcs?|adrs?|design[-_]docs?|enhancements?|internals)\/|proposal[-_])/i;
/** Files and folders for contributors, by their usual names. */
const forContributors =
  /(?:^|\/)(?:contribut(?:e|ing|ions?|ors?)(?:[-_](?:guides?|guidelines?|docs?))?|code[-_]of[-_]conduct|governance|releasing|maintainers?|backers|sponsors)(?:\/|$)/i;
/** Terms of a question about such pages. */
const asksForThem =
  /^(?:contribut|governanc|conduct|changelog|chang|releas|histori|propos|rfc|adr|decis|intern|blog|news|announc|upgrad|migrat|deprec|maintain|sponsor)$/;
/** Parts of an API description other than its operations, by their addresses. */
const besideOperations = /#\/(?:components\/schemas|definitions|tags|webhooks|x-webhooks)\//;
/** Operations of an API description, by their addresses. */
const operations = /#\/(?:paths|webhooks|x-webhooks)\//;
/** Terms of a question about such parts. */
const asksForParts = /^(?:schema|object|model|type|field|webhook|event|callback|tag)$/;
const inDocumentation = /(?:^|\/)(?:docs?|documentation|guides?|manual|handbook|content|website|site)\//i;
const readme = /(?:^|\/)(?:readme|index)$/i;

const [prose, code] = [searchFields.indexOf("prose"), searchFields.indexOf("code")];
/** Maximum number of terms of prose on a page without sections and code that only links to another page. */
const stubTerms = 8;

/** Whether a passage comes first where its score does, with a lower score, or after all others. */
type Rank = "own" | "beside" | "last";

/**
 * Creates the function that ranks passages by their pages. Announcements, release notes and files for contributors come last. Beside
 * the others are numbered papers and proposals; pages outside of folders of documentation, if most pages are inside; schemas, tags and
 * webhooks of an API, unless the question asks for these; sources; and pages that only link to another page. If the question asks for what a
 * project says of itself, by a number or by name, no page is beside or last.
 */
function createRanks({ terms }: Pick<Question, "terms">, candidates: readonly Candidate[]): (one: Candidate) => Rank {
  const wantsParts = terms.some((term) => asksForParts.test(term));
  if (terms.some((term) => /\d\.\d|^\d{4}$/.test(term) || asksForThem.test(term))) return () => "own";
  const pages = new Map(candidates.map(({ pageUrl }) => [pageUrl, pathOf(pageUrl)]));
  const inside = [...pages.values()].filter((path) => inDocumentation.test(path)).length;
  const mostAreInside = 2 * inside > pages.size;
  return ({ pageUrl, belowTitle, lengths }) => {
    if (isSourceAddress(pageUrl)) return "beside";
    const path = pages.get(pageUrl) ?? "";
    if ([dated, versioned, news, forContributors].some((pattern) => pattern.test(path))) return "last";
    if (!wantsParts && besideOperations.test(pageUrl)) return "beside";
    if ([numbered, proposed].some((pattern) => pattern.test(path))) return "beside";
    if (mostAreInside && !inDocumentation.test(path) && !readme.test(path)) return "beside";
    return belowTitle && (lengths[code] ?? 0) === 0 && (lengths[prose] ?? 0) <= stubTerms ? "beside" : "own";
  };
}

/** The path of a page's address without its extension. */
function pathOf(url: string): string {
  const path = URL.parse(url)?.pathname ?? url;
  return path.replace(/(?:\/|\.[a-z]{1,8})$/i, "");
}

/** A candidate with its index among all candidates. */
interface PlacedCandidate {
  readonly candidate: Candidate;
  readonly place: number;
}

interface Page {
  readonly candidates: readonly PlacedCandidate[];
  /** The score of its name and of the text of all its candidates together. */
  readonly worth: number;
}

/** Fields with the text of a page. Its headings and its path are not among them, as every passage repeats these. */
const textFields = (["title", "prose", "code"] as const).map((field) => searchFields.indexOf(field));
const nameFields = { path: searchFields.indexOf("path"), subject: searchFields.indexOf("subject") } as const;

/** The pages of the candidates; `counts` are those of `countConcepts`. */
function pagesOf({ worth, doing }: Concepts, { candidates }: Candidates, counts: Float64Array): readonly Page[] {
  const places = candidates.map((candidate, place) => ({ candidate, place }));
  const pages = Map.groupBy(places, ({ candidate }) => candidate.pageUrl);
  const text = new Float64Array(worth.length);
  return [...pages.values()].map((own) => {
    text.fill(0);
    for (const { place } of own) addText(text, counts, place);
    const textWorth = weights.pageText * saturate(text, worth);
    const [first] = own;
    if (first === undefined) return { candidates: own, worth: textWorth };
    const nameWorth =
      weights.pageName * worthOfName(counts, first, "path", worth) +
      weights.pageSubject * worthOfName(counts, first, "subject", worth) +
      (doesIt(counts, first, worth) ? doing : 0);
    return { candidates: own, worth: textWorth + nameWorth };
  });
}

/** Adds the occurrences of each concept in the text of a candidate. */
function addText(text: Float64Array, counts: Float64Array, place: number): void {
  for (const field of textFields) {
    const first = (place * searchFields.length + field) * text.length;
    for (let at = 0; at < text.length; at++) text[at] = (text[at] ?? 0) + (counts[first + at] ?? 0);
  }
}

/** The score of a page's path or subject. Repeated words count once, and words of a long name count less. */
function worthOfName(
  counts: Float64Array,
  { candidate, place }: PlacedCandidate,
  name: keyof typeof nameFields,
  worth: readonly number[],
): number {
  const field = nameFields[name];
  const first = (place * searchFields.length + field) * worth.length;
  let sum = 0;
  for (let at = 0; at < worth.length; at++) sum += Math.min(counts[first + at] ?? 0, 1) * (worth[at] ?? 0);
  return sum === 0 ? 0 : sum / (candidate.lengths[field] ?? 0) ** weights.length[name];
}

/** Whether a page is an operation that does what is asked for: its subject has the mark, the last concept. */
function doesIt(counts: Float64Array, { place }: PlacedCandidate, { length }: readonly number[]): boolean {
  return (counts[(place * searchFields.length + nameFields.subject) * length + length - 1] ?? 0) > 0;
}

/** Version of the order. It is part of entity tags. */
export const rankerVersion = "18";

/** Factor that puts a passage before others with the same score. */
const slightly = 1.0001;
const breadcrumbField = searchFields.indexOf("breadcrumb");

/** A candidate with its score: higher is better. Scores are only comparable within one answer. */
export interface RankedPassage {
  readonly candidate: Candidate;
  readonly score: number;
  readonly parts: ScoreParts;
}

type ScoreParts = Pick<ExplainedPassage, "own" | "beside" | "page" | "factor" | "meaning">;

/**
 * Orders candidates by BM25F with the statistics of their generation, and by their pages and their places on these. Passages
 * beyond their page's share come after those of other pages. Those far worse than the best are left out. Equal scores are ordered
 * by id.
 */
export function rank(question: Question, candidates: Candidates, limit: number): RankedPassage[] {
  const rankOf = createRanks(question, candidates.candidates);
  const sorted = scoreAll(conceptsOf(question, candidates), candidates, rankOf).toSorted(compare);
  const least = weights.least * (sorted[0]?.score ?? 0);
  const good = withMeaning(
    question,
    sorted.filter(({ score }) => score >= least),
  );
  const ordered = withRequestsFirst(good).toSorted(compare);
  const { others = [], last = [] } = Object.groupBy(ordered, ({ candidate }) =>
    rankOf(candidate) === "last" ? "last" : "others",
  );
  return [...capByPage(others), ...capByPage(last)].slice(0, limit);
}

/**
 * Adds to the score of each passage how alike its meaning and that of the question are. Of passages beyond the first by words it is
 * not looked up: it is assumed to be less than that of any of the first.
 */
function withMeaning(question: Question, sorted: readonly RankedPassage[]): readonly RankedPassage[] {
  const { atMost, weight, ofModel, others } = weights.meaning;
  const first = sorted.slice(0, atMost).map(({ candidate }) => candidate);
  const by = meansBy(question, first);
  const worth = (by === "table" ? weight : ofModel) * (sorted[0]?.score ?? 0);
  const alike = first.map((candidate) => likeness(question.meaning, candidate.meaning, by));
  const assumed = others * Math.min(...alike);
  return sorted.map(({ candidate, score, parts }, at) => {
    const ofMeaning = worth * (alike[at] ?? assumed);
    return { candidate, score: score + ofMeaning, parts: { ...parts, meaning: ofMeaning } };
  });
}

/** Scores the candidates that have any of the concepts. */
function scoreAll(concepts: Concepts, candidates: Candidates, rankOf: (one: Candidate) => Rank): RankedPassage[] {
  const counts = countConcepts(concepts, candidates);
  const scoreOf = scorer(concepts, candidates, counts);
  return pagesOf(concepts, candidates, counts).flatMap((page) => {
    const scored = page.candidates
      .map((place) => ({ candidate: place.candidate, own: scoreOf(place) }))
      .filter(({ own }) => own > 0);
    const [first = 0, second = 0] = scored.map(({ own }) => own).toSorted((a, b) => b - a);
    return scored.map(({ candidate, own }) => {
      const other = own === first ? second : first;
      const beside = weights.pageSecond * other;
      // Joined short sections are below the title as well, but have the page's title among their headings.
      const isIntroduction = candidate.belowTitle && (candidate.lengths[breadcrumbField] ?? 0) === 0;
      const factor = rankOf(candidate) !== "own" ? weights.beside : isIntroduction ? weights.belowTitle : 1;
      const parts = { own, beside, page: page.worth, factor, meaning: 0 };
      return { candidate, score: factor * (own + beside + page.worth), parts };
    });
  });
}

/**
 * Gives the passages above the sections of an operation's page the best score of that page: they have the request, which comes
 * first whichever section matches.
 */
function withRequestsFirst(all: readonly RankedPassage[]): readonly RankedPassage[] {
  const depthOf = ({ lengths }: Candidate): number => lengths[breadcrumbField] ?? 0;
  const pages = Map.groupBy(all, ({ candidate }) => candidate.pageUrl);
  return [...pages].flatMap(([url, page]) => {
    if (!operations.test(url)) return page;
    const least = Math.min(...page.map(({ candidate }) => depthOf(candidate)));
    const best = Math.max(...page.map(({ score }) => score));
    return page.map((one) => (depthOf(one.candidate) === least ? { ...one, score: best * slightly } : one));
  });
}

/** Creates the function that scores a candidate for its own fields. */
function scorer({ worth }: Concepts, candidates: Candidates, counts: Float64Array): (place: PlacedCandidate) => number {
  const sums = new Float64Array(worth.length);
  const weigh = weigher(worth.length, candidates, counts);
  return (place) => {
    weigh(place, sums);
    return saturate(sums, worth);
  };
}

/** Creates the function that sums a candidate's occurrences of each of `length` concepts, weighted by field. */
export function weigher(
  length: number,
  { averageLength }: Candidates,
  counts: Float64Array,
): (place: PlacedCandidate, sums: Float64Array) => void {
  const fields = searchFields.map((field) => ({
    weight: field === "title" ? weights.title : 1,
    meanLength: Math.max(averageLength[field], 1),
  }));
  return ({ candidate, place }, sums) => {
    sums.fill(0);
    for (const [number, { weight, meanLength }] of fields.entries()) {
      const terms = candidate.lengths[number] ?? 0;
      if (terms === 0) continue;
      const first = (place * fields.length + number) * length;
      const factor = weight / (1 - weights.normalisation + weights.normalisation * (terms / meanLength));
      for (let at = 0; at < length; at++) sums[at] = (sums[at] ?? 0) + factor * (counts[first + at] ?? 0);
    }
  };
}

/** Puts passages beyond their page's share after all others; those of a clearly leading page only after slightly weaker ones. */
function capByPage(sorted: readonly RankedPassage[]): readonly RankedPassage[] {
  const taken = new Map<string, number>();
  const best = sorted[0]?.candidate.pageUrl;
  const next = sorted.find(({ candidate }) => candidate.pageUrl !== best)?.score ?? 0;
  const leads = (sorted[0]?.score ?? 0) >= weights.lead * next;
  const placed = sorted.map((one, at) => {
    const { pageUrl } = one.candidate;
    const before = taken.get(pageUrl) ?? 0;
    taken.set(pageUrl, before + 1);
    if (before < weights.perPage[pageUrl === best ? "best" : "other"]) return { one, at, place: one.score };
    const isNext = leads && pageUrl === best && before < weights.leading.atMost;
    return { one, at, place: isNext ? weights.leading.share * one.score : 0 };
  });
  return placed.toSorted((a, b) => b.place - a.place || a.at - b.at).map(({ one }) => one);
}

function compare(a: RankedPassage, b: RankedPassage): number {
  if (a.score !== b.score) return b.score - a.score;
  return a.candidate.id < b.candidate.id ? -1 : 1;
}
