/**
 * Tasks that wait for a thread, in groups that share the threads fairly: the next task is from the group with the lowest cost so far.
 * So a group with expensive tasks waits for the others, never the other way round.
 */
export interface FairQueue<T> {
  /** With a client, the tasks of the group run one at a time, and its clients take turns. */
  push(group: unknown, task: T, client?: string): void;
  /** Removes a waiting task; false if it is not waiting. */
  remove(group: unknown, task: T): boolean;
  /** Removes and returns the next task; undefined if none may run. Call `done` when it has ended. */
  next(): T | undefined;
  /** Records the end of a task from `next`: its cost, and whether it was stopped for exceeding a limit. */
  done(group: unknown, cost: number, exceeded: boolean): void;
  /** Removes and returns all waiting tasks. */
  clear(): T[];
}

interface Group<T> {
  /** Waiting tasks by client, next client first; "" without a client. */
  readonly waiting: Map<string, T[]>;
  /** Number of running tasks. */
  running: number;
  cost: number;
  /** Whether one of its tasks was stopped for exceeding a limit; kept as long as the group has tasks. */
  suspect: boolean;
}

/** Creates an empty queue. `places`: maximum number of tasks that run at the same time. */
export function createFairQueue<T>(places: number): FairQueue<T> {
  const groups = new Map<unknown, Group<T>>();

  function groupOf(key: unknown): Group<T> {
    const known = groups.get(key);
    if (known !== undefined) return known;
    // A new group gets no credit for the time before it.
    const cost = groups.size === 0 ? 0 : Math.min(...[...groups.values()].map((group) => group.cost));
    const group: Group<T> = { waiting: new Map(), running: 0, cost, suspect: false };
    groups.set(key, group);
    return group;
  }

  function forget(key: unknown, { waiting, running }: Group<T>): void {
    if (waiting.size === 0 && running === 0) groups.delete(key);
  }

  /** Removes a task of a client, the first one by default. */
  function take({ waiting }: Group<T>, client: string, task?: T): T | undefined {
    const tasks = waiting.get(client) ?? [];
    const index = task === undefined ? 0 : tasks.indexOf(task);
    const taken = index < 0 ? undefined : tasks.splice(index, 1)[0];
    if (tasks.length === 0) waiting.delete(client);
    return taken;
  }

  /** A suspect group leaves one place free, and waits for groups with the same or a lower cost, even if these have no waiting task. */
  function mayRun(group: Group<T>): boolean {
    if (group.running > 0 && !group.waiting.has("")) return false;
    if (!group.suspect) return true;
    if (group.running > 0 && group.running >= places - 1) return false;
    return [...groups.values()].every((other) => other === group || other.suspect || other.cost > group.cost);
  }

  return {
    push(key, task, client = "") {
      const { waiting } = groupOf(key);
      const tasks = waiting.get(client);
      if (tasks) tasks.push(task);
      else waiting.set(client, [task]);
    },
    remove(key, task) {
      const group = groups.get(key);
      if (group === undefined) return false;
      const removed = [...group.waiting.keys()].some((client) => take(group, client, task) !== undefined);
      forget(key, group);
      return removed;
    },
    next() {
      const cheapest = [...groups.values()]
        .filter((group) => group.waiting.size > 0 && mayRun(group))
        .reduce<Group<T> | undefined>((least, group) => (least && least.cost <= group.cost ? least : group), undefined);
      const [[client, tasks] = []] = cheapest?.waiting ?? [];
      if (cheapest === undefined || client === undefined || tasks === undefined) return undefined;
      cheapest.running += 1;
      const task = take(cheapest, client);
      // A client with more waiting tasks moves to the end of the queue.
      if (cheapest.waiting.delete(client)) cheapest.waiting.set(client, tasks);
      return task;
    },
    done(key, cost, exceeded) {
      const group = groups.get(key);
      if (group === undefined) return;
      group.running -= 1;
      group.cost += cost;
      group.suspect ||= exceeded;
      forget(key, group);
    },
    clear() {
      const tasks = [...groups.values()].flatMap(({ waiting }) => [...waiting.values()].flat());
      for (const { waiting } of groups.values()) waiting.clear();
      for (const [key, group] of groups) forget(key, group);
      return tasks;
    },
  };
}
