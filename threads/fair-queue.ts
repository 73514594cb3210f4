/**
 * Tasks that wait for a thread, in groups that share the threads fairly: the next task is one of the group that has cost least so
 * far. So a group with expensive tasks waits for the others, never the other way round.
 */
export interface FairQueue<T> {
  push(group: unknown, task: T): void;
  /** Removes a waiting task; false if it does not wait. */
  remove(group: unknown, task: T): boolean;
  /** Removes and answers the next task; undefined if none may run. Call `done` when it has ended. */
  next(): T | undefined;
  /** Records that a task of `next` has ended: its cost, and whether it was stopped for taking too much. */
  done(group: unknown, cost: number, tooMuch: boolean): void;
  /** Removes and answers all waiting tasks. */
  clear(): T[];
}

interface Group<T> {
  readonly waiting: T[];
  /** Number of tasks that run. */
  running: number;
  cost: number;
  /** Whether one of its tasks was stopped for taking too much; kept as long as the group has tasks. */
  suspect: boolean;
}

/** Creates an empty queue. `places`: maximum number of tasks that run at the same time. */
export function createFairQueue<T>(places: number): FairQueue<T> {
  const groups = new Map<unknown, Group<T>>();

  function groupOf(key: unknown): Group<T> {
    const known = groups.get(key);
    if (known !== undefined) return known;
    // A new group does not get the time that others had before.
    const cost = groups.size === 0 ? 0 : Math.min(...[...groups.values()].map((group) => group.cost));
    const group = { waiting: [], running: 0, cost, suspect: false };
    groups.set(key, group);
    return group;
  }

  function forget(key: unknown, { waiting, running }: Group<T>): void {
    if (waiting.length === 0 && running === 0) groups.delete(key);
  }

  /** A suspect group leaves a place free, and waits for groups that have cost no more, even while they have no waiting task. */
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
