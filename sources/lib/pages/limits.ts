import { Failure } from "../../../domain/failures.ts";
import type { ReadContext } from "../../../domain/ports.ts";

/** Reports the number of pages. @throws Failure library_too_large */
export function announcePages({ limits, pages }: ReadContext, count: number): void {
  if (count > limits.pages)
    throw tooLarge(`The file has ${count} pages, more than the ${limits.pages} that are indexed.`);
  pages(count);
}

/** The failure of a library that exceeds the limits. */
export function tooLarge(problem: string): Failure {
  return new Failure("library_too_large", `${problem} Raise MAX_PAGES or MAX_BYTES.`);
}
