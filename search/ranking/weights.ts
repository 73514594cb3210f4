/**
 * All weights of the ranker. Behind each stands what it earns: how many right pages are no longer first without it, of 360 questions set
 * aside (`bench:retrieval`) and of 300 others that nothing was tuned on, 120 of them in everyday words; or the figure it is there for.
 */
export const weights = {
  /** Weight of an occurrence in a title; in other fields it is 1. 1 and 1; a page called after a word before one that says it. */
  title: 3,
  /** How much less occurrences in longer fields count (BM25's b). 3 and 11. */
  normalisation: 0.5,
  /** Number of weighted occurrences from which more of them add little (BM25's k1). 75 and 32. */
  saturation: 2,
  /** Exponent of the inverse document frequency: below 1, rare words outweigh others less. 4 and 4. */
  rarity: 0.7,
  /** Weight of an occurrence of a stand-in for a term of the question: a synonym or a correction. 3 and 2. */
  standIn: 0.5,
  /** Weight of the text of all candidates of a page together, added to each. 8 and 1. */
  pageText: 0.25,
  /** Weight of words of the question in the page's path, added to each; see `length`. 1 and 3. */
  pageName: 0.8,
  /** The same for the page's declared subject, which operations of an API have. */
  pageSubject: 3,
  /** A name's score is divided by its length to this power. Of the path: 7 and 1. */
  length: { path: 0.5, subject: 0.7 },
  /** Bonus of operations of an API that do what is asked for, as a share of the worth of all concepts. */
  doing: 0.3,
  /** Factor for passages directly below the title of their page, in no section. 1 and 4. */
  belowTitle: 1.1,
  /** Factor for sources: what people wrote comes first. */
  beside: 0.85,
  /**
   * Weight of the cosine similarity with the question, as a share of the best score by words: of the table's vectors 5 and 8, of a model's 15
   * of 160 others; and the part of it that is the similarity of the page's most similar passage: 3 and 0.
   */
  meaning: { weight: 1, ofModel: 2, page: 0.5 },
  /**
   * Passages of two pages are copies if their similarity is at least this, and the shorter one has at least this share of the other's
   * tokens; the number of passages that are compared. Two more answers have all that they should.
   */
  copies: { similarity: 0.98, size: 0.8, among: 40 },
  /** Share of the best score by words below which passages are left out, which saves 4 % of the tokens. */
  least: 0.35,
  /** Maximum number of passages of another page than the best one that are not put last. .003 nDCG@5. */
  perPage: 3,
  /**
   * The share of an answer's tokens that the best page's passages get before others; more if its score is `lead` times any other's. Of
   * 330 answers, 9 more have all that they should than with .2 for both; with .5, the JSON form loses .03 nDCG@5.
   */
  share: { best: 0.35, leading: 0.7 },
  lead: 1.2,
  /**
   * In API descriptions: the weight of meaning (3 of 96 questions to eight that were set aside); of 60 questions to five, what each segment
   * (6 more are right at first); passages of another operation than the best (5 more answers have the right one), and the best one's share (2).
   */
  operations: { meaning: 2, segment: 0.06, parameter: 0.12, perPage: 1, share: 0.25 },
} as const;
