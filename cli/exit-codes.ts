import { Failure } from "../domain/failures.ts";
import { isUnanswered } from "./client.ts";

/** With which code the program ends. docs/cli.md explains the same ones. */
export const exitCodes = { done: 0, failed: 1, wrongUse: 2, noServer: 3, interrupted: 130 } as const;

/** The code for what ended a command. */
export function exitCodeOf(error: Error): number {
  if (isUnanswered(error)) return exitCodes.noServer;
  const isTyped = error instanceof Failure && ["validation_error", "invalid_library_id"].includes(error.code);
  return isTyped ? exitCodes.wrongUse : exitCodes.failed;
}
