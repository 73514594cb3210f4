import {
  type Candidates,
  type ContentMatches,
  type LibraryEntry,
  type Occurrences,
  type Question,
} from "../../domain/ports.ts";
import type { Passage } from "../../domain/passage.ts";
import { similarity } from "./meaning.ts";

type Statistics = Pick<ContentMatches, "total" | "frequency">;

/** Weights of the order by content, and of the fit of answers; what they earn is in docs/internals/decisions.md. */
const weights = {
  /** Exponent of the inverse frequency of a term among libraries. */
  rarity: 0.7,
  /** Weight of a synonym. */
  standIn: 0.5,
  /** Weight of the similarity of the question with description and titles, as a share of the best score by words. */
  meaning: 0.75,
};
/** The number of an answer's passages that are compared, and the number of occurrences of a term from which more of them add little. */
const fit = { passages: 5, saturation: 0.3 };

/** Maximum number of terms of a question that are looked up. */
const maxTerms = 24;

/** A term that is looked up, and the weight of its occurrences for a concept: the index of a term of the question. */
export interface ContentTerm {
  readonly term: string;
  readonly concept: number;
  readonly share: number;
}

/** The terms of a question, then their synonyms. */
export function contentTerms({ terms, standIns, mark }: Question): readonly ContentTerm[] {
  const own = terms.map((term, concept) => ({ term, concept, share: 1 }));
  const others = [...standIns].flatMap(([term, of]) =>
    term === mark?.term ? [] : [{ term, concept: terms.indexOf(of), share: weights.standIn }],
  );
  return [...own, ...others].slice(0, maxTerms);
}

/** The worth of a term that a number of libraries have. */
export function rarityIn(libraries: number, total: number): number {
  return Math.log(1 + (Math.max(total - libraries, 0) + 0.5) / (libraries + 0.5)) ** weights.rarity;
}

/** What a question asks for, with the worth of each part. */
interface SoughtConcept {
  /** Its own term, then the synonyms. */
  readonly terms: readonly ContentTerm[];
  readonly worth: number;
}

function soughtIn(question: Question, { total, frequency }: Statistics): readonly SoughtConcept[] {
  return [...Map.groupBy(contentTerms(question), ({ concept }) => concept).values()].map((terms) => {
    const own = frequency.get(terms[0]?.term ?? "") ?? 0;
    const most = Math.max(...terms.map(({ term }) => frequency.get(term) ?? 0));
    return { terms, worth: rarityIn(own === 0 ? most : Math.sqrt(own * most), total) };
  });
}

/** A library with its score, as a share of the best one. */
interface RankedLibrary {
  readonly entry: LibraryEntry;
  readonly score: number;
}

/** Orders libraries by what they say about a question, the best first. Those that say nothing are left out. */
export function rankByContent(question: Question, matches: ContentMatches): readonly RankedLibrary[] {
  const concepts = soughtIn(question, matches);
  const scored = matches.libraries.flatMap(({ entry, impacts, meaning }) => {
    const score = concepts.reduce(
      (sum, { terms, worth }) =>
        sum +
        worth *
          Math.min(
            1,
            terms.reduce((all, { term, share }) => all + share * (impacts.get(term) ?? 0), 0),
          ),
      0,
    );
    return score === 0 ? [] : [{ entry, score, alike: similarity(question.meaning, meaning) }];
  });
  const most = Math.max(...scored.map(({ score }) => score));
  const ranked = scored
    .map(({ entry, score, alike }) => ({ entry, score: score + weights.meaning * most * alike }))
    .toSorted((a, b) => b.score - a.score || (a.entry.id < b.entry.id ? -1 : 1));
  const best = ranked[0]?.score ?? 1;
  return ranked.map(({ entry, score }) => ({ entry, score: score / best }));
}

/** An answer that is compared with those of other libraries. */
interface ComparedAnswer {
  /** The question as it was put to the library. */
  readonly question: Question;
  readonly candidates: Candidates;
  readonly passages: readonly Pick<Passage, "id">[];
}

/**
 * How well a library's answer fits a question, from 0 to 2: the share of the question's worth that the passage with most of it has, and
 * the similarity of the first passage. The worth of words is that among libraries, so that the fit is comparable.
 */
export function fitOfAnswer(question: Question, statistics: Statistics, answer: ComparedAnswer): number {
  const { candidates, occurrences } = answer.candidates;
  const places = answer.passages.slice(0, fit.passages).map(({ id }) => candidates.findIndex((one) => one.id === id));
  const first = candidates[places[0] ?? -1];
  if (first === undefined) return 0;
  // Words of the library's name were left out of its question.
  const put = new Set(answer.question.terms);
  const concepts = soughtIn(question, statistics);
  const all = concepts.reduce((sum, { worth }) => sum + worth, 0);
  const coverage = places.map((place) =>
    concepts.reduce((sum, { terms, worth }) => {
      const had = terms.map(({ term, share }) => share * presence(occurrences.get(term) ?? [], place));
      return sum + worth * (put.has(terms[0]?.term ?? "") ? Math.max(...had) : 1);
    }, 0),
  );
  return Math.max(...coverage) / (all || 1) + similarity(question.meaning, first.meaning);
}

/** How much a candidate has of a term, from 0 to 1. */
function presence(triples: Occurrences, place: number): number {
  let times = 0;
  for (let at = 0; at < triples.length; at += 3) if (triples[at] === place) times += triples[at + 2] ?? 0;
  return times / (times + fit.saturation);
}
