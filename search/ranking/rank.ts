import {
  searchFields,
  type Candidate,
  type Candidates,
  type ExplainedPassage,
  type Question,
  type RankLimits,
} from "../../domain/ports.ts";
import { markOf } from "../../domain/verbs.ts";
import { analyseText } from "./analyse-text.ts";
import { isSourceAddress } from "../../domain/addresses.ts";
import { conceptsOf, countConcepts, saturate, type Concepts } from "./concepts.ts";
import { similarity, meansBy } from "./meaning.ts";
import { asksForParts, isBesideOperations, isOfApi, isOperationPage, remotenessOf } from "./operations.ts";
import { weights } from "./weights.ts";

/** A page or folder named after a day or month: an announcement. */
const dated = /(?:^|\/)(?:19|20)\d\d[-_/](?:0?[1-9]|1[0-2])(?:[-_/.]|$)/;
/** A page named after a version, with or without words for a release: release notes. */
const versioned =
  /(?:^|\/)(?:(?:releases?|changes|changelog|version|news|what-?s-?new|(?:release[-_]?)?notes)[-_.]?)?v?\d{1,4}(?:[._-](?:\d{1,4}|x)){1,3}(?:[-_.](?:changes|changelog|release|(?:release[-_]?)?notes))?$/i;
/** News, by the name of their folder or page. */
const news =
  /(?:^|\/)(?:(?:blog|news|announce(?:ments?)?|releases)\/.|(?:release[-_]?notes|relnotes|what-?s[-_]?new|changelogs?|change[-_]log)(?:\/|$))/i;
/** Numbered papers, proposals and decisions, by the name of the page or folder. */
const papers = /(?:^|\/)(?:0\d{3}-[^/]{1,200}$|(?:proposals?|rfcs?|adrs?|design[-_]docs?)\/|proposal[-_])/i;
/** Files and folders for contributors, by their usual names. */
const forContributors =
  /(?:^|\/)(?:contribut(?:e|ing|ions?|ors?)(?:[-_](?:guides?|guidelines?|docs?))?|code[-_]of[-_]conduct|governance|hacking|releasing|maintainers?|backers|sponsors)(?:\/|$)/i;
/** Terms of a question about such pages. */
const asksForThem =
  /^(?:contribut|governanc|conduct|changelog|chang|releas|histori|propos|rfc|adr|decis|intern|blog|news|announc|upgrad|migrat|deprec|maintain|sponsor)$/;
/** Whether a passage comes first where its score does, with a lower score, or after all others. */
type Rank = "own" | "beside" | "last";

/**
 * Creates the function that ranks passages by their pages. Announcements, release notes, proposals and files for contributors come last,
 * and so do the schemas and webhooks of an API unless the question asks for these. Sources are beside the others. If the question asks for
 * what a project says of itself, by a number or by name, only sources are beside.
 */
function createRanks({ terms }: Pick<Question, "terms">): (one: Candidate) => Rank {
  const known = new Map<string, Rank>();
  const wantsParts = terms.some(asksForParts);
  const wantsNews = terms.some((term) => /\d\.\d|^\d{4}$/.test(term) || asksForThem.test(term));
  return ({ pageUrl }) => {
    const rank = known.get(pageUrl) ?? rankOf(pageUrl);
    known.set(pageUrl, rank);
    return rank;
  };

  function rankOf(url: string): Rank {
    if (isSourceAddress(url)) return "beside";
    if (!wantsParts && isBesideOperations(url)) return "last";
    if (wantsNews) return "own";
    const path = pathOf(url);
    if ([dated, versioned, news, papers, forContributors].some((pattern) => pattern.test(path))) return "last";
    return "own";
  }
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
export const rankerVersion = "20";

/** Factor that puts a passage before others with the same score. */
const slightly = 1.0001;
const [titleField, breadcrumbField] = [searchFields.indexOf("title"), searchFields.indexOf("breadcrumb")];

const readMark = analyseText(markOf("read"));

/** A candidate with its score: higher is better. Scores are only comparable within one answer. */
export interface RankedPassage {
  readonly candidate: Candidate;
  readonly score: number;
  readonly parts: ScoreParts;
}

type ScoreParts = Pick<ExplainedPassage, "own" | "page" | "factor" | "meaning">;

/**
 * Orders candidates by BM25F with the statistics of their generation, by their pages and by what they mean. Of near copies the best comes
 * in its place, the others after all. Passages beyond their page's share of `tokens` come after those of other pages. Those far worse than
 * the best are left out. Equal scores are ordered by id.
 */
export function rank(question: Question, candidates: Candidates, limits: RankLimits): readonly RankedPassage[] {
  const { steps = [] } = question;
  if (steps.length === 0 || !isOfApi(candidates.candidates)) return rankStep(question, candidates, limits);
  const own = { ...limits, tokens: limits.tokens / steps.length };
  const orders = [...steps.map((step) => rankStep(step, candidates, own)), rankStep(question, candidates, limits)];
  return inTurns(orders).slice(0, limits.limit);
}

/** The passages of several orders: those of the next page of each in turns. */
function inTurns(orders: readonly (readonly RankedPassage[])[]): readonly RankedPassage[] {
  const pages = orders.map((order) => Map.groupBy(order, ({ candidate }) => candidate.pageUrl).values());
  const taken = new Map<string, RankedPassage>();
  for (let isLeft = true; isLeft;) {
    isLeft = false;
    for (const order of pages) {
      const { value = [], done } = order.next();
      isLeft ||= done !== true;
      for (const one of value) if (!taken.has(one.candidate.id)) taken.set(one.candidate.id, one);
    }
  }
  return [...taken.values()];
}

function rankStep(question: Question, candidates: Candidates, { limit, tokens }: RankLimits): RankedPassage[] {
  const rankOf = createRanks(question);
  const sorted = scoreAll(conceptsOf(question, candidates), candidates, rankOf).toSorted(compare);
  const least = weights.least * (sorted[0]?.score ?? 0);
  const good = withMeaning(
    question,
    sorted.filter(({ score }) => score >= least),
  );
  const ordered = withRequestsFirst(good).toSorted(compare);
  const copies = copiesIn(ordered);
  const {
    first = [],
    copied = [],
    last = [],
  } = Object.groupBy(ordered, (one) =>
    rankOf(one.candidate) === "last" ? "last" : copies.has(one) ? "copied" : "first",
  );
  return [...capByPage(first, tokens), ...copied, ...capByPage(last, tokens)].slice(0, limit);
}

/**
 * Adds to the score of each passage the similarity of the question with it, and with the most similar passage of its page; in an API
 * description less for remote resources.
 */
function withMeaning(question: Question, sorted: readonly RankedPassage[]): readonly RankedPassage[] {
  const { weight, ofModel, page } = weights.meaning;
  const candidates = sorted.map(({ candidate }) => candidate);
  const by = meansBy(question, candidates);
  const best = sorted[0]?.score ?? 0;
  const ofOne = question.mark?.term === readMark;
  const isTask = isOfApi(candidates) && !question.terms.some(asksForParts);
  const worth = best * (isTask ? weights.operations.meaning : by === "table" ? weight : ofModel);
  const similarities = candidates.map((candidate) => similarity(question.meaning, candidate.meaning, by));
  const ofPages = new Map<string, number>();
  for (const [at, { candidate }] of sorted.entries())
    ofPages.set(candidate.pageUrl, Math.max(ofPages.get(candidate.pageUrl) ?? -1, similarities[at] ?? 0));
  return sorted.map(({ candidate, score, parts }, at) => {
    const ofPage = ofPages.get(candidate.pageUrl) ?? 0;
    const ofMeaning = worth * ((1 - page) * (similarities[at] ?? 0) + page * ofPage);
    const remote = isTask ? best * remotenessOf(candidate.pageUrl, ofOne) : 0;
    return { candidate, score: score + ofMeaning - remote, parts: { ...parts, meaning: ofMeaning - remote } };
  });
}

/** The near copies of better passages of other pages, among those that may be in an answer: editions of a page, texts that two pages include. */
function copiesIn(sorted: readonly RankedPassage[]): ReadonlySet<RankedPassage> {
  const copies = new Set<RankedPassage>();
  const kept: Candidate[] = [];
  for (const one of sorted.slice(0, weights.copies.among)) {
    if (kept.some((other) => isCopy(one.candidate, other))) copies.add(one);
    else kept.push(one.candidate);
  }
  return copies;
}

function isCopy(one: Candidate, other: Candidate): boolean {
  const { similarity: least, size } = weights.copies;
  return (
    one.pageUrl !== other.pageUrl &&
    one.lengths[titleField] === other.lengths[titleField] &&
    Math.min(one.tokens, other.tokens) >= size * Math.max(one.tokens, other.tokens) &&
    similarity(one.meaning, other.meaning) >= least
  );
}

/** Scores the candidates that have any of the concepts. */
function scoreAll(concepts: Concepts, candidates: Candidates, rankOf: (one: Candidate) => Rank): RankedPassage[] {
  const counts = countConcepts(concepts, candidates);
  const scoreOf = scorer(concepts, candidates, counts);
  return pagesOf(concepts, candidates, counts).flatMap((page) =>
    page.candidates.flatMap((placed) => {
      const { candidate } = placed;
      const own = scoreOf(placed);
      if (own === 0) return [];
      // Joined short sections are below the title as well, but have the page's title among their headings.
      const isIntroduction = candidate.belowTitle && (candidate.lengths[breadcrumbField] ?? 0) === 0;
      const factor = rankOf(candidate) !== "own" ? weights.beside : isIntroduction ? weights.belowTitle : 1;
      const parts = { own, page: page.worth, factor, meaning: 0 };
      return [{ candidate, score: factor * (own + page.worth), parts }];
    }),
  );
}

/**
 * Gives the passages above the sections of an operation's page the best score of that page: they have the request, which comes
 * first whichever section matches.
 */
function withRequestsFirst(all: readonly RankedPassage[]): readonly RankedPassage[] {
  const depthOf = ({ lengths }: Candidate): number => lengths[breadcrumbField] ?? 0;
  const pages = Map.groupBy(all, ({ candidate }) => candidate.pageUrl);
  return [...pages].flatMap(([url, page]) => {
    if (!isOperationPage(url)) return page;
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

/**
 * Puts the passages of the best page first, up to its share of the tokens, then up to a number of passages of each other page, then the
 * others.
 */
function capByPage(sorted: readonly RankedPassage[], tokens: number): readonly RankedPassage[] {
  const { perPage, lead, share, operations } = weights;
  const best = sorted[0]?.candidate.pageUrl;
  const next = sorted.find(({ candidate }) => candidate.pageUrl !== best)?.score ?? 0;
  const isClear = (sorted[0]?.score ?? 0) >= lead * next;
  let left = tokens * (isClear ? share.leading : isOperationPage(best ?? "") ? operations.share : share.best);
  const taken = new Map<string, number>();
  const {
    own = [],
    others = [],
    beyond = [],
  } = Object.groupBy(sorted, ({ candidate }, at) => {
    if (candidate.pageUrl === best) {
      if (at > 0 && candidate.tokens > left) return "beyond";
      left -= candidate.tokens;
      return "own";
    }
    const before = taken.get(candidate.pageUrl) ?? 0;
    taken.set(candidate.pageUrl, before + 1);
    return before < (isOperationPage(candidate.pageUrl) ? operations.perPage : perPage) ? "others" : "beyond";
  });
  return [...own, ...others, ...beyond];
}

function compare(a: RankedPassage, b: RankedPassage): number {
  if (a.score !== b.score) return b.score - a.score;
  return a.candidate.id < b.candidate.id ? -1 : 1;
}
