import sniffEncoding from "html-encoding-sniffer";
import { Failure } from "../../../domain/failures.ts";
import type { Validators } from "../../../domain/generation.ts";
import { sourceFileType } from "../../../extract/formats.ts";
import { isSourceFile } from "../../../extract/source-file.ts";
import type { FetchClient } from "../fetch/client.ts";
import { getResource } from "./conditional-get.ts";
import type { ConditionalRequest, Resource } from "./conditional-get.ts";

/** A text that was fetched. */
export interface Fetched {
  /** Where it came from, after redirects. */
  readonly url: URL;
  readonly bytes: Uint8Array;
  /** `sourceFileType` for files of code and data, where these are wanted. */
  readonly mediaType: "text/markdown" | "text/plain" | "text/html" | typeof sourceFileType;
  readonly validators: Validators;
  /** The header X-Robots-Tag, in lower case; "" without. */
  readonly robots: string;
}

const markdownFirst = "text/markdown, text/plain;q=0.9, text/html;q=0.8";

/** A request for a text. */
export interface TextRequest extends ConditionalRequest {
  /** Files of code and data are wanted too, not only pages. */
  readonly files?: true;
}

/**
 * Fetches a text, Markdown where there is a choice; "unchanged" if it is as its validators say.
 * @throws Failure source_invalid for what is not text, and what `getResource` throws
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
  const mediaType = mediaTypeOf(resource, files);
  const bytes = toUtf8(resource.bytes, headers["content-type"]);
  return { url: resource.url, bytes, mediaType, validators, robots: (headers["x-robots-tag"] ?? "").toLowerCase() };
}

/** A text in UTF-8, from the encoding that its byte order mark, its header or its meta element names (WHATWG HTML). */
function toUtf8(bytes: Uint8Array, contentType = ""): Uint8Array {
  const [, label] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType) ?? [];
  const encoding = sniffEncoding(bytes, {
    defaultEncoding: "UTF-8",
    ...(label !== undefined && { transportLayerEncodingLabel: label }),
  });
  return encoding === "UTF-8" ? bytes : Buffer.from(new TextDecoder(encoding).decode(bytes));
}

/** Media type by declaration and content: servers declare Markdown as plain text, and answer HTML for missing files. */
function mediaTypeOf({ headers, url, bytes }: Resource, files = false): Fetched["mediaType"] {
  const declared = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const start = Buffer.from(bytes.subarray(0, 512))
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart();
  if (/^<(?:!doctype html|html|head|body)\b/i.test(start) || declared.includes("html")) return "text/html";
  const isText = !bytes.subarray(0, 4096).includes(0);
  if (files && isText && (isSourceFile(url.pathname) || dataTypes.test(declared))) return sourceFileType;
  if (!isText || !textTypes.test(declared))
    throw new Failure("source_invalid", `${url.href} is not text, but ${declared || "binary"}.`);
  return declared !== "text/plain" || /\.(?:txt|mdx?|markdown)$/i.test(url.pathname) ? "text/markdown" : "text/plain";
}

/** Media types that servers declare for texts; "" for none. */
const textTypes = /^(?:|text\/.*|application\/(?:octet-stream|markdown))$/;

/** Media types of data that is text. */
const dataTypes = /^(?:application|text)\/(?:[\w.-]{1,60}\+)?(?:json|yaml|x-yaml|vnd\.oai\.openapi)$/;

/** Where a page has its Markdown, by https://llmstxt.org. */
export function twinOf(page: URL): URL {
  const twin = new URL(page);
  twin.pathname += twin.pathname.endsWith("/") ? "index.html.md" : ".md";
  return twin;
}
