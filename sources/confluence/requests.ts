import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../domain/failures.ts";
import type { FetchResponse } from "../lib/fetch/client.ts";
import { jsonOf } from "../../extract/json.ts";
import { readRetryAfter, type PoliteClient } from "../lib/fetch/polite.ts";

/** How a site is reached. */
export interface SiteConnection {
  readonly client: PoliteClient;
  readonly signal: AbortSignal;
  /** Precedes the path of a request; without a trailing slash. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The right that a token needs for a path, for errors. */
  scopeOf(path: string): string;
}

/** Parameters of a request; lists become comma-separated, undefined and null are left out. */
export type Parameters = Readonly<Record<string, unknown>>;

/** Maximum attempts of a request, and the longest pause that is waited for, in milliseconds. */
const maxAttempts = 6;
const maxPause = 600_000;
/** Interval of requests after the host has warned of its rate limit, in milliseconds. */
const nearLimit = 1000;
/** Cap on an answer, in bytes. */
const maxBytes = 100_000_000;

/** Requests JSON. @throws Failure source_refused, source_not_found, source_unreachable, source_invalid, library_too_large */
export async function getJson(connection: SiteConnection, path: string, parameters: Parameters = {}): Promise<unknown> {
  const { client, signal, headers } = connection;
  const url = new URL(`${connection.base}${path}`);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== null)
      url.searchParams.set(name, Array.isArray(value) ? value.join(",") : String(value as string));
  const request = { headers: { accept: "application/json", ...headers }, signal, maxBytes, maxRedirects: 0 };
  for (let attempt = 1; ; attempt += 1) {
    const response = await client.request(url, request);
    if (response.headers["x-ratelimit-nearlimit"] === "true") client.slowDown(url.host, nearLimit);
    const { status } = response;
    const pause = pauseOf(response, attempt);
    if (pause !== undefined && attempt < maxAttempts) {
      response.discard();
      if (pause > maxPause)
        throw new Failure(
          "source_unreachable",
          `${url.host} asks for a pause of ${Math.ceil(pause / 60_000)} minutes. Refresh the library then.`,
        );
      await sleep(pause, undefined, { signal });
      continue;
    }
    const text = await response.text();
    if (status !== 200) throw refusal(connection, url, status, text, path);
    if (text.trim() === "" && attempt < 3) continue;
    const answer = jsonOf(text);
    if (answer !== undefined) return answer;
    throw new Failure(
      "source_invalid",
      `${url.host} answers ${url.pathname} with something that is not JSON, such as a page to log in at. Check the address of the site.`,
    );
  }
}

/** How long to wait before the next attempt, in milliseconds; undefined: no retry. A 403 with Retry-After is a rate limit too. */
function pauseOf({ status, headers }: FetchResponse, attempt: number): number | undefined {
  const wanted = headers["retry-after"];
  const isLimit = status === 429 || (wanted !== undefined && (status === 503 || status === 403));
  return isLimit ? (readRetryAfter(wanted, Date.now()) ?? 1000 * 2 ** attempt) : undefined;
}

function refusal(
  { scopeOf }: SiteConnection,
  { host, pathname }: URL,
  status: number,
  text: string,
  path: string,
): Failure {
  const scope = scopeOf(path);
  if (status === 401 && !/scope/i.test(text))
    return new Failure(
      "source_refused",
      `${host} does not accept the token (401): it is wrong, revoked or expired. Create a new one.`,
    );
  if (status === 401 || status === 403)
    return new Failure(
      "source_refused",
      `${host} refuses ${pathname} (${status}): the token lacks ${scope}, or its account may not see it.`,
    );
  if (status === 404 || status === 410)
    return new Failure("source_not_found", `${host} has nothing at ${pathname} (${status}).`);
  if (status >= 500 || status === 429 || status === 408)
    return new Failure("source_unreachable", `${host} answers ${status} to ${pathname}. Try again later.`);
  return new Failure("source_invalid", `${host} answers ${status} to ${pathname}.`);
}
