import { Failure } from "../domain/failures.ts";

/** Refuses what cannot be the id of a generation, before it becomes part of a path or a filter. @throws Failure internal_error */
export function checkGenerationId(generation: string): void {
  if (/^[A-Za-z0-9_-]{1,200}$/.test(generation)) return;
  const message = `"${generation.slice(0, 80)}" is not a generation id: letters, digits, _ and - only.`;
  throw new Failure("internal_error", message);
}
