import { Failure } from "../../../domain/failures.ts";
import type { LlmsTxtSourceSpec } from "../../../domain/kinds/index.ts";
import type { ReadContext } from "../../../domain/ports.ts";
import type { Validators } from "../../../domain/generation.ts";
import type { PoliteClient } from "../../fetch/polite.ts";
import type { ThreadPool } from "../../thread-pool.ts";

/** One reading of an llms.txt. */
export interface Reading {
  readonly spec: LlmsTxtSourceSpec;
  readonly client: PoliteClient;
  readonly pool: ThreadPool;
  readonly context: ReadContext;
  /** Hosts that are the source's own: the one that was submitted, and the one that it redirects to. */
  readonly hosts: Set<string>;
  /** Validators of what was read, for the next refresh. */
  readonly validators: Map<string, Validators>;
}

/** Keeps validators for the next refresh. */
export function keep({ validators }: Reading, resource: string, found: Validators | undefined): void {
  if (found !== undefined) validators.set(resource, found);
}

/** Whether pages of a host are read. */
export function isWanted({ spec, hosts }: Reading, { host }: URL): boolean {
  return spec.otherHosts || hosts.has(host);
}

/** Tells how many pages there are. @throws Failure library_too_large */
export function announcePages({ limits, pages }: ReadContext, count: number): void {
  if (count > limits.pages)
    throw tooLarge(`The file has ${count} pages, more than the ${limits.pages} that are indexed.`);
  pages(count);
}

/** A library beyond the limits. */
export function tooLarge(problem: string): Failure {
  return new Failure("library_too_large", `${problem} Raise MAX_PAGES or MAX_BYTES.`);
}
