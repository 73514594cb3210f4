import type { Checkpoint } from "../../domain/ports.ts";

/** What a run was answered, kept for its next attempt: a killed run asks for nothing again that it was told. */
export interface Memory {
  /** What an attempt of the run was answered to the question of this name, else what `ask` answers now. Plain data of JSON. */
  recall<T>(name: string, ask: () => Promise<T>): Promise<T>;
  /** Forgets the answers to all questions whose names begin so, as those of a listing whose place the host knows no more. */
  forget(start: string): void;
  /** Keeps what is new, and all pages that were yielded before, where that is due: to be called behind each page. */
  save(): Promise<void>;
}

/** Interval of checkpoints, in milliseconds and in pages and answers, whichever comes first: what a killed run asks for again. */
const longest = 10_000;
const most = 100;

type Entry = readonly [name: string, answer: unknown];

/** Opens the memory of a run, with what its earlier attempts have kept. */
export async function openMemory(checkpoint: Checkpoint): Promise<Memory> {
  const answers = new Map<string, unknown>();
  for (const bytes of await checkpoint.load())
    for (const [name, answer] of JSON.parse(new TextDecoder().decode(bytes)) as readonly Entry[])
      answers.set(name, answer);
  let unsaved: Entry[] = [];
  // An attempt saves all of it first.
  let isWhole = true;
  let since = 0;
  let time = performance.now();

  async function save(): Promise<void> {
    since += 1;
    if (since < most && performance.now() - time < longest) return;
    const entries = isWhole ? [...answers] : unsaved;
    await checkpoint.save(Buffer.from(JSON.stringify(entries)), { whole: isWhole });
    [unsaved, isWhole, since, time] = [[], false, 0, performance.now()];
  }

  return {
    async recall<T>(name: string, ask: () => Promise<T>): Promise<T> {
      if (answers.has(name)) return answers.get(name) as T;
      const answer = await ask();
      answers.set(name, answer);
      unsaved.push([name, answer]);
      await save();
      return answer;
    },
    forget(start) {
      for (const name of answers.keys()) if (name.startsWith(start)) answers.delete(name);
      isWhole = true;
    },
    save,
  };
}
