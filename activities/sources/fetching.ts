import { createHash } from "node:crypto";
import sniffEncoding from "html-encoding-sniffer";
import { Failure } from "../../domain/failures.ts";
import type { Validators } from "../../domain/generation.ts";
import type { FetchClient, FetchResponse } from "../fetch/client.ts";

/** A text that was fetched. */
export interface Fetched {
  /** Where it came from, after redirects. */
  readonly url: URL;
  readonly bytes: Uint8Array;
  readonly mediaType: "text/markdown" | "text/plain" | "text/html";
  readonly validators: Validators;
  /** The header X-Robots-Tag, in lower case; "" without. */
  readonly robots: string;
}

/** What a resource is asked for. */
export interface Request {
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  /** Of the last time: an unchanged resource is not sent again. */
  readonly validators?: Validators | undefined;
  /** Media types in the order in which they are wanted, as the header has them; Markdown first by default. */
  readonly accept?: string;
}

const markdownFirst = "text/markdown, text/plain;q=0.9, text/html;q=0.8";

/**
 * Fetches a text; "unchanged" if it is as its validators say.
 * @throws Failure source_not_found, source_refused, source_unreachable or source_invalid; those of the client
 */
export async function fetchText(
  client: Pick<FetchClient, "request">,
  url: URL,
  { signal, maxBytes, validators, accept = markdownFirst }: Request,
): Promise<Fetched | "unchanged"> {
  const { etag, lastModified } = validators ?? {};
  const headers = {
    accept,
    ...(etag !== undefined && { "if-none-match": etag }),
    ...(etag === undefined && lastModified !== undefined && { "if-modified-since": lastModified }),
  };
  const response = await client.request(url, { headers, signal, maxBytes });
  if (response.status === 304 && validators !== undefined) {
    response.discard();
    return "unchanged";
  }
  if (response.status !== 200) {
    response.discard();
    throw statusFailure(url, response.status);
  }
  const sent = new Uint8Array(Buffer.concat(await Array.fromAsync(response.body)));
  const mediaType = mediaTypeOf(response, sent);
  const hash = hashOf(sent);
  if (hash === validators?.hash) return "unchanged";
  const bytes = toUtf8(sent, response.headers["content-type"]);
  const robots = (response.headers["x-robots-tag"] ?? "").toLowerCase();
  return { url: response.url, bytes, mediaType, validators: { ...validatorsOf(response), hash }, robots };
}

/** SHA-256 of a text, hex, cut to the length of a commit. */
export function hashOf(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 40);
}

/** A text in UTF-8, whatever it was sent in: as its byte order mark, its header or its meta element says (WHATWG HTML). */
function toUtf8(bytes: Uint8Array, contentType = ""): Uint8Array {
  const [, label] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType) ?? [];
  const encoding = sniffEncoding(bytes, {
    defaultEncoding: "UTF-8",
    ...(label !== undefined && { transportLayerEncodingLabel: label }),
  });
  return encoding === "UTF-8" ? bytes : Buffer.from(new TextDecoder(encoding).decode(bytes));
}

/** What a response says of the state of its resource. */
export function validatorsOf({ headers }: FetchResponse): Validators {
  const { etag, "last-modified": lastModified } = headers;
  return { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
}

/** What a text is: servers call Markdown plain text, and HTML with status 200 stands in for pages that are missing. */
function mediaTypeOf({ headers, url }: FetchResponse, bytes: Uint8Array): Fetched["mediaType"] {
  const declared = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const start = Buffer.from(bytes.subarray(0, 512))
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart();
  if (/^<(?:!doctype html|html|head|body)\b/i.test(start) || declared.includes("html")) return "text/html";
  if (bytes.subarray(0, 4096).includes(0) || !textTypes.test(declared))
    throw new Failure("source_invalid", `${url.href} is not text, but ${declared || "binary"}.`);
  return declared !== "text/plain" || /\.(?:txt|mdx?|markdown)$/i.test(url.pathname) ? "text/markdown" : "text/plain";
}

/** Media types that texts come with; "" for none. */
const textTypes = /^(?:|text\/.*|application\/(?:octet-stream|markdown))$/;

/** What it means that a resource is answered with a status other than 200. */
export function statusFailure({ href }: URL, status: number): Failure {
  if (status === 404 || status === 410)
    return new Failure("source_not_found", `There is nothing at ${href} (${status}). Check the address.`);
  if (status === 401 || status === 403) return new Failure("source_refused", `${href} may not be read (${status}).`);
  if (status === 429 || status >= 500)
    return new Failure("source_unreachable", `${href} answers ${status}. Try again later.`);
  return new Failure("source_invalid", `${href} answers ${status}, which is no page.`);
}

/** Where a page has its Markdown, by https://llmstxt.org. */
export function twinOf(page: URL): URL {
  const twin = new URL(page);
  twin.pathname += twin.pathname.endsWith("/") ? "index.html.md" : ".md";
  return twin;
}
