import type { Miss } from "../domain/ports.ts";
import { flushing } from "./flushing.ts";
import type { Flushing, FlushingOptions } from "./flushing.ts";

/** Records questions that found nothing, for the administrators of a library. */
export interface Misses extends Flushing {
  /** Records the words of a question that found nothing, in memory. */
  note(libraryUid: string, question: string): void;
}

/** Maximum number of unwritten questions; further ones are dropped. */
const maxWaiting = 5000;
/** Maximum words, and total characters, of a recorded question. */
const maxWords = 16;
const maxLength = 160;
/** Maximum length of a word, in characters: longer ones are keys or addresses. */
const maxWordLength = 30;

/** Records questions in memory and flushes periodically, so that no read waits. */
export function createMisses({ record, every, now, log }: FlushingOptions<readonly Miss[]>): Misses {
  const waiting = new Map<string, Miss>();

  const add = (miss: Miss): void => {
    // A uid has no space.
    const key = `${miss.libraryUid} ${miss.words}`;
    const before = waiting.get(key);
    if (before === undefined && waiting.size >= maxWaiting) return;
    const times = (before?.times ?? 0) + miss.times;
    waiting.set(key, { ...miss, times, askedAt: Math.max(before?.askedAt ?? 0, miss.askedAt) });
  };

  const write = async (): Promise<void> => {
    const taken = [...waiting.values()];
    waiting.clear();
    if (taken.length === 0) return;
    try {
      await record(taken);
    } catch (error) {
      for (const miss of taken) add(miss);
      log.warn(
        { err: error, waiting: waiting.size },
        "questions that found nothing could not be noted; retrying later",
      );
    }
  };

  return {
    note(libraryUid, question) {
      const words = wordsOf(question);
      if (words !== "") add({ libraryUid, words, times: 1, askedAt: now() });
    },
    ...flushing(every, write),
  };
}

/** The words of a question in lower case, without e-mail and web addresses and what could be a key. */
function wordsOf(question: string): string {
  const words = question
    .slice(0, 2000)
    .toLowerCase()
    .split(/\s+/)
    .filter((written) => !/[@/\\]/.test(written))
    .flatMap((written) => written.match(/[\p{L}\p{N}_.+#-]+/gu) ?? [])
    .filter((word) => word.length <= maxWordLength && /[\p{L}\p{N}]/u.test(word));
  return words.slice(0, maxWords).join(" ").slice(0, maxLength).trim();
}
