import { networkOf } from "./addresses.ts";

/** Maximum number of recorded refusals per minute: of a key, or of a network without a key; and of all without a key. */
const most = { perCaller: 60, withoutKey: 600 };

const minute = 60_000;

/**
 * Decides whether a refusal is recorded, as repeated ones would fill the catalog. `onLeft` gets the number of unrecorded ones at
 * the first refusal of a later minute. Times are milliseconds since 1970.
 */
export function createRefusalLimit(
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
