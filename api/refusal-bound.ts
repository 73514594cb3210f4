import { networkOf } from "./addresses.ts";

/** Refusals that are recorded in a minute: of one key, or of one network without a key; and of all without a key. */
const most = { perCaller: 60, withoutKey: 600 };

const minute = 60_000;

/**
 * Says of each refusal whether it is recorded: those of callers who ask again and again would fill the catalog. `onLeft` is told, at the
 * first refusal of a later minute, how many were not. Times are milliseconds since 1970.
 */
export function createRefusalBound(
  now: () => number,
  onLeft: (refusals: number) => void,
): (keyId: string | null, address: string) => boolean {
  const counts = new Map<string, number>();
  let began = 0;
  let withoutKey = 0;
  let left = 0;
  return (keyId, address) => {
    if (Math.abs(now() - began) >= minute) {
      if (left > 0) onLeft(left);
      counts.clear();
      [began, withoutKey, left] = [now(), 0, 0];
    }
    const who = keyId === null ? `address:${networkOf(address)}` : `key:${keyId}`;
    const before = counts.get(who) ?? 0;
    const isOver = before >= most.perCaller || (keyId === null && withoutKey >= most.withoutKey);
    if (isOver) {
      left += 1;
      return false;
    }
    counts.set(who, before + 1);
    if (keyId === null) withoutKey += 1;
    return true;
  };
}
