import { randomBytes } from "node:crypto";
import { Failure } from "../domain/failures.ts";
import type { BlobStore, Checkpoint } from "../domain/ports.ts";
import { inOrder } from "../domain/in-order.ts";
import { compress, decompressAll, generationPrefix } from "./parts.ts";

/** Entries of one attempt lie in one folder, whose name begins with a number: later ones have higher numbers. */
const place = /^\d{6}-[0-9a-f]{8}\/\d{6}$/;

/** Maximum entries read concurrently. */
const maxConcurrent = 16;

/**
 * The checkpoint of the run that makes a generation: a blob for each time it is saved, as no store can append to one. `clear` removes it
 * before the generation is complete.
 */
export function openCheckpoint(blobs: BlobStore, generation: string): Checkpoint & { clear(): Promise<void> } {
  const prefix = `${generationPrefix(generation)}checkpoint/`;
  let folder: string | undefined;
  let entries = 0;

  /** Keys of all entries by folder, the oldest first. */
  async function saved(): Promise<Map<string, string[]>> {
    const keys = (await Array.fromAsync(blobs.list(prefix))).filter((key) => place.test(key.slice(prefix.length)));
    return Map.groupBy(keys.toSorted(), (key) => key.slice(prefix.length, key.lastIndexOf("/")));
  }

  return {
    async load() {
      // An abandoned attempt may have written on after the next one began: only a folder that has its first entry counts.
      const [last] = [...(await saved())].filter(([name, [first]]) => first === entryKey(name, 0)).toReversed();
      const states: Uint8Array[] = [];
      for await (const bytes of inOrder(last?.[1] ?? [], (key) => blobs.get(key), { items: maxConcurrent })) {
        const state = bytes && (await decompressAll(bytes).catch(() => undefined));
        // Later entries need this one.
        if (state === undefined) break;
        states.push(state);
      }
      return states;
    },
    async save(state, { whole }) {
      if (!whole && folder === undefined)
        throw new Failure("internal_error", "Nothing was saved yet that could be added to.");
      const before = whole ? [...(await saved()).keys()] : [];
      if (whole || folder === undefined) {
        const number = Number(before.at(-1)?.slice(0, 6) ?? -1) + 1;
        folder = `${String(number).padStart(6, "0")}-${randomBytes(4).toString("hex")}`;
        entries = 0;
      }
      await blobs.put(entryKey(folder, entries), await compress(state));
      entries += 1;
      for (const name of before) await blobs.removeAll(`${prefix}${name}/`);
    },
    clear: () => blobs.removeAll(prefix),
  };

  function entryKey(name: string, number: number): string {
    return `${prefix}${name}/${String(number).padStart(6, "0")}`;
  }
}
