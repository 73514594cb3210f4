import { Failure } from "../../../domain/failures.ts";

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
  const message = `${repositoryName(url)} could not be read${toQuote([said], secrets)}.`;
  return new Failure("source_invalid", message, { cause });
}

/** A failure out of what a git program printed, which had to do with a pack or its objects (with LC_ALL=C). */
export function gitFailure(lines: readonly string[], url: URL): Failure {
  const name = repositoryName(url);
  const text = lines.join("\n");
  if (/no space left|disk quota|read-only file system|permission denied/i.test(text))
    return new Failure("internal_error", "Git could not write to the server's disk.");
  const told = toQuote(lines, []);
  return /early eof/i.test(text)
    ? new Failure("source_unreachable", `${name} broke off${told}.`)
    : new Failure("source_invalid", `${name} could not be read by Git${told}.`);
}

/** The most telling line, as part of a sentence: without secrets, control characters, or length. */
function toQuote(lines: readonly string[], secrets: readonly string[]): string {
  const line = lines.find((one) => one.startsWith("fatal:")) ?? lines[0];
  if (line === undefined) return "";
  let text = line.replace(/^(?:fatal|error|remote): */, "");
  for (const secret of secrets) text = text.replaceAll(secret, "***");
  return `: ${text
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, 200)
    .replace(/[\s.]+$/, "")}`;
}
