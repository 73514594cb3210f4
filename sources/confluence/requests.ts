import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../domain/failures.ts";
import type { PoliteClient } from "../fetch/polite.ts";

/** How a site is asked. */
export interface Asking {
  readonly client: PoliteClient;
  readonly signal: AbortSignal;
  /** Before the path of a request, without a slash at its end. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What may be read of a token that lacks the right, by the path. */
  scopeOf(path: string): string;
}

/** Parameters of a request; lists are comma-separated, what is undefined is left out. */
export type Parameters = Readonly<Record<string, unknown>>;

/** Attempts of a request that the host wants later, and the longest pause that is taken, in milliseconds. */
const maxAttempts = 6;
const maxPause = 600_000;
/** Interval after a host has said that its limit is near, in milliseconds. */
const nearLimit = 1000;
/** Cap of an answer, in bytes. */
const maxBytes = 100_000_000;

/** Asks for something in JSON. @throws Failure source_refused, source_not_found, source_unreachable, source_invalid, library_too_large */
export async function getJson(asking: Asking, path: string, parameters: Parameters = {}): Promise<unknown> {
  const { client, signal, headers } = asking;
  const url = new URL(`${asking.base}${path}`);
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
          `${url.host} asks to be left alone for ${Math.ceil(pause / 60_000)} minutes. Refresh the library then.`,
        );
      await sleep(pause, undefined, { signal });
      continue;
    }
    const text = await response.text();
    if (status !== 200) throw refusal(asking, url, status, text, path);
    if (text.trim() === "" && attempt < 3) continue;
    return parse(url, text);
  }
}

/** How long a host asks to be left alone, in milliseconds; undefined if it does not. A 403 may be that too, where it says until when. */
function pauseOf(
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  attempt: number,
): number | undefined {
  const wanted = headers["retry-after"];
  if (status !== 429 && wanted === undefined) return undefined;
  if (status !== 429 && status !== 503 && status !== 403) return undefined;
  if (wanted === undefined) return 1000 * 2 ** attempt;
  const pause = /^\d+$/.test(wanted) ? Number(wanted) * 1000 : Date.parse(wanted) - Date.now();
  return Number.isNaN(pause) ? 1000 * 2 ** attempt : Math.max(0, pause);
}

function refusal({ scopeOf }: Asking, { host, pathname }: URL, status: number, text: string, path: string): Failure {
  const scope = scopeOf(path);
  if (status === 401 && !/scope/i.test(text))
    return new Failure(
      "source_refused",
      `${host} does not accept the token (401): it is wrong or revoked, or has ended. Make a new one.`,
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

function parse({ host, pathname }: URL, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const message = `${host} answers ${pathname} with something that is not JSON, as what asks for a log-in does. Check the address of the site.`;
    throw new Failure("source_invalid", message, { cause });
  }
}
