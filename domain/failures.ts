/** A failure that a retry cannot help, and one that it can. */
const permanent = (status: number, when: string) => ({ status, retryable: false, when });
const temporary = (status: number, when: string) => ({ status, retryable: true, when });

/**
 * Every failure that a client or an operator can see: its HTTP status, whether a retry can help, and when it happens.
 * docs/reference/errors.md lists the same codes, which a test checks.
 */
export const failures = {
  library_not_finalized: temporary(202, "The library is being indexed for the first time."),
  library_redirected: permanent(301, "The library moved to another ID."),
  validation_error: permanent(400, "A parameter or body field is missing or wrong."),
  invalid_library_id: permanent(400, "The library ID is malformed."),
  invalid_api_key: permanent(
    401,
    "The API key is missing, malformed, unknown, revoked or expired, or the token of the issuer is not right.",
  ),
  spending_limit_exceeded: permanent(402, "Never: there is nothing to pay here. Clients of the published API know it."),
  access_denied: permanent(
    403,
    "The policy of the caller's teamspace excludes the library, or the caller's key does not permit to add it.",
  ),
  forbidden: permanent(403, "The key's scopes or its teamspace do not allow the operation."),
  library_not_found: permanent(404, "The library does not exist, or the caller may not see it."),
  tag_not_found: permanent(404, "The library has no such version, or it is not indexed."),
  page_not_found: permanent(404, "The library has no such page, or the page has no such section."),
  branch_not_found: permanent(404, "The repository has no such branch or tag."),
  no_snippets_found: permanent(404, "The source has no readable documents."),
  source_not_found: permanent(404, "The source is gone: the repository, site or folder does not exist."),
  credential_not_found: permanent(404, "The credential does not exist, or belongs to another teamspace."),
  hook_not_found: permanent(404, "The hook does not exist, or belongs to another teamspace."),
  receiver_not_found: permanent(404, "The receiver does not exist, or belongs to another teamspace."),
  hook_refused: permanent(401, "The delivery to a hook is not signed with its secret, or is too old."),
  route_not_found: permanent(404, "The server has no such path."),
  method_not_allowed: permanent(405, "The path exists, but not with this method."),
  duplicate_repo: permanent(409, "The repository was added before."),
  duplicate_library: permanent(409, "The library was added before."),
  duplicate_teamspace: permanent(409, "There is a teamspace with this ID."),
  teamspace_in_use: permanent(409, "The teamspace has libraries or keys that are not revoked; it is not deleted."),
  duplicate_credential: permanent(409, "The teamspace has a credential of this kind and name."),
  credential_in_use: permanent(409, "Libraries use the credential; it is not deleted."),
  run_open: temporary(409, "The library has an open run; the operation has to wait for it."),
  precondition_failed: permanent(412, "What is to be changed is not what `If-Match` names: it was changed meanwhile."),
  payload_too_large: permanent(413, "The request body exceeds the route's limit."),
  unsupported_media_type: permanent(415, "The route does not accept the body's content type."),
  library_too_large: permanent(422, "The source has more pages, bytes or tokens than the limits allow."),
  no_code_found: permanent(422, "Documents were read, but they gave no passages."),
  source_refused: permanent(422, "The source requires credentials, or rejected those it was given."),
  source_invalid: permanent(422, "The source sent an invalid response."),
  page_too_costly: permanent(
    422,
    "A page takes more processor time or memory than a page is given, or a library has too many of such pages.",
  ),
  address_not_allowed: permanent(
    422,
    "The source's host is at an address that is not public, or a token would be sent to it over plain http, and it is not in FETCH_ALLOW.",
  ),
  browser_needed: temporary(
    422,
    "A page is empty without a browser, and no worker with one has read it: there is no Chromium, or it does not start.",
  ),
  run_suspended: permanent(
    422,
    "The server's process died twice while the run was executed; the run is tried again an hour later, and after each further death later, or at once when an administrator refreshes the library.",
  ),
  run_cancelled: permanent(422, "The library's only run was cancelled."),
  rate_limit_exceeded: temporary(
    429,
    "The caller exceeded the rate limit, or has as many streams or connections as it may.",
  ),
  internal_error: temporary(500, "Unexpected error; the log has the request ID."),
  generation_damaged: permanent(500, "A part or the manifest of a generation is missing or damaged."),
  format_unknown: permanent(500, "A generation or an export was written by a newer version of Lectern."),
  search_failed: temporary(503, "The index, the catalog or the engine is unreachable, or timed out."),
  index_rebuilding: temporary(
    503,
    "The index does not have the library now, or not all libraries that a search needs: it is being rebuilt, as after an upgrade or damage.",
  ),
  run_interrupted: temporary(
    503,
    "A step lost its worker in each of its attempts; the run is tried again an hour later, and later each time.",
  ),
  service_unavailable: temporary(
    503,
    "The engine cannot accept a run, storage is unreachable or full, git or a package is missing, the issuer of tokens or the upstream does not answer, or the server is shutting down, has too much to do, or took too long.",
  ),
  host_busy: permanent(
    503,
    "Other runs read from the host already, or the step's worker is shutting down; the run waits for its turn. It is seen in Temporal only.",
  ),
  storage_full: temporary(507, "STORAGE_LIMIT is reached; the run is tried again."),
  source_unreachable: temporary(504, "The source is unreachable, or the connection was lost."),
  timeout: permanent(504, "A step exceeded its timeout."),
};

export type FailureCode = keyof typeof failures;

/** Details of a failure besides its message. */
export interface FailureDetails {
  /** The new library ID, for library_redirected. */
  readonly redirectUrl?: string;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter?: number;
  /** An access rule hides the library: for the audit log only, as the message does not reveal it. */
  readonly byRule?: true;
  /** The methods of the path, for method_not_allowed. */
  readonly allow?: readonly string[];
  /** ID of the refused key, for invalid_api_key with a known key. */
  readonly key?: { readonly id: string; readonly teamspace: string };
}

/** An expected failure; `message` says what to do. Any other error is a bug and becomes a 500. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: FailureCode;
  readonly details: FailureDetails;

  constructor(code: FailureCode, message: string, options: ErrorOptions & FailureDetails = {}) {
    const { cause, ...details } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

/** Whether an error is a Failure with one of these codes. */
export function isFailure(error: unknown, ...codes: readonly FailureCode[]): error is Failure {
  return error instanceof Failure && codes.includes(error.code);
}

/** Error codes of a full disk or quota, and of a disk that cannot be written or fails (errno(3)). */
const fullDisk: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"]);
const failingDisk: ReadonlySet<unknown> = new Set(["EROFS", "EIO"]);

/** SQLite's primary result codes for these: FULL; READONLY, and IOERR, also for a full quota (https://sqlite.org/rescode.html). */
const fullFile: ReadonlySet<unknown> = new Set([13]);
const failingFile: ReadonlySet<unknown> = new Set([8, 10]);

/** The outage that a disk error in the chain of causes means; undefined: none. Paths and devices are only in the cause. */
export function diskFailure(error: unknown): Failure | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = "code" in at ? at.code : undefined;
    const result = "errcode" in at && typeof at.errcode === "number" ? at.errcode & 0xff : undefined;
    if (fullDisk.has(code) || fullFile.has(result)) return noSpaceLeft(error);
    if (failingDisk.has(code) || failingFile.has(result)) return diskUnavailable(error);
  }
  return undefined;
}

/** The server's disk is full. */
export function noSpaceLeft(cause: unknown): Failure {
  const message = "No space is left on the server's disk. Free some: runs continue then.";
  return new Failure("service_unavailable", message, { cause });
}

/** The server's disk cannot be written, or fails. */
export function diskUnavailable(cause: unknown): Failure {
  const message =
    "The server's disk cannot be read or written. Check that it is in order and mounted for writing: runs continue then.";
  return new Failure("service_unavailable", message, { cause });
}

/** A failure as the catalog stores it, and as status and reads show it. */
export interface FailureRecord {
  readonly code: FailureCode;
  readonly message: string;
}

/** The record of any error: a disk error as an outage, an unexpected error as internal_error without details. */
export function toFailureRecord(error: unknown): FailureRecord {
  const failure = error instanceof Failure ? error : diskFailure(error);
  if (failure) return { code: failure.code, message: failure.message };
  return {
    code: "internal_error",
    message: "Unexpected error, a defect of Lectern. The server's log has the details.",
  };
}

/** Whether a part of the deployment is unavailable, so that a run waits for it. */
export function isOutage(code: FailureCode): boolean {
  return code === "search_failed" || code === "service_unavailable";
}

export function isFailureCode(text: string): text is FailureCode {
  return Object.hasOwn(failures, text);
}

/** Whether the source or the request is at fault, rather than the deployment. */
export function isSourceAtFault(code: FailureCode): boolean {
  return failures[code].status < 500 || code === "source_unreachable";
}
