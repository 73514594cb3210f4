import { setTimeout as sleep } from "node:timers/promises";

/** The parts that a process depends on. Without the engine it answers reads, but starts no runs. */
export const parts = ["catalog", "index", "engine"] as const;
export type Part = (typeof parts)[number];

/** Timeout of a part's check, in milliseconds. */
const checkTimeout = 2000;

/** Checks concurrently which parts are reachable. `onUnreachable` gets the error of a part that is not. */
export async function reachableParts(
  { catalog, passages, indexing }: Readonly<Record<"catalog" | "passages" | "indexing", { ready(): Promise<void> }>>,
  onUnreachable: (part: Part, error: unknown) => void,
): Promise<Readonly<Record<Part, boolean>>> {
  const ports = { catalog, index: passages, engine: indexing };
  const states = parts.map(async (part) => {
    try {
      await inTime(ports[part].ready());
      return [part, true] as const;
    } catch (error) {
      onUnreachable(part, error);
      return [part, false] as const;
    }
  });
  return Object.fromEntries(await Promise.all(states)) as Record<Part, boolean>;
}

/** The result of a check. @throws Error after its timeout */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  const timeout = sleep(checkTimeout, undefined, { ref: false }).then(() => {
    throw new Error(`Timeout after ${checkTimeout} ms.`);
  });
  return Promise.race([work, timeout]);
}
