import { diskUnavailable, Failure, noSpaceLeft } from "../../domain/failures.ts";
import { createRedaction } from "../redaction.ts";
import type { ServerError } from "./packets.ts";
import type { GitExit } from "./spawning.ts";

/** The name of a repository in messages: host and path. */
export function repositoryName(url: URL): string {
  return `${url.host}${url.pathname}`;
}

/** The failure for a status other than 200. The status of a failing server is its cause. */
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

/** The failure for an address that is not a Git repository. */
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

/** The failure for a git process that failed, run with LC_ALL=C. `secrets` are removed from quoted output. */
export function gitFailure(exit: GitExit, url: URL, secrets: readonly string[]): Failure {
  const name = repositoryName(url);
  const output = exit.lines.join("\n");
  if (exit.code === missingProgram)
    return new Failure(
      "service_unavailable",
      "The program git is not installed on this server. Install git 2.31 or newer: runs continue then.",
      { cause: exit },
    );
  if (/no space left on device|disk quota exceeded/i.test(output)) return noSpaceLeft(exit);
  if (/read-only file system|input\/output error|permission denied/i.test(output)) return diskUnavailable(exit);
  if (/maximum allowed tree depth/i.test(output))
    return new Failure("library_too_large", `${name} has folders nested deeper than git reads.`, {
      cause: exit,
    });
  if (exit.signal !== null || /out of memory|cannot allocate|mmap failed|file too large/i.test(output))
    return new Failure("library_too_large", `${name} needs more memory, processor time or disk than git is allowed.`, {
      cause: exit,
    });
  if (/early eof/i.test(output))
    return new Failure("source_unreachable", `${name} broke off the transfer of its files. Try again later.`, {
      cause: exit,
    });
  return unreadable(name, exit.lines.find((line) => line.startsWith("fatal:")) ?? exit.lines[0] ?? "", secrets, exit);
}

/** The failure for a server's error message in place of a pack. `secrets` are removed from the quote. */
export function serverFailure(error: ServerError, url: URL, secrets: readonly string[]): Failure {
  return unreadable(repositoryName(url), error.message, secrets, error);
}

/** Quotes the start of a line as part of a sentence, without secrets and control characters. */
function unreadable(name: string, line: string, secrets: readonly string[], cause: unknown): Failure {
  const text = createRedaction(secrets)
    .text(line.replace(/^(?:fatal|error): */, ""))
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, 200)
    .replace(/(?<![\s.])[\s.]+$/, "");
  const quote = text === "" ? "" : `: ${text}`;
  return new Failure("source_invalid", `${name} could not be read by git${quote}.`, { cause });
}

/** Exit code of a shell that does not find the program. */
const missingProgram = 127;
