import { Failure } from "../domain/failures.ts";
import { isUnanswered } from "./client.ts";

/** Exit codes. docs/cli.md explains the same ones. */
export const exitCodes = { done: 0, failed: 1, wrongUse: 2, noServer: 3, interrupted: 130 } as const;

/** The exit code for an error. */
export function exitCodeOf(error: Error): number {
  if (isUnanswered(error)) return exitCodes.noServer;
  const isTyped = error instanceof Failure && ["validation_error", "invalid_library_id"].includes(error.code);
  return isTyped ? exitCodes.wrongUse : exitCodes.failed;
}
