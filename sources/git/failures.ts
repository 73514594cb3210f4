import { diskUnavailable, Failure, noSpaceLeft, type FailureCode } from "../../domain/failures.ts";
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
  // Azure DevOps answers a wrong token with the page for signing in, and status 203.
  if (status === 401 || status === 403 || status === 203) return refused(name, hasToken);
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

/** The failure for an address of SSH without a key. */
export function keyMissing(url: URL): Failure {
  const message = `${repositoryName(url)} is read by SSH, which needs a key. Give a credential that has one.`;
  return new Failure("source_refused", message);
}

/** The failure for ssh that ended with an error, run with LC_ALL=C. The server writes into its output too. */
export function sshFailure(exit: GitExit, url: URL): Failure {
  const name = repositoryName(url);
  const output = exit.lines.join("\n");
  const failed = (code: FailureCode, message: string): Failure => new Failure(code, message, { cause: exit });
  if (exit.code === missingProgram && /exec: ssh:|ssh: not found/.test(output))
    return failed(
      "service_unavailable",
      "The program ssh is not installed on this server. Install OpenSSH's client: runs continue then.",
    );
  if (/host key verification failed|host key is known|identification has changed/i.test(output))
    return failed(
      "source_refused",
      `${name} shows a host key that is not among the known hosts of the credential. Compare it with what the host publishes, and make the credential again with that in knownHosts.`,
    );
  if (/load key|invalid format|error in libcrypto/i.test(output))
    return failed(
      "source_refused",
      `The private key for ${name} cannot be read by ssh. Make a new one with ssh-keygen.`,
    );
  if (/permission denied|authentication failures|access denied|not authorized/i.test(output))
    return failed(
      "source_refused",
      `${name} refuses the key. Add its public half to the repository as a deploy key that may read it.`,
    );
  if (/not found|not exist|not appear to be|not be found/i.test(output)) return missing(name);
  const line = exit.lines.findLast((one) => one.trim() !== "") ?? "";
  if (exit.code !== sshItself) return unreadable(name, line, [], exit);
  return failed("source_unreachable", `${name} is out of reach by SSH${quoteOf(line, [])}. Try again later.`);
}

/** Exit code of ssh for an error of its own; others are those of the command. */
const sshItself = 255;

/** The failure for a server's error message in place of a pack. `secrets` are removed from the quote. */
export function serverFailure(error: ServerError, url: URL, secrets: readonly string[]): Failure {
  return unreadable(repositoryName(url), error.message, secrets, error);
}

/** Quotes the start of a line as part of a sentence, without secrets and control characters. */
function unreadable(name: string, line: string, secrets: readonly string[], cause: unknown): Failure {
  return new Failure("source_invalid", `${name} could not be read by git${quoteOf(line, secrets)}.`, { cause });
}

function quoteOf(line: string, secrets: readonly string[]): string {
  const text = createRedaction(secrets)
    .text(line.replace(/^(?:fatal|error): */, ""))
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, 200)
    .replace(/(?<![\s.])[\s.]+$/, "");
  return text === "" ? "" : `: ${text}`;
}

/** Exit code of a shell that does not find the program. */
const missingProgram = 127;
