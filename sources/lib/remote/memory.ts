import type { Checkpoint } from "../../../domain/ports.ts";

/** The answers of a run, saved in checkpoints so that its next attempt does not ask again. */
export interface Memory {
  /** The saved answer of this name, else that of `ask`, which is then saved. Answers are JSON. */
  recall<T>(name: string, ask: () => Promise<T>): Promise<T>;
  /** Forgets all answers whose names begin with `start`, such as those of a list whose cursor has expired. */
  forget(start: string): void;
  /** Saves a checkpoint when it is due; to be called after each page. */
  save(): Promise<void>;
}

/** Interval of checkpoints in milliseconds, and in pages and answers, whichever comes first: so much is asked again after a crash. */
const longest = 10_000;
const most = 100;

type Entry = readonly [name: string, answer: unknown];

/** Opens the memory of a run, with the answers that its earlier attempts have saved. */
export async function openMemory(checkpoint: Checkpoint): Promise<Memory> {
  const answers = new Map<string, unknown>();
  for (const bytes of await checkpoint.load())
    for (const [name, answer] of JSON.parse(new TextDecoder().decode(bytes)) as readonly Entry[])
      answers.set(name, answer);
  let unsaved: Entry[] = [];
  // The first checkpoint of an attempt has everything.
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
