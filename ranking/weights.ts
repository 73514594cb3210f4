/** The one table of weights; docs/ranking.md says what each part is worth, measured. */
export const weights = {
  /** What an occurrence in a title counts; one in another field counts 1. */
  title: 3,
  /** How far a field that is longer than the mean counts less (BM25's b). */
  normalisation: 0.5,
  /** From how many weighted occurrences on more of them say little (BM25's k1). */
  saturation: 2,
  /** The power of BM25's inverse frequency that a term is worth: below 1 rare words outweigh the others somewhat less. */
  rarity: 0.7,
  /** What an occurrence counts of a term that stands in for one of the question: a synonym, a correction. */
  standIn: 0.5,
  /** Share of its page's best other passage that a passage earns on top. */
  pageSecond: 0.2,
  /** What the text of all candidates of a page is worth on top, read as one. */
  pageText: 0.25,
  /** What the words of the question are worth on top that the page's path has, before its length counts. */
  pageName: 0.8,
  /** The same of the subject that a page says it has. */
  pageSubject: 3,
  /** The power of its length that a name is divided by: a subject is whole, a path has folders. */
  length: { path: 0.5, subject: 0.7 },
  /** Share of what all words of a question are worth that an operation earns on top that does what is asked for. */
  doing: 0.3,
  /** What a passage counts that introduces its page: right below its title, in no section. */
  belowTitle: 1.1,
  /** What a passage counts of a page that stands beside the guides. */
  beside: 0.85,
  /** Share of the best score below which a passage is left out. */
  least: 0.35,
  /** Passages that the best page, and any other one, has before the others have had their turn. */
  perPage: { best: 7, other: 3 },
  /** A page clearly leads if its best passage has this many times the score of the best passage of any other page. */
  lead: 1.3,
  /** Passages that such a page has at most before the others, and what each beyond its share counts in the order of turns. */
  leading: { atMost: 12, share: 0.8 },
} as const;
