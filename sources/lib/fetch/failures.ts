import { Failure, isFailure, type FailureCode } from "../../../domain/failures.ts";

const tlsCodes = /^(?:ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO$|ERR_SSL_)/;
/** Errors of undici with codes of its parser, llhttp. Only their names identify them. */
const notHttp = new Set(["HTTPParserError", "HeadersOverflowError"]);
const decodeCodes = /^(?:Z_|ZSTD_|ERR_BROTLI|ERR__ERROR_|ERR_ZLIB)/;

/**
 * The error to throw for a failed request: the signal's reason after an abort, a Failure as it is, and otherwise a Failure by the error
 * code of undici, OpenSSL or the system.
 */
export function toFetchFailure(error: unknown, url: URL, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (error instanceof Failure) return error;
  // If several addresses were tried, the first error is reported.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (cause instanceof Failure) return cause;
  const code = toCode(cause);
  if (tlsCodes.test(code))
    return new Failure(
      "source_invalid",
      `${url.host} offers no TLS connection that can be trusted (${code}). For a certificate of your own authority, name it in NODE_EXTRA_CA_CERTS.`,
      { cause },
    );
  if (cause instanceof Error && notHttp.has(cause.name))
    return new Failure("source_invalid", `${url.host} answered with something that is not HTTP.`, { cause });
  if (decodeCodes.test(code))
    return new Failure("source_invalid", `${url.host} sent a body that does not match its content encoding.`, {
      cause,
    });
  const reason = reasons[code] ?? (code === "" ? "the connection failed" : `the connection failed (${code})`);
  return new Failure("source_unreachable", `${url.host} is out of reach: ${reason}.`, { cause });
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "it refuses connections",
  ECONNRESET: "it closed the connection",
  EHOSTUNREACH: "no route leads to it",
  ENETUNREACH: "no route leads to its network",
  UND_ERR_CONNECT_TIMEOUT: "it did not accept the connection in time",
  UND_ERR_HEADERS_TIMEOUT: "it did not answer in time",
  UND_ERR_BODY_TIMEOUT: "it stopped sending in the middle of its response",
  UND_ERR_SOCKET: "it closed the connection",
};

/** Whether the server closed the connection. Servers close idle ones at any moment, so a second attempt may succeed. */
export function isConnectionClosed(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : error;
  return ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"].includes(toCode(cause));
}

/** Creates a handler for `catch`: it returns undefined for a Failure with one of these codes, and throws anything else. */
export function undefinedFor(...codes: readonly FailureCode[]): (error: unknown) => undefined {
  return (error) => {
    if (isFailure(error, ...codes)) return undefined;
    throw error;
  };
}

function toCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
