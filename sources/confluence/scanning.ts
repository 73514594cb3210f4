import { namedIn } from "../../extract/confluence/names.ts";
import type { NamedPages } from "../../extract/confluence/names.ts";
import type { BodyFormat } from "../../extract/confluence/page.ts";
import { parseText } from "../../threads/parse-text.ts";
import type { Threads } from "../../threads/parse-text.ts";

interface Scanned {
  readonly body: string;
  readonly format: BodyFormat;
  readonly space: string;
}

/** Finds the pages that bodies name, on a thread. @throws Failure source_invalid */
export function scanBodies(threads: Threads, bodies: readonly Scanned[], name: string): Promise<readonly NamedPages[]> {
  return parseText(threads, { module: new URL(import.meta.url), name: "namesOf" }, bodies, name);
}

export function namesOf(bodies: readonly Scanned[]): readonly NamedPages[] {
  return bodies.map(({ body, format, space }) => namedIn(body, format, space));
}
