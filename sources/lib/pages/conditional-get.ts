import { createHash } from "node:crypto";
import { Failure } from "../../../domain/failures.ts";
import type { Validators } from "../../../domain/generation.ts";
import type { FetchClient } from "../fetch/client.ts";
import { isBrokenOff } from "../fetch/failures.ts";

/** A request for a resource. */
export interface ConditionalRequest {
  readonly signal: AbortSignal;
  /** Cap on the decompressed body, in bytes. */
  readonly maxBytes: number;
  /** Media types in the order in which they are wanted, as the header has them. */
  readonly accept?: string;
  /** Those of the last time: an unchanged resource is not sent again. */
  readonly validators?: Validators | undefined;
  /** 0 where no redirect may be followed. */
  readonly maxRedirects?: number | undefined;
}

/** A resource that was sent. */
export interface Resource {
  /** Where it came from, after redirects. */
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** For the next time. */
  readonly validators: Validators;
}

/**
 * Fetches a resource; "unchanged" if it matches its validators, by the server's answer or by the hash of its bytes.
 * @throws Failure source_not_found, source_refused, source_unreachable or source_invalid by status; those of the client
 */
export async function getResource(
  client: Pick<FetchClient, "request">,
  url: URL,
  request: ConditionalRequest,
): Promise<Resource | "unchanged"> {
  try {
    return await ask(client, url, request);
  } catch (error) {
    // The connection broke off in the middle of the body: once more.
    if (request.signal.aborted || !isBrokenOff(error)) throw error;
    return ask(client, url, request);
  }
}

async function ask(
  client: Pick<FetchClient, "request">,
  url: URL,
  { signal, maxBytes, accept, validators, maxRedirects }: ConditionalRequest,
): Promise<Resource | "unchanged"> {
  const { etag, lastModified, hash: before } = validators ?? {};
  const headers = {
    ...(accept !== undefined && { accept }),
    ...(etag !== undefined && { "if-none-match": etag }),
    ...(etag === undefined && lastModified !== undefined && { "if-modified-since": lastModified }),
  };
  const limits = { maxBytes, ...(maxRedirects !== undefined && { maxRedirects }) };
  const response = await client.request(url, { headers, signal, ...limits });
  if (response.status === 304 && validators !== undefined) {
    response.discard();
    return "unchanged";
  }
  if (response.status !== 200) {
    response.discard();
    throw statusFailure(url, response.status);
  }
  const bytes = new Uint8Array(Buffer.concat(await Array.fromAsync(response.body)));
  const hash = hashOf(bytes);
  if (hash === before) return "unchanged";
  const { etag: tag, "last-modified": modified } = response.headers;
  const said = { ...(tag !== undefined && { etag: tag }), ...(modified !== undefined && { lastModified: modified }) };
  return { url: response.url, headers: response.headers, bytes, validators: { ...said, hash } };
}

/** SHA-256 of a text, hex, cut to the length of a commit. */
export function hashOf(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 40);
}

/** The failure for an answer with a status other than 200. */
export function statusFailure({ href }: URL, status: number): Failure {
  if (status === 404 || status === 410)
    return new Failure("source_not_found", `There is nothing at ${href} (${status}). Check the address.`);
  if (status === 401 || status === 403) return new Failure("source_refused", `${href} may not be read (${status}).`);
  if (status === 429 || status >= 500)
    return new Failure("source_unreachable", `${href} answers ${status}. Try again later.`);
  return new Failure("source_invalid", `${href} answers ${status}, which is no page.`);
}
