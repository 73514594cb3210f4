/** Words as written, each with the number of texts that have it, the most frequent first. */
export interface WordCounts {
  /** Number of texts. */
  readonly total: number;
  readonly words: readonly (readonly [word: string, texts: number])[];
}

/** What a generation is about: the most frequent words of its titles and of its passages. At most 40 kB. */
export interface Subject {
  /** Titles of its pages and of their sections. */
  readonly titles: WordCounts;
  readonly passages: WordCounts;
}
