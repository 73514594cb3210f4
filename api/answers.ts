import { Failure, failures } from "../domain/failures.ts";

/** A body: text, bytes, JSON, server-sent events, or none. */
type AnswerBody = string | Uint8Array | object | AsyncIterable<string> | null;

/** An answer as plain data. Header names are written as they are sent. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AnswerBody;
  /** Values of Set-Cookie headers. */
  readonly cookies?: readonly string[];
}

/** Default Retry-After of a 503, in seconds. */
const defaultRetryAfter = 5;

/** JSON, with status 200 by default. */
export function jsonAnswer(body: object, headers: Readonly<Record<string, string>> = {}, status = 200): ApiAnswer {
  return { status, headers: { "Content-Type": "application/json", ...headers }, body };
}

/** Plain text in UTF-8. */
export function textAnswer(body: string, headers: Readonly<Record<string, string>> = {}, status = 200): ApiAnswer {
  return { status, headers: { "Content-Type": "text/plain; charset=utf-8", ...headers }, body };
}

/** The body of every failure. */
export function failureBody(failure: Failure): { error: string; message: string; redirectUrl?: string } {
  const { redirectUrl } = failure.details;
  return { error: failure.code, message: failure.message, ...(redirectUrl !== undefined && { redirectUrl }) };
}

/** Headers of a failure: Retry-After, Allow, WWW-Authenticate. */
export function failureHeaders({ code, details }: Failure): Record<string, string> {
  const { status } = failures[code];
  const retryAfter = details.retryAfter ?? (status === 503 ? defaultRetryAfter : undefined);
  return {
    ...(retryAfter !== undefined && { "Retry-After": String(Math.max(1, Math.ceil(retryAfter))) }),
    ...(details.allow && { Allow: details.allow.join(", ") }),
    ...(status === 401 && { "WWW-Authenticate": "Bearer" }),
    "Cache-Control": "no-store",
  };
}

/** The answer of a failure: the status of the table, and a body with `error` and `message`. */
export function failureAnswer(failure: Failure): ApiAnswer {
  return jsonAnswer(failureBody(failure), failureHeaders(failure), failures[failure.code].status);
}

/** The failure that a caller sees for an unexpected error. */
export function unexpectedFailure(requestId: string): Failure {
  return new Failure(
    "internal_error",
    `Unexpected error. Try again; if it persists, give the operator the request ID ${requestId}.`,
  );
}
