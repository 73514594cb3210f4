/** What feedback says of an answer: it helped, something in it is wrong, or something is missing. */
export const verdicts = ["helpful", "wrong", "missing"] as const;

export type Verdict = (typeof verdicts)[number];

/** Feedback on an answer. Its texts are untrusted: administrators see them, agents never. */
export interface FeedbackRecord {
  readonly id: string;
  readonly libraryUid: string;
  readonly version: string;
  readonly verdict: Verdict;
  /** Words of the question; "": not given. */
  readonly words: string;
  /** "": none. */
  readonly comment: string;
  /** Teamspace of the caller; "": none. */
  readonly teamspace: string;
  readonly at: number;
}

/** Feedback and team notes. */
export interface FeedbackStore {
  /** Adds feedback; each library keeps the latest hundred of callers with a key, and of others. Nothing for a library that is gone. */
  add(feedback: FeedbackRecord): Promise<void>;
  /** The feedback on a library, latest first. */
  list(libraryUid: string): Promise<readonly FeedbackRecord[]>;
  /** Removes feedback, and questions that found nothing, from before a time. */
  forget(before: number): Promise<void>;
  /** Replaces the note of a teamspace on a library; "" removes it. */
  setTeamNote(teamspace: string, libraryUid: string, text: string, now: number): Promise<void>;
}
