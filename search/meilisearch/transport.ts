import { MeilisearchApiError, MeilisearchRequestError } from "meilisearch";
import type { Config, MeilisearchErrorResponse } from "meilisearch";
import { request } from "undici";

/**
 * Sends a request of the client package and reads the answer's JSON. Node's fetch would take 2 ms longer for the 250 KB of a
 * question's hits.
 * @throws MeilisearchApiError for an error answer; the client wraps it, see `apiError`
 */
export const send: NonNullable<Config["httpClient"]> = async (input, { method, headers, body, signal } = {}) => {
  const answer = await request(input instanceof Request ? input.url : input, {
    method: method === undefined ? "GET" : (method as "GET"),
    headers: Object.fromEntries(new Headers(headers)),
    // The client passes every body as text.
    body: typeof body === "string" ? body : null,
    signal: signal ?? null,
  });
  const text = await answer.body.text();
  const parsed: unknown = text === "" ? undefined : JSON.parse(text);
  if (answer.statusCode < 300) return parsed;
  throw new MeilisearchApiError(
    new Response(null, { status: answer.statusCode }),
    // Errors of Meilisearch have this form. An error of a proxy has no code, and readers allow for that.
    parsed as MeilisearchErrorResponse,
  );
};

/** The server's error in an error of the client; undefined for other errors. */
export function apiError(error: unknown): MeilisearchApiError | undefined {
  const inner = error instanceof MeilisearchRequestError ? error.cause : error;
  return inner instanceof MeilisearchApiError ? inner : undefined;
}

/** Takes the server's error with this code for undefined, for `catch`. */
export function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (apiError(error)?.cause?.code === code) return undefined;
    throw error;
  };
}
