import { dayOf } from "../domain/days.ts";
import type { ReadCount, Miss } from "../domain/ports.ts";
import type { Logger } from "pino";

/** Maximum number of counts in one write, which is retried as a whole after an error. */
const batchSize = 500;

/** Maximum number of entries (library version and day) while writes fail; further ones are dropped. */
const maxCounts = 50_000;

/**
 * Counts how often libraries are read, which decides how often they are refreshed: in memory, with periodic flushes, so that no read waits.
 */
export function createUsage({ record, every, now, log }: FlushingOptions<readonly ReadCount[]>) {
  /** Unwritten counts by day, library and version. */
  const counts = new Map<string, ReadCount>();
  let dropped = 0;

  const add = (read: ReadCount): void => {
    // No day and no uid holds a space.
    const key = `${read.day} ${read.libraryUid} ${read.version ?? ""}`;
    const before = counts.get(key);
    if (before === undefined && counts.size >= maxCounts) dropped += read.reads;
    else counts.set(key, before ? { ...before, reads: before.reads + read.reads } : read);
  };

  const write = async (): Promise<void> => {
    const taken = [...counts.values()];
    counts.clear();
    for (let first = 0; first < taken.length; first += batchSize) {
      try {
        await record(taken.slice(first, first + batchSize));
      } catch (error) {
        for (const read of taken.slice(first)) add(read);
        log.warn({ err: error, waiting: counts.size }, "reads could not be counted; retrying later");
        break;
      }
    }
    if (dropped > 0)
      log.warn({ reads: dropped }, "too many libraries wait for their reads to be counted; some reads were dropped");
    dropped = 0;
  };

  return {
    /** Counts an answered read of a version; "" is the default version. */
    count: (libraryUid: string, version: string): void =>
      add({ libraryUid, day: dayOf(now()), reads: 1, ...(version !== "" && { version }) }),
    ...flushing(every, write, () => {
      if (counts.size > 0) log.error({ versions: counts.size }, "uncounted reads are lost");
    }),
  };
}

/** A buffer in memory that is written periodically, so that no request waits. */
export interface Flushing {
  /** Writes the buffer, which is kept for the next flush after an error. */
  flush(): Promise<void>;
  /** Flushes a last time, and stops. */
  close(): Promise<void>;
}

/** Options of a buffer. */
export interface FlushingOptions<Batch> {
  /** Writes a batch to the catalog atomically: after an error it is written again. */
  readonly record: (batch: Batch) => Promise<void>;
  /** Flush interval in milliseconds. */
  readonly every: number;
  readonly now: () => number;
  readonly log: Logger;
}

/** Calls `write` every `every` milliseconds, one call at a time, and `closed` after the last. */
export function flushing(every: number, write: () => Promise<void>, closed: () => void = () => {}): Flushing {
  let writing = Promise.resolve();
  const flush = (): Promise<void> => (writing = writing.then(write));
  const timer = setInterval(() => void flush(), every).unref();
  return {
    flush,
    async close() {
      clearInterval(timer);
      await flush();
      closed();
    },
  };
}

/** Maximum number of unwritten questions; further ones are dropped. */
const maxWaiting = 5000;
/** Maximum words, and total characters, of a recorded question. */
const maxWords = 16;
const maxLength = 160;
/** Maximum length of a word, in characters: longer ones are keys or addresses. */
const maxWordLength = 30;

/** Records questions that found nothing, for administrators: in memory, with periodic flushes, so that no read waits. */
export function createMisses({ record, every, now, log }: FlushingOptions<readonly Miss[]>) {
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
    /** Records the words of a question. */
    note(libraryUid: string, question: string): void {
      const words = wordsOf(question);
      if (words !== "") add({ libraryUid, words, times: 1, askedAt: now() });
    },
    ...flushing(every, write),
  };
}

/** The words of a question in lower case, without e-mail and web addresses and possible keys. */
export function wordsOf(question: string): string {
  const words = question
    .slice(0, 2000)
    .toLowerCase()
    .split(/\s+/)
    .filter((written) => !/[@/\\]/.test(written))
    .flatMap((written) => written.match(/[\p{L}\p{N}_.+#-]+/gu) ?? [])
    .filter((word) => word.length <= maxWordLength && /[\p{L}\p{N}]/u.test(word));
  return words.slice(0, maxWords).join(" ").slice(0, maxLength).trim();
}
