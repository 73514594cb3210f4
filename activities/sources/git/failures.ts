import { Failure, type FailureCode } from "../../../domain/failures.ts";

/** How to name a repository to people: without its query, and never with credentials, which it has none of. */
export function repositoryName(url: URL): string {
  return `${url.host}${url.pathname}`;
}

/** What a status other than 200 means for a repository. */
export function statusFailure(status: number, url: URL, hasToken: boolean): Failure {
  const name = repositoryName(url);
  if (status === 401 || status === 403) return refused(name, hasToken);
  if (status === 404 || status === 410) return missing(name);
  if (status === 429 || status >= 500)
    return new Failure("source_unreachable", `${name} answers with status ${status}. Try again later.`);
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

/** Git's own words (with LC_ALL=C, git and libcurl) and what they mean. The first that fits decides. */
const meanings: readonly (readonly [RegExp, FailureCode | "refused" | "missing"])[] = [
  [
    /returned error: 40[13]|authentication failed|could not read (?:username|password)|terminal prompts disabled/i,
    "refused",
  ],
  [/returned error: (?:404|410)|repository '.*' not found/i, "missing"],
  [/returned error: (?:429|5\d\d)/i, "source_unreachable"],
  [/no space left|disk quota|read-only file system|permission denied/i, "internal_error"],
  [/certificate|ssl (?:peer|routines)|tls connect/i, "source_invalid"],
  [
    /could(?: not|n't) (?:resolve|connect)|failed to connect|timed? ?out|too slow|connection (?:was )?(?:reset|refused)|empty reply|transfer closed|early eof|unexpected disconnect|hung up|recv failure|rpc failed|network is unreachable/i,
    "source_unreachable",
  ],
];

/** A failure out of what a git program printed. `secrets` are struck from it. */
export function gitFailure(lines: readonly string[], url: URL, secrets: readonly string[]): Failure {
  const name = repositoryName(url);
  const text = lines.join("\n");
  const [, meaning = "source_invalid"] = meanings.find(([pattern]) => pattern.test(text)) ?? [];
  if (meaning === "refused") return refused(name, secrets.length > 0);
  if (meaning === "missing") return missing(name);
  if (meaning === "internal_error") return new Failure("internal_error", "Git could not write to the server's disk.");
  const told = toQuote(lines, secrets);
  return meaning === "source_unreachable"
    ? new Failure("source_unreachable", `${name} broke off or did not answer${told}.`)
    : new Failure("source_invalid", `${name} could not be read by Git${told}.`);
}

/** The most telling line, as part of a sentence: without secrets, addresses of ours, control characters, or length. */
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
