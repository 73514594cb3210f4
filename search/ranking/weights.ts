/** All weights of the ranker. The measured effect of each part is in docs/explanation/ranking.md. */
export const weights = {
  /** Weight of an occurrence in a title; in other fields it is 1. */
  title: 3,
  /** How much less occurrences in longer fields count (BM25's b). */
  normalisation: 0.5,
  /** Number of weighted occurrences from which more of them add little (BM25's k1). */
  saturation: 2,
  /** Exponent of the inverse document frequency: below 1, rare words outweigh others less. */
  rarity: 0.7,
  /** Weight of an occurrence of a stand-in for a term of the question: a synonym or a correction. */
  standIn: 0.5,
  /** Share of the score of its page's best other passage that is added to a passage. */
  pageSecond: 0.2,
  /** Weight of the text of all candidates of a page together, added to each. */
  pageText: 0.25,
  /** Weight of words of the question in the page's path, added to each; see `length`. */
  pageName: 0.8,
  /** The same for the page's declared subject. */
  pageSubject: 3,
  /** A name's score is divided by its length to this power. */
  length: { path: 0.5, subject: 0.7 },
  /** Bonus of operations that do what is asked for, as a share of the worth of all concepts. */
  doing: 0.3,
  /** Factor for passages directly below the title of their page, in no section. */
  belowTitle: 1.1,
  /** Factor for passages of pages that are no guides. */
  beside: 0.85,
  /**
   * Number of passages whose meaning counts, the best by words; the worth of the same meaning, as a share of the best score by words, by the table
   * and by a model; and what the others get, as a share of the least of the first.
   */
  meaning: { atMost: 20, weight: 1, ofModel: 3, others: 0.9 },
  /** Share of the best score below which passages are left out. */
  least: 0.35,
  /** Share of the best page, and of each other page: its number of passages that are not put last. */
  perPage: { best: 7, other: 3 },
  /** A page clearly leads if its best passage has at least this many times the score of any other page's best. */
  lead: 1.3,
  /** Maximum number of passages of a leading page that are not put last, and the factor of those beyond its share. */
  leading: { atMost: 12, share: 0.8 },
} as const;
