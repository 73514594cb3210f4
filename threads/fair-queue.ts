/**
 * Tasks that wait for a thread, in groups that share the threads fairly: next is a task of the group that has cost the
 * least. So a group whose tasks cost much waits for the others, and never the other way round.
 */
export interface FairQueue<T> {
  push(group: unknown, task: T): void;
  /** Takes a task out that waits; false where it does not. */
  remove(group: unknown, task: T): boolean;
  /** Takes the next task out; undefined where none may run. Each one is to be settled with `done`. */
  next(): T | undefined;
  /** A task that was taken out has ended: what it cost, and whether it was too much. */
  done(group: unknown, cost: number, tooMuch: boolean): void;
  /** Takes all tasks out. */
  clear(): T[];
}

interface Group<T> {
  readonly waiting: T[];
  /** Tasks that were taken out and have not ended. */
  running: number;
  cost: number;
  /** A task of it was too much. It stays so as long as the group has tasks. */
  suspect: boolean;
}

/** Creates an empty queue; `places`: how many tasks run at once. */
export function createFairQueue<T>(places: number): FairQueue<T> {
  const groups = new Map<unknown, Group<T>>();

  function groupOf(key: unknown): Group<T> {
    const known = groups.get(key);
    if (known !== undefined) return known;
    // One that comes later does not get what the others had before it came.
    const cost = groups.size === 0 ? 0 : Math.min(...[...groups.values()].map((group) => group.cost));
    const group = { waiting: [], running: 0, cost, suspect: false };
    groups.set(key, group);
    return group;
  }

  function forget(key: unknown, { waiting, running }: Group<T>): void {
    if (waiting.length === 0 && running === 0) groups.delete(key);
  }

  /** A suspect group leaves a place free, and does not fill the gap while one that has cost no more is about to give its next task. */
  function mayRun(group: Group<T>): boolean {
    if (!group.suspect) return true;
    if (group.running > 0 && group.running >= places - 1) return false;
    return [...groups.values()].every((other) => other === group || other.suspect || other.cost > group.cost);
  }

  return {
    push(key, task) {
      groupOf(key).waiting.push(task);
    },
    remove(key, task) {
      const group = groups.get(key);
      const place = group?.waiting.indexOf(task) ?? -1;
      if (group === undefined || place < 0) return false;
      group.waiting.splice(place, 1);
      forget(key, group);
      return true;
    },
    next() {
      const cheapest = [...groups.values()]
        .filter((group) => group.waiting.length > 0 && mayRun(group))
        .reduce<Group<T> | undefined>((least, group) => (least && least.cost <= group.cost ? least : group), undefined);
      if (cheapest === undefined) return undefined;
      cheapest.running += 1;
      return cheapest.waiting.shift();
    },
    done(key, cost, tooMuch) {
      const group = groups.get(key);
      if (group === undefined) return;
      group.running -= 1;
      group.cost += cost;
      group.suspect ||= tooMuch;
      forget(key, group);
    },
    clear() {
      const tasks = [...groups.values()].flatMap(({ waiting }) => waiting.splice(0));
      for (const [key, group] of groups) forget(key, group);
      return tasks;
    },
  };
}
