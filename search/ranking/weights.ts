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
   * What it is worth to mean the same as the question by the table, and by a model, as a share of the best score by words; and the part of it
   * that counts for the page.
   */
  meaning: { weight: 1, ofModel: 3, page: 0.5 },
  /**
   * Passages of two pages are copies if what they mean is at least so alike and the shorter one has at least this share of the other's
   * tokens; the number of passages that are compared.
   */
  copies: { likeness: 0.98, size: 0.8, among: 40 },
  /** Share of the best score by words below which passages are left out. */
  least: 0.35,
  /** Maximum number of passages of another page than the best one that are not put last. */
  perPage: 3,
  /** The share of an answer's tokens that the best page's passages get before others; more if its score is `lead` times any other's. */
  share: { best: 0.5, leading: 0.7 },
  lead: 1.2,
} as const;
