import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How many of the objects a full garbage collection has not freed. */
export async function stillHeld(objects: readonly WeakRef<object>[]): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // A dereferenced WeakRef holds its object until the turn of the event loop ends; finalizers may free more.
  for (let round = 0; round < 3; round += 1) {
    await pause(1);
    collect();
  }
  return objects.filter((object) => object.deref() !== undefined).length;
}
