/** A group of waiting runs with the same host, key, priority and suspicion. */
export interface Turn {
  /** Host that they read from; null: none. */
  readonly host: string | null;
  /** Key that requested them; null: none. */
  readonly keyId: string | null;
  readonly priority: number;
  /** The process died during one of them, which may be the cause. */
  readonly suspect: boolean;
  /** When the oldest of them was opened. */
  readonly since: number;
}

/** A run that is executed. */
export type Running = Pick<Turn, "host" | "keyId" | "suspect">;

/** When a host or a key was last served, as an increasing number; 0: not recently. */
export type Served = (group: "host" | "keyId", value: string | null) => number;

/**
 * The next turn; undefined: none. While others wait, no host and no key gets all places: the last one is kept for others, and if
 * one has them all, as no other waited, others get one more. Then priority decides, then fewer running runs, then longer time
 * since the last turn, then longer waiting. Suspects run one at a time, so that the culprit can be told.
 */
export function nextTurn(
  waiting: readonly Turn[],
  running: readonly Running[],
  places: number,
  served: Served,
): Turn | undefined {
  const count = (group: "host" | "keyId", value: string | null): number =>
    value === null ? 0 : running.filter((run) => run[group] === value).length;
  const isFull = running.length >= places;
  const oneMore = running.length === places && places > 1;
  const hasAll = (group: "host" | "keyId"): boolean => count(group, running[0]?.[group] ?? null) === running.length;
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
  const differences = one.map((value, place) => value - (other[place] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
