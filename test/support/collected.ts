import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How many of some objects are still held after a full garbage collection. */
export async function stillHeld(objects: readonly WeakRef<object>[]): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // What was looked at in a turn of the event loop is held until that ends; what is collected may let go of more.
  for (let round = 0; round < 3; round += 1) {
    await pause(1);
    collect();
  }
  return objects.filter((object) => object.deref() !== undefined).length;
}
