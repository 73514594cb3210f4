/** Runs that wait for a place, as many as have all of this in common. */
export interface Turn {
  /** Host that they read from; null: none. */
  readonly host: string | null;
  /** Key that asked for them; null: nobody's. */
  readonly keyId: string | null;
  readonly priority: number;
  /** Whether the process has died while one of these was executed: it may have been the cause. */
  readonly suspect: boolean;
  /** When the oldest of them was opened. */
  readonly since: number;
}

/** A run that is being executed. */
export type Running = Pick<Turn, "host" | "keyId" | "suspect">;

/** When a host or a key was served last, as a number that rises with time; 0: not lately. */
export type Served = (whose: "host" | "keyId", value: string | null) => number;

/**
 * Whose turn it is to be executed; undefined: nobody's. While others wait, no host and no key gets all places: the last one is for
 * somebody else. Where one of them has them all, as nobody else was there, there is one place more for others. Then priority
 * decides, then who has fewer runs under way, who was served longer ago, and who waits longer. Suspects run one at a time, so that
 * the one which is the cause is found out.
 */
export function nextTurn(
  waiting: readonly Turn[],
  running: readonly Running[],
  places: number,
  served: Served,
): Turn | undefined {
  const count = (whose: "host" | "keyId", value: string | null): number =>
    value === null ? 0 : running.filter((run) => run[whose] === value).length;
  const isFull = running.length >= places;
  const oneMore = running.length === places && places > 1;
  const hasAll = (whose: "host" | "keyId"): boolean => count(whose, running[0]?.[whose] ?? null) === running.length;
  const suspectRuns = running.some(({ suspect }) => suspect);

  const ranked = waiting
    .filter(({ suspect }) => !suspect || !suspectRuns)
    .map((turn) => {
      const [ofHost, ofKey] = [count("host", turn.host), count("keyId", turn.keyId)];
      const mayBeOneMore = oneMore && ((hasAll("host") && ofHost === 0) || (hasAll("keyId") && ofKey === 0));
      const takesLast = (turn.host !== null && ofHost + 1 >= places) || (turn.keyId !== null && ofKey + 1 >= places);
      const lastServed = [served("host", turn.host), served("keyId", turn.keyId)];
      return {
        turn,
        fits: !isFull || mayBeOneMore,
        rank: [Number(takesLast), -turn.priority, ofHost, ofKey, ...lastServed, turn.since],
      };
    })
    .filter(({ fits }) => fits);
  return ranked.toSorted((one, other) => compareRanks(one.rank, other.rank))[0]?.turn;
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  for (const [place, value] of one.entries()) {
    const difference = value - (other[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
