import { Failure, isFailureCode, type FailureCode } from "../../domain/failures.ts";
import { showLibrary } from "../../domain/library.ts";
import type { UpstreamResult } from "../../domain/telemetry.ts";
import { readRetryAfter } from "../lib/fetch/polite.ts";
import { readCode, readRedirect } from "./answers.ts";

/** Why the upstream has no answer, for reasons other than the library. The message is for the log and quotes no body. */
export class Trouble extends Error {
  override readonly name = "Trouble";
  readonly result: UpstreamResult;
  /** Seconds before a retry makes sense. */
  readonly retryAfter: number | undefined;
  /** It is the consequence of an earlier one that was logged. */
  readonly isLogged: boolean;

  constructor(
    result: UpstreamResult,
    message: string,
    {
      retryAfter,
      isLogged = false,
      cause,
    }: ErrorOptions & { readonly retryAfter?: number; readonly isLogged?: boolean } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.result = result;
    this.retryAfter = retryAfter;
    this.isLogged = isLogged;
  }

  /** Whether the upstream is down, rather than refusing this server. */
  get isOutage(): boolean {
    return this.result === "failed" || this.result === "invalid" || this.result === "slow";
  }
}

/** Maximum pause that an upstream can request, and the default without Retry-After, in seconds. */
const maxPause = 3600;
const defaultPause = 30;

/**
 * The error for a status other than 200: a Failure about the library in our own words, or a Trouble. `libraryId`: absent for a search.
 * `ofPage`: the operation is one that other servers of this API may lack.
 */
export function refusalOf(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
  { libraryId, ofPage = false }: { readonly libraryId?: string | undefined; readonly ofPage?: boolean | undefined },
  now: number,
): Failure | Trouble {
  const refused = (result: UpstreamResult): Trouble => new Trouble(result, `it answered ${status}`);
  if (status === 429)
    return new Trouble("limited", "it answered 429", { retryAfter: pauseOf(headers["retry-after"], now) });
  if (status === 401 || status === 402 || status === 403) return refused("denied");
  if (libraryId === undefined) return refused("failed");
  if (status === 202) {
    const message = `${libraryId} is being indexed by the upstream of this server, and not finished yet. Try again in a moment.`;
    return new Failure("library_not_finalized", message, { retryAfter: pauseOf(headers["retry-after"] ?? "5", now) });
  }
  if (![301, 400, 404, 422].includes(status)) return refused("failed");
  try {
    if (status === 301) return movedTo(libraryId, body);
    if (ofPage && status === 404 && !body.trimStart().startsWith("{")) return withoutPages(libraryId);
    const code = readCode(body);
    if (status === 422) {
      const message = `The upstream of this server has no content of ${libraryId}. Use another library.`;
      return new Failure(code === "library_too_large" ? code : "no_code_found", message);
    }
    return status === 404 || code === "invalid_library_id" ? notThere(libraryId, code) : refused("failed");
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return new Trouble("invalid", `it answered ${status} without an error of this API`, { cause: error });
  }
}

/** The error for a request that failed: a Trouble, unless the signal was aborted. */
export function toTrouble(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return error;
  if (!(error instanceof Failure)) return new Trouble("failed", "the request failed unexpectedly", { cause: error });
  const isAway = error.code === "source_unreachable" || error.code === "address_not_allowed";
  return new Trouble(isAway ? "failed" : "invalid", error.message, { cause: error });
}

/** The Failure for clients in place of a Trouble. */
export function unavailable(trouble: Trouble): Failure {
  const message =
    trouble.result === "limited"
      ? "The upstream of this server accepts no more requests for now. Use a library of this server itself, or try again later."
      : "The upstream of this server does not answer now. Use a library of this server itself, or try again later.";
  const { retryAfter } = trouble;
  return new Failure("service_unavailable", message, {
    cause: trouble,
    ...(retryAfter !== undefined && { retryAfter: Math.max(1, Math.ceil(retryAfter)) }),
  });
}

function movedTo(libraryId: string, body: string): Failure | Trouble {
  const moved = readRedirect(body);
  if (!moved) return new Trouble("invalid", "it redirects to an invalid library ID");
  const redirectUrl = showLibrary(moved.id, moved.version);
  const message = `${libraryId} moved to ${redirectUrl}. Use the new library ID.`;
  return new Failure("library_redirected", message, { redirectUrl });
}

const absent: ReadonlySet<FailureCode> = new Set(["tag_not_found", "no_snippets_found"]);

function notThere(libraryId: string, code: string): Failure | Trouble {
  if (code === "page_not_found") {
    const message = `${libraryId}, a library of this server's upstream, has no such page or section. Read a place that its answers name.`;
    return new Failure(code, message);
  }
  if (code === "route_not_found") return withoutPages(libraryId);
  // An HTML page with status 404 means that the address of the upstream is wrong.
  if (code === "") return new Trouble("invalid", "it answered 404 without an error of this API");
  if (!isFailureCode(code) || !absent.has(code)) {
    const message = `Library "${libraryId}" was not found, neither here nor at the upstream of this server. Check the ID, or whether your key may read it.`;
    return new Failure("library_not_found", message);
  }
  const message =
    code === "tag_not_found"
      ? `The upstream of this server has no such version of ${libraryId}. Search for the library: the results name its versions.`
      : `The upstream of this server has no content of ${libraryId}. Use another library.`;
  return new Failure(code, message);
}

function withoutPages(libraryId: string): Failure {
  const message = `${libraryId} is a library of this server's upstream, which has no pages to read. Ask it a question.`;
  return new Failure("page_not_found", message);
}

/** The pause for a header Retry-After, in whole seconds. */
function pauseOf(header: string | undefined, now: number): number {
  const wait = readRetryAfter(header, now);
  return wait === undefined ? defaultPause : Math.min(maxPause, Math.max(1, Math.ceil(wait / 1000)));
}
