import { Failure } from "../../../domain/failures.ts";
import { jsonOf } from "../../../extract/json.ts";
import type { FetchClient, FetchResponse } from "../fetch/client.ts";

/** Cap on an answer of a host's API, in bytes. */
const maxAnswer = 10_000_000;

/** A request to the API of a Git host. */
export interface ApiRequest {
  readonly client: Pick<FetchClient, "request">;
  readonly url: URL;
  readonly method?: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly signal: AbortSignal;
}

/** An answer of a host's API. */
export interface ApiAnswer {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Asks the API of a Git host; undefined for 404.
 * @throws Failure source_refused, source_unreachable for a limit of the host with the time of its end, source_invalid
 */
export async function askApi({
  client,
  url,
  method = "GET",
  headers,
  body,
  signal,
}: ApiRequest): Promise<ApiAnswer | undefined> {
  const response = await client.request(url, {
    method,
    headers: {
      accept: "application/json",
      ...headers,
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal,
    maxBytes: maxAnswer,
    maxRedirects: 2,
  });
  if (response.status !== 200 && response.status !== 201) {
    response.discard();
    if (response.status === 404) return undefined;
    throw apiFailure(url.host, response, Date.now());
  }
  const answer = jsonOf(await response.text());
  if (answer === undefined) throw new Failure("source_invalid", `${url.host} answers with something that is not JSON.`);
  return { body: answer, headers: response.headers };
}

/** Azure DevOps answers a wrong token with the page for signing in, and status 203. */
const refusals = new Set([203, 302, 401, 403]);

function apiFailure(
  host: string,
  { status, headers }: Pick<FetchResponse, "status" | "headers">,
  now: number,
): Failure {
  const retryAfter = status === 403 || status === 429 ? limitOf(headers, now) : undefined;
  if (retryAfter !== undefined || status === 429) {
    const when = retryAfter === undefined ? "later" : `in ${retryAfter} s`;
    const message = `${host} takes no more requests for now, as its limit is reached. Try again ${when}.`;
    return new Failure("source_unreachable", message, retryAfter === undefined ? {} : { retryAfter });
  }
  if (refusals.has(status)) {
    const message = `${host} answers with status ${status}: the credential is missing, wrong or may not do this. Give one that may read the owner's repositories.`;
    return new Failure("source_refused", message);
  }
  const code = status >= 500 ? "source_unreachable" : "source_invalid";
  return new Failure(code, `${host} answers with status ${status}. Try again later.`);
}

/**
 * Seconds to the end of a limit: Retry-After, or the time of reset once no requests remain, in the headers of GitHub, GitLab,
 * Bitbucket, Azure DevOps and Gitea; undefined: no limit.
 */
function limitOf(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const after = Number(headers["retry-after"] ?? Number.NaN);
  if (after >= 0) return Math.ceil(after);
  const remaining = headers["x-ratelimit-remaining"] ?? headers["ratelimit-remaining"];
  const reset = Number(headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"] ?? Number.NaN);
  if (remaining !== "0" || !(reset > 0)) return undefined;
  // It is a time, or a number of seconds.
  return Math.max(1, Math.ceil(reset > 1_000_000_000 ? reset - now / 1000 : reset));
}
