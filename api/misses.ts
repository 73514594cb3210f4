import type { Logger } from "pino";

import type { Miss } from "../domain/ports.ts";

/** How questions are noted. */
export interface MissesOptions {
  /** Adds them to those of other processes. Where it throws, nothing of them was added. */
  readonly record: (misses: readonly Miss[]) => Promise<void>;
  /** Flush interval in milliseconds. */
  readonly every: number;
  readonly now: () => number;
  readonly log: Logger;
}

/** Notes which questions found nothing, for the administrators of a library. */
export interface Misses {
  /** Notes the words of a question that found nothing. Costs nothing but memory. */
  note(libraryUid: string, question: string): void;
  /** Flushes them. If that fails, they are kept for the next flush. */
  flush(): Promise<void>;
  /** Flushes a last time, and ends. */
  close(): Promise<void>;
}

/** Maximum of questions that wait to be written; further ones are dropped. */
const maxWaiting = 5000;
/** Maximum words, and characters in all, that are kept of a question. */
const maxWords = 16;
const maxLength = 160;
/** What is longer, in characters, is a key or an address rather than a word. */
const maxWordLength = 30;

/** Notes questions in memory and flushes them periodically, so that a read waits for nothing. */
export function createMisses({ record, every, now, log }: MissesOptions): Misses {
  const waiting = new Map<string, Miss>();
  let writing = Promise.resolve();

  const add = (miss: Miss): void => {
    // No uid holds a space.
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

  const flush = (): Promise<void> => (writing = writing.then(write));
  const timer = setInterval(() => void flush(), every).unref();

  return {
    note(libraryUid, question) {
      const words = wordsOf(question);
      if (words !== "") add({ libraryUid, words, times: 1, askedAt: now() });
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

/** The words of a question in lower case: no addresses of people or places, and nothing that is as long as a key. */
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
