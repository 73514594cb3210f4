/** Frees a place. `cost`: of the work, in any unit; `exceeded`: it was stopped for exceeding a limit. Call it once. */
export type Leave = (cost?: number, exceeded?: boolean) => void;

/** The limits of a fair queue. Waiting is limited for none by default. */
export interface FairQueueOptions<G> {
  /** Maximum number of places that are taken. */
  readonly places: number;
  /** Maximum number of places of one group, while `free` are free; default: all. */
  readonly most?: (free: number) => number;
  /** Maximum number that wait. A group may have at most as many of them as are left. */
  readonly maxWaiting?: number;
  /** Maximum waiting time, in milliseconds. */
  readonly maxWait?: number;
  /** The error of a group beyond one of these two limits. */
  readonly refuse?: (group: G) => Error;
}

/**
 * Shares places among groups. The next place is for the group with the lowest cost so far, of several the one served least recently. So
 * groups with as much cost take turns, and one with expensive work waits for the others, never the other way round.
 */
export interface FairQueue<G> {
  /**
   * Waits for a place. With a client, the works of the group run one at a time, and its clients take turns.
   * @throws the reason of the signal if it aborts before, and what `refuse` returns
   */
  enter(group: G, options?: Waiter): Promise<Leave>;
  /** Executes work in a place. @throws as `enter` and the work */
  run<T>(group: G, work: () => Promise<T>, options?: Waiter): Promise<T>;
}

interface Waiter {
  readonly client?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Group {
  /** Those that wait, as functions that start them, by client, next client first. */
  readonly waiting: Map<string | undefined, Set<() => void>>;
  running: number;
  cost: number;
  /** Whether one of its works exceeded a limit; kept as long as the group has any. */
  suspect: boolean;
}

const isIdle = ({ waiting, running }: Group): boolean => waiting.size === 0 && running === 0;

/** Creates an empty queue. */
export function createFairQueue<G>({
  places,
  most = () => places,
  maxWaiting = Infinity,
  maxWait,
  refuse = () => new Error("Too many wait."),
}: FairQueueOptions<G>): FairQueue<G> {
  /** The groups that have any work, the one served least recently first. */
  const groups = new Map<G, Group>();
  let running = 0;
  let waiting = 0;
  /** Cost of the group served last, with which a new one begins: it gets no credit for the time before it. */
  let level = 0;

  function mayEnter(group: Group, client: string | undefined): boolean {
    const isAlone = client !== undefined && group.running > 0;
    if (isAlone || running >= places || group.running >= most(places - running)) return false;
    if (!group.suspect) return true;
    // It leaves one place free, and waits for groups with the same or a lower cost, even if these have nothing that waits.
    if (group.running > 0 && group.running >= places - 1) return false;
    return [...groups.values()].every((other) => other === group || other.suspect || other.cost > group.cost);
  }

  function take(key: G, group: Group, client: string | undefined): Leave {
    const add = (change: 1 | -1): void => {
      running += change;
      group.running += change;
      groups.delete(key);
      if (!isIdle(group)) groups.set(key, group);
    };
    add(1);
    level = group.cost;
    return (cost = 0, exceeded = false) => {
      group.cost += cost;
      group.suspect ||= exceeded;
      const own = group.waiting.get(client);
      // To the end, as the group.
      if (own && group.waiting.delete(client)) group.waiting.set(client, own);
      add(-1);
      startWaiting();
    };
  }

  function startWaiting(): void {
    while (waiting > 0 && running < places) {
      let next: Group | undefined;
      for (const group of groups.values()) {
        if (group.waiting.size === 0 || (next && next.cost <= group.cost)) continue;
        const [client] = group.waiting.keys();
        if (mayEnter(group, client)) next = group;
      }
      const [[start] = []] = next?.waiting.values() ?? [];
      if (!start) return;
      start();
    }
  }

  async function enter(key: G, { client, signal }: Waiter = {}): Promise<Leave> {
    signal?.throwIfAborted();
    const group = groups.get(key) ?? { waiting: new Map(), running: 0, cost: level, suspect: false };
    if (mayEnter(group, client)) return take(key, group, client);
    const own = group.waiting.get(client) ?? new Set();
    if (own.size >= maxWaiting - waiting) throw refuse(key);
    const { promise, resolve, reject } = Promise.withResolvers<Leave>();
    const end = (): void => {
      own.delete(start);
      if (own.size === 0) group.waiting.delete(client);
      waiting -= 1;
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    const start = (): void => {
      end();
      resolve(take(key, group, client));
    };
    const fail = (reason: unknown): void => {
      end();
      if (isIdle(group)) groups.delete(key);
      reject(reason);
    };
    const abort = (): void => fail(signal?.reason);
    const timer = maxWait === undefined ? undefined : setTimeout(() => fail(refuse(key)), maxWait);
    signal?.addEventListener("abort", abort);
    groups.set(key, group);
    group.waiting.set(client, own.add(start));
    waiting += 1;
    return promise;
  }

  return {
    enter,
    async run(group, work, options) {
      const leave = await enter(group, options);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
