import { Failure } from "../../../domain/failures.ts";
import type { PackError } from "./pack-file.ts";

/** How to name a repository to people: without its query, and never with credentials, which it has none of. */
export function repositoryName(url: URL): string {
  return `${url.host}${url.pathname}`;
}

/** What a status other than 200 means for a repository. That of a server in trouble is the cause. */
export function statusFailure(status: number, url: URL, hasToken: boolean): Failure {
  const name = repositoryName(url);
  if (status === 401 || status === 403) return refused(name, hasToken);
  if (status === 404 || status === 410) return missing(name);
  if (status === 429 || status >= 500)
    return new Failure("source_unreachable", `${name} answers with status ${status}. Try again later.`, {
      cause: status,
    });
  return new Failure("source_invalid", `${name} answers with status ${status}, which is not what a Git server does.`);
}

/** A repository that is no repository. */
export function notARepository(url: URL, reason: string, cause?: unknown): Failure {
  return new Failure(
    "source_invalid",
    `${repositoryName(url)} is not a Git repository: ${reason}. Give the address that git clone takes.`,
    { cause },
  );
}

function refused(name: string, hasToken: boolean): Failure {
  return new Failure(
    "source_refused",
    hasToken
      ? `${name} refuses the token it was given. Give one that may read the repository, in the field gitToken.`
      : `${name} wants credentials. If the repository is private, give a token that may read it in the field gitToken; ` +
          "if it is public, check the address, since some hosts answer so for repositories that do not exist.",
  );
}

function missing(name: string): Failure {
  return new Failure(
    "source_not_found",
    `${name} does not exist, or is not visible without a token. Check the address.`,
  );
}

/** A failure out of what a server's answer in Git's protocol says, or is not. `secrets` are struck from it. */
export function answerFailure(said: string, url: URL, secrets: readonly string[], cause: unknown): Failure {
  const message = `${repositoryName(url)} could not be read${toQuote(said, secrets)}.`;
  return new Failure("source_invalid", message, { cause });
}

/** A failure out of a pack that is broken. */
export function packFailure(error: PackError, url: URL): Failure {
  const name = repositoryName(url);
  return error.breaksOff
    ? new Failure("source_unreachable", `${name} broke off in the middle of its files. Try again later.`, {
        cause: error,
      })
    : new Failure("source_invalid", `${name} could not be read: ${error.message}.`, { cause: error });
}

/** A failure out of an error of the disk; undefined for another one. */
export function diskFailure(error: unknown): Failure | undefined {
  const isDisk =
    error instanceof Error && "code" in error && /^(?:ENOSPC|EDQUOT|EROFS|EACCES)$/.test(String(error.code));
  return isDisk
    ? new Failure("internal_error", "A pack could not be written to the server's disk.", { cause: error })
    : undefined;
}

/** What was said, as part of a sentence: without secrets, control characters, or length. */
function toQuote(said: string, secrets: readonly string[]): string {
  if (said === "") return "";
  let text = said;
  for (const secret of secrets) text = text.replaceAll(secret, "***");
  return `: ${text
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, 200)
    .replace(/[\s.]+$/, "")}`;
}
