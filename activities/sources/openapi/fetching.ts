import { Failure } from "../../../domain/failures.ts";
import type { Validators } from "../../../domain/generation.ts";
import type { FetchClient } from "../../fetch/client.ts";
import { hashOf, statusFailure, validatorsOf } from "../fetching.ts";

/** A file of a description that was fetched. */
export interface FetchedFile {
  /** Where it came from, after redirects. */
  readonly url: string;
  readonly bytes: Uint8Array;
  readonly validators: Validators;
}

/** What a file is asked for. */
export interface FileRequest {
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  /** Of the last time: an unchanged file is not sent again. */
  readonly validators?: Validators | undefined;
  /** 0 for a file that may come from its own address only. */
  readonly maxRedirects?: number;
}

const accept =
  "application/vnd.oai.openapi+json, application/vnd.oai.openapi, application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5";

/**
 * Fetches a file; "unchanged" if it is as its validators say.
 * @throws Failure source_not_found, source_refused, source_unreachable or source_invalid; those of the client
 */
export async function fetchFile(
  client: Pick<FetchClient, "request">,
  url: URL,
  { signal, maxBytes, validators, maxRedirects }: FileRequest,
): Promise<FetchedFile | "unchanged"> {
  const { etag, lastModified } = validators ?? {};
  const headers = {
    accept,
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
  if (bytes.subarray(0, 4096).includes(0))
    throw new Failure("source_invalid", `${url.href} is no text, and so no OpenAPI description.`);
  const hash = hashOf(bytes);
  if (hash === validators?.hash) return "unchanged";
  return { url: response.url.href, bytes, validators: { ...validatorsOf(response), hash } };
}
