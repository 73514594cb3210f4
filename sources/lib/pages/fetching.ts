import sniffEncoding from "html-encoding-sniffer";
import { Failure } from "../../../domain/failures.ts";
import type { Validators } from "../../../domain/generation.ts";
import { sourceFileType } from "../../../extract/formats.ts";
import { isSourceFile } from "../../../extract/source-file.ts";
import { decodeAs, encodeText } from "../../../extract/decode.ts";
import type { FetchClient } from "../fetch/client.ts";
import { createHash } from "node:crypto";
import { isConnectionClosed } from "../fetch/failures.ts";

/** A fetched text. */
export interface Fetched extends Pick<Resource, "url" | "bytes" | "validators"> {
  /** `sourceFileType` for files of code and data, if these are requested. */
  readonly mediaType: "text/markdown" | "text/plain" | "text/html" | typeof sourceFileType;
  /** The header X-Robots-Tag, in lower case; "" without it. */
  readonly robots: string;
}

const markdownFirst = "text/markdown, text/plain;q=0.9, text/html;q=0.8";

/** A request for a text. */
export interface TextRequest extends ConditionalRequest {
  /** Accept files of code and data too, not only pages. */
  readonly files?: true;
}

/**
 * Fetches a text, preferably Markdown; "unchanged" if it matches its validators.
 * @throws Failure source_invalid for a binary resource; as `getResource`
 */
export async function fetchText(
  client: Pick<FetchClient, "request">,
  url: URL,
  { files, ...request }: TextRequest,
): Promise<Fetched | "unchanged"> {
  const accept = files ? `${markdownFirst}, */*;q=0.5` : markdownFirst;
  const resource = await getResource(client, url, { accept, ...request });
  if (resource === "unchanged") return resource;
  const { headers, validators } = resource;
  const bytes = toUtf8(resource);
  const mediaType = mediaTypeOf({ ...resource, bytes }, files);
  return { url: resource.url, bytes, mediaType, validators, robots: (headers["x-robots-tag"] ?? "").toLowerCase() };
}

/** A text in UTF-8, converted from the encoding in its byte order mark, its header or the meta element of HTML (WHATWG HTML). */
function toUtf8({ bytes, headers }: Pick<Resource, "bytes" | "headers">): Uint8Array {
  const type = headers["content-type"] ?? "";
  const [, label = isHtml(type, bytes) ? undefined : "utf-8"] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type) ?? [];
  const encoding = sniffEncoding(bytes, {
    defaultEncoding: "UTF-8",
    ...(label !== undefined && { transportLayerEncodingLabel: label }),
  });
  return encoding === "UTF-8" ? bytes : encodeText(decodeAs(encoding, bytes));
}

function isHtml(contentType: string, bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 512))
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart();
  return /^<(?:!doctype html|html|head|body)\b/i.test(start) || contentType.toLowerCase().includes("html");
}

/** The media type by header and content: servers declare Markdown as plain text, and send HTML for missing files. */
function mediaTypeOf({ headers, url, bytes }: Resource, files = false): Fetched["mediaType"] {
  const declared = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (isHtml(declared, bytes)) return "text/html";
  const isText = !bytes.subarray(0, 4096).includes(0);
  if (files && isText && (isSourceFile(url.pathname) || dataTypes.test(declared))) return sourceFileType;
  if (!isText || !textTypes.test(declared))
    throw new Failure("source_invalid", `${url.href} is not text, but ${declared || "binary"}.`);
  return declared !== "text/plain" || /\.(?:txt|mdx?|markdown)$/i.test(url.pathname) ? "text/markdown" : "text/plain";
}

/** Media types that servers declare for texts; "" without a declaration. */
const textTypes = /^(?:|text\/.*|application\/(?:octet-stream|markdown))$/;

/** Media types of data that is text. */
const dataTypes = /^(?:application|text)\/(?:[\w.-]{1,60}\+)?(?:json|yaml|x-yaml|vnd\.oai\.openapi)$/;

/** The address of a page's Markdown twin (https://llmstxt.org). */
export function markdownTwinOf(page: URL): URL {
  const twin = new URL(page);
  twin.pathname += twin.pathname.endsWith("/") ? "index.html.md" : ".md";
  return twin;
}

/** A request for a resource. */
export interface ConditionalRequest {
  readonly signal: AbortSignal;
  /** Cap on the decompressed body, in bytes. */
  readonly maxBytes: number;
  /** The header Accept. */
  readonly accept?: string;
  /** Validators of the last response: an unchanged resource is not sent again. */
  readonly validators?: Validators | undefined;
  /** 0 makes any redirect a failure. */
  readonly maxRedirects?: number | undefined;
}

/** A fetched resource. */
export interface Resource {
  /** Final address, after redirects. */
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** Validators for the next request. */
  readonly validators: Validators;
}

/**
 * Fetches a resource; "unchanged" if it matches its validators, by the response's status or the hash of its bytes.
 * @throws Failure source_not_found, source_refused, source_unreachable or source_invalid by status; failures of the client
 */
export async function getResource(
  client: Pick<FetchClient, "request">,
  url: URL,
  request: ConditionalRequest,
): Promise<Resource | "unchanged"> {
  try {
    return await requestOnce(client, url, request);
  } catch (error) {
    // The server closed the connection in the middle of the body, so it is tried once more.
    if (request.signal.aborted || !isConnectionClosed(error)) throw error;
    return requestOnce(client, url, request);
  }
}

/** The result of a request without validators, which is never "unchanged". */
export function unconditional<Result>(result: Result | "unchanged"): Result {
  if (result === "unchanged") throw new Error("The request was unconditional.");
  return result;
}

async function requestOnce(
  client: Pick<FetchClient, "request">,
  url: URL,
  { signal, maxBytes, accept, validators, maxRedirects }: ConditionalRequest,
): Promise<Resource | "unchanged"> {
  const { etag, lastModified, hash: oldHash } = validators ?? {};
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
  if (hash === oldHash) return "unchanged";
  const { etag: tag, "last-modified": modified } = response.headers;
  const sent = { ...(tag !== undefined && { etag: tag }), ...(modified !== undefined && { lastModified: modified }) };
  return { url: response.url, headers: response.headers, bytes, validators: { ...sent, hash } };
}

/** SHA-256 of a text, hex, truncated to the length of a commit hash. */
export function hashOf(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 40);
}

/** The failure for a response with a status other than 200. */
export function statusFailure({ href }: URL, status: number): Failure {
  if (status === 404 || status === 410)
    return new Failure("source_not_found", `There is nothing at ${href} (${status}). Check the address.`);
  if (status === 401 || status === 403) return new Failure("source_refused", `${href} may not be read (${status}).`);
  if (status === 429 || status >= 500)
    return new Failure("source_unreachable", `${href} answers ${status}. Try again later.`);
  return new Failure("source_invalid", `${href} answers ${status} in place of a page.`);
}
