import type { SearchField } from "../domain/ports.ts";

/** The one table of weights; docs/ranking.md says what each part is worth, measured. */
export const weights = {
  /** What an occurrence counts in each field. */
  field: { title: 2, breadcrumb: 1.5, path: 1, identifiers: 2, prose: 1, code: 1 } satisfies Record<
    SearchField,
    number
  >,
  /** How far a field that is longer than the mean counts less (BM25's b). */
  normalisation: 0.5,
  /** From how many weighted occurrences on more of them say little (BM25's k1). */
  saturation: 1.2,
  /** The power of BM25's inverse frequency that a term is worth: below 1 rare words outweigh the others somewhat less. */
  rarity: 0.85,
  /** What a guess and a word of how many are worth of a term of the question; and what an occurrence counts of terms that stand beside one. */
  shares: { guess: 0.2, amount: 0.4, standIn: 0.6, correction: 0.5 },
  /** Shares of its page's best other snippet, and of the page's third best, that a snippet earns on top. */
  pageSecond: 0.1,
  pageThird: 0.1,
  /** What the text of all candidates of a page is worth on top, read as one, and from how many occurrences on more say little. */
  pageText: { counts: 0.25, saturation: 3 },
  /** What the words of the question are worth on top that the page's path has, before its length counts. */
  pageName: 0.8,
  /** What a title is worth on top that the question says wholly, of all that the question is worth. */
  saidTitle: 0.03,
  /** What a snippet counts that stands right below the title of its page. */
  belowTitle: 1.1,
  /** What a snippet of less than so many tokens counts. */
  short: { tokens: 50, counts: 0.9 },
  /** What pages count of kinds that are rarely meant, unless the question asks for them. */
  rarelyMeant: 0.85,
  /** What pages count that explain. */
  explaining: 1.1,
  /** What a page counts for each folder that it stands deeper than the highest of the candidates' pages. */
  deeper: 0.96,
  /**
   * Share of the best score below which a snippet is left out. Code of another page than the best one stands before the
   * best page's prose in the JSON form, so it has to be nearer.
   */
  least: { any: 0.35, codeElsewhere: 0.7 },
  /** Snippets that a page has before the others have had their turn. */
  perPage: 6,
  /** How much the whole question says beside one side of a comparison, where the best about that side is looked for. */
  wholeBesideSide: 0.25,
} as const;
