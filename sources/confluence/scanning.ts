import { namedIn, type NamedPages } from "../../extract/confluence/names.ts";
import type { BodyFormat } from "../../extract/confluence/page.ts";
import { parseText, type Threads } from "../lib/threads/thread-pool.ts";

interface ScannedBody {
  readonly body: string;
  readonly format: BodyFormat;
  readonly space: string;
}

/** Finds the pages that bodies name, on a thread. `name` is what they are called in an error. @throws Failure source_invalid */
export function scanBodies(
  threads: Threads,
  bodies: readonly ScannedBody[],
  name: string,
): Promise<readonly NamedPages[]> {
  return parseText(threads, { module: new URL(import.meta.url), name: "namesOf" }, bodies, name);
}

/** The pages that each body names. */
export function namesOf(bodies: readonly ScannedBody[]): readonly NamedPages[] {
  return bodies.map(({ body, format, space }) => namedIn(body, format, space));
}
