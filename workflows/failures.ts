import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  isCancellation,
  TimeoutFailure,
} from "@temporalio/workflow";
import { Failure, isFailureCode, isSourceAtFault, toFailureRecord } from "../domain/failures.ts";

/**
 * What a step threw, as the stories know it: a Failure by the type that its worker gave it, an interruption where
 * workers were lost. A cancellation, and what nobody expected, stay what they are.
 */
export function toStepFailure(error: unknown, summary: string): unknown {
  if (isCancellation(error)) return error;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure && isFailureCode(cause.type ?? ""))
    return new Failure(cause.type as Failure["code"], cause.message, { cause: error });
  if (cause instanceof TimeoutFailure) {
    const message = `The step "${summary}" used up its retries: no worker finished it. See the workers' logs for why.`;
    return new Failure("run_interrupted", message, { cause: error });
  }
  return error;
}

/** How a run that did not come to its end closes, so that the Web UI says why: its type is the failure's code. */
export function toRunFailure(error: unknown): ApplicationFailure {
  const { code, message } = toFailureRecord(error);
  return plain(
    ApplicationFailure.create({
      message,
      type: code,
      nonRetryable: true,
      ...(isSourceAtFault(code) && { category: "BENIGN" }),
    }),
  );
}

/** How a cancelled run closes. */
export function toRunCancellation(error: unknown): Error {
  return isCancellation(error) && error instanceof Error
    ? error
    : plain(new CancelledFailure("The run was cancelled."));
}

/** The message says it all; the stack of generated code only hides it. */
function plain<T extends Error>(error: T): T {
  error.stack = "";
  return error;
}
