import { setTimeout as sleep } from "node:timers/promises";
import type { Catalog, Indexing, PassageIndex } from "../domain/ports.ts";

/** The parts that a process depends on. Without the engine it answers reads; it starts no runs. */
export const parts = ["catalog", "index", "engine"] as const;
export type Part = (typeof parts)[number];

/** Timeout of a part's check, in milliseconds. */
const checkTimeout = 2000;

/** Asks each part whether it answers, all at once, within 2 s. Told why one does not. */
export async function reachableParts(
  { catalog, passages, indexing }: Asked,
  onAway: (part: Part, error: unknown) => void,
): Promise<Readonly<Record<Part, boolean>>> {
  const asked = { catalog, index: passages, engine: indexing };
  const states = parts.map(async (part) => {
    try {
      await inTime(asked[part].ready());
      return [part, true] as const;
    } catch (error) {
      onAway(part, error);
      return [part, false] as const;
    }
  });
  return Object.fromEntries(await Promise.all(states)) as Record<Part, boolean>;
}

interface Asked {
  readonly catalog: Pick<Catalog, "ready">;
  readonly passages: Pick<PassageIndex, "ready">;
  readonly indexing: Pick<Indexing, "ready">;
}

/** The result of a check. @throws Error after its timeout */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = sleep(checkTimeout, undefined, { ref: false }).then(() => {
    throw new Error(`Timeout after ${checkTimeout} ms.`);
  });
  return Promise.race([work, late]);
}
