import { isGrpcServiceError, NamespaceNotFoundError, ServiceError } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { Failure, failures, isSourceAtFault, toFailureRecord } from "../domain/failures.ts";

/** gRPC status codes: https://grpc.io/docs/guides/status-codes/ */
const grpc = {
  unknown: 2,
  invalidArgument: 3,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  aborted: 10,
  unavailable: 14,
  unauthenticated: 16,
} as const;

const transient: readonly number[] = [grpc.unknown, grpc.resourceExhausted, grpc.aborted, grpc.unavailable];

/**
 * Converts a step's failure for Temporal: its type is the code, and the table of failures decides about retries. An unexpected
 * error becomes internal_error without details.
 */
export function toApplicationFailure(error: unknown): ApplicationFailure {
  const { code, message } = toFailureRecord(error);
  const retryAfter = error instanceof Failure ? error.details.retryAfter : undefined;
  const failure = ApplicationFailure.create({
    message,
    type: code,
    nonRetryable: !failures[code].retryable,
    ...(error instanceof Failure && Object.keys(error.details).length > 0 && { details: [error.details] }),
    ...(retryAfter !== undefined && { nextRetryDelay: retryAfter * 1000 }),
    ...(isSourceAtFault(code) && { category: "BENIGN" }),
  });
  // The message is enough; the log has the stack of unexpected errors.
  failure.stack = "";
  return failure;
}

/** Converts the error of a call to Temporal: a Failure if Temporal is unreachable or not set up, else unchanged. */
export function toEngineFailure(error: unknown): unknown {
  if (error instanceof Failure) return error;
  const status = grpcStatus(error);
  if (error instanceof NamespaceNotFoundError || status === grpc.notFound || status === grpc.invalidArgument)
    return unavailable("Temporal is not set up for this version of Lectern. Run lectern setup.", error);
  if (isRefused(error))
    return unavailable(
      "Temporal rejected this server's credentials. Check TEMPORAL_API_KEY and TEMPORAL_TLS_*.",
      error,
    );
  if (status !== undefined) return engineUnreachable(error);
  return error;
}

/** Whether Temporal rejects our credentials. */
export function isRefused(error: unknown): boolean {
  const status = grpcStatus(error);
  return status === grpc.permissionDenied || status === grpc.unauthenticated;
}

/** Whether the call is retryable. */
export function isTransient(error: unknown): boolean {
  const status = grpcStatus(error);
  return status !== undefined && transient.includes(status);
}

/** The failure if Temporal is unreachable. */
export function engineUnreachable(cause?: unknown): Failure {
  return unavailable("The indexing engine is unreachable. Try again in a moment.", cause);
}

/** The gRPC status of an error or its causes; undefined for other errors. */
export function grpcStatus(error: unknown): number | undefined {
  if (isGrpcServiceError(error)) return error.code;
  return error instanceof ServiceError ? grpcStatus(error.cause) : undefined;
}

function unavailable(message: string, cause: unknown): Failure {
  return new Failure("service_unavailable", message, { retryAfter: 5, cause });
}
