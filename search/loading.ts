import { Failure } from "../domain/failures.ts";
import { withLanguage, type Passage } from "../domain/passage.ts";

/** The items until `stop` is aborted; a pending item is not awaited. @throws the reason of `stop` */
export async function* untilStopped<T>(items: AsyncIterable<T>, stop: AbortSignal): AsyncIterable<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await unlessStopped(iterator.next(), stop);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    if (iterator.return !== undefined) await unlessStopped(iterator.return(), stop);
  }
}

/** The result, unless `stop` is aborted first. Each race has its own promise, as a shared one would keep all results. @throws the reason of `stop` */
export async function unlessStopped<T>(result: Promise<T>, stop: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const onStop = () => stopped.reject(stop.reason);
  if (stop.aborted) onStop();
  stop.addEventListener("abort", onStop);
  try {
    return await Promise.race([result, stopped.promise]);
  } finally {
    stop.removeEventListener("abort", onStop);
  }
}

/** Checks the id of a generation before it becomes part of a path or a filter. @throws Failure internal_error */
export function checkGenerationId(generation: string): void {
  if (/^[A-Za-z0-9_-]{1,200}$/.test(generation)) return;
  const message = `"${generation.slice(0, 80)}" is not a generation id: letters, digits, _ and - only.`;
  throw new Failure("internal_error", message);
}

/** A passage as it is served, with its line: without its embedding, and with the library's language. */
export function toServed(
  { embedding, ...original }: Passage,
  line: string,
  language: string,
): { readonly passage: Passage; readonly line: string } {
  const passage = withLanguage(original, language);
  return { passage, line: passage === original && embedding === undefined ? line : JSON.stringify(passage) };
}
