import { Failure } from "../../../domain/failures.ts";
import type { Validators } from "../../../domain/generation.ts";
import type { ReadContext, SourceItem } from "../../../domain/ports.ts";
import { openApiPartType } from "../../../extract/formats.ts";
import type { FileReference } from "../../../extract/openapi/references.ts";
import type { FetchClient } from "../fetch/client.ts";
import type { PoliteClient } from "../fetch/polite.ts";
import { getResource, unconditional, type ConditionalRequest, type Resource } from "../pages/fetching.ts";
import type { DescriptionThread, PackedDescription } from "./parsing.ts";
import { maxDescriptionBytes, readReferredFiles } from "./referred-files.ts";

/** A description whose submitted file has been fetched. */
export interface FetchedDescription {
  readonly root: string;
  /** Final address of the file, after redirects. */
  readonly base: string;
  readonly submitted: Uint8Array;
  readonly client: PoliteClient;
  readonly thread: DescriptionThread;
  readonly limits: ReadContext["limits"];
  readonly signal: AbortSignal;
  /** Called for each requested file that it refers to; the hash of a missing one is "". */
  referred?(url: string, validators: Validators): void;
}

/**
 * Reads a description with the files that it refers to on the same origin, and cuts it into its parts. `warnings` has a sentence for
 * each unreadable file and each defect.
 * @throws Failure source_invalid, no_code_found, library_too_large, source_unreachable
 */
export async function readFetchedDescription(
  fetched: FetchedDescription,
): Promise<PackedDescription & { readonly warnings: readonly string[] }> {
  const { root, base, submitted, client, thread, limits, signal, referred } = fetched;
  const { description, notes } = await readReferredFiles({
    root,
    base,
    submitted,
    maxBytes: Math.min(limits.bytes, maxDescriptionBytes),
    thread,
    async read(reference, maxBytes) {
      const url = allowed(reference, base);
      if (typeof url !== "string") return url;
      const file = await fetchReferred(client, url, { signal, maxBytes, maxRedirects: 0 });
      referred?.(url, "why" in file ? { hash: "" } : file.validators);
      return file;
    },
  });
  const warnings = [...notes, ...(await thread.validate(description))];
  return { ...(await thread.cut(description, warnings, limits)), warnings };
}

/** The parts of a description as pages. */
export function* toItems(
  { parts }: PackedDescription,
  root: string,
  { known }: Pick<ReadContext, "known">,
): Generator<SourceItem> {
  for (const { key, url, fingerprint, bytes } of parts) {
    const page = { key, url, mediaType: openApiPartType, fingerprint, resource: root };
    if (known(page)) yield { type: "known", page };
    else yield { type: "page", page, bytes: bytes(), revision: `sha256-${fingerprint}` };
  }
}

/** A referred file, or why it cannot be read. @throws Failure if another attempt may succeed */
async function fetchReferred(
  client: PoliteClient,
  url: string,
  request: Omit<FileRequest, "validators">,
): Promise<FetchedFile | { readonly why: string }> {
  try {
    return unconditional(await fetchFile(client, new URL(url), request));
  } catch (error) {
    const why = whyMissing(error);
    if (why === undefined) throw error;
    return { why };
  }
}

/** Why a referred file is missing, as the end of a sentence; undefined for a temporary error. */
export function whyMissing(error: unknown): string | undefined {
  if (!(error instanceof Failure)) return undefined;
  if (error.code === "source_not_found") return "there is nothing at that address";
  if (error.code === "source_refused") return "it may not be read";
  return error.code === "source_invalid" ? "that address has no description" : undefined;
}

/** Address of a file that may be read; a reason if the file is on a different origin, or the base has none. */
function allowed({ url }: FileReference, base: string): string | { readonly why: string } {
  const origin = URL.parse(base)?.origin;
  if (url !== null && origin !== undefined && /^https?:/.test(url) && new URL(url).origin === origin) return url;
  if (origin === undefined)
    return { why: "other files are not read with an uploaded one: bundle the description into one file" };
  return { why: `only files of ${origin} are read` };
}

const accept =
  "application/vnd.oai.openapi+json, application/vnd.oai.openapi, application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5";

/** A request for a file. */
export type FileRequest = Omit<ConditionalRequest, "accept">;

/** A fetched file of a description, with its final address. */
export interface FetchedFile extends Pick<Resource, "bytes" | "validators"> {
  readonly url: string;
}

/**
 * Fetches a file of a description; "unchanged" if it matches its validators.
 * @throws Failure source_invalid for a binary file; as `getResource`
 */
export async function fetchFile(
  client: Pick<FetchClient, "request">,
  url: URL,
  request: FileRequest,
): Promise<FetchedFile | "unchanged"> {
  const file = await getResource(client, url, { ...request, accept });
  if (file === "unchanged") return file;
  if (file.bytes.subarray(0, 4096).includes(0))
    throw new Failure("source_invalid", `${url.href} is a binary file, not an OpenAPI description.`);
  return { ...file, url: file.url.href };
}
