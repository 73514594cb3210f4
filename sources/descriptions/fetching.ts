import { Failure } from "../../domain/failures.ts";
import type { FetchClient } from "../fetch/client.ts";
import { getResource } from "../pages/conditional-get.ts";
import type { ConditionalRequest, Resource } from "../pages/conditional-get.ts";

const accept =
  "application/vnd.oai.openapi+json, application/vnd.oai.openapi, application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5";

/** What a file is asked for. */
export type FileRequest = Omit<ConditionalRequest, "accept">;

/** A file of a description that was fetched, and where it came from. */
export interface FetchedFile extends Pick<Resource, "bytes" | "validators"> {
  readonly url: string;
}

/**
 * Fetches a file of a description; "unchanged" if it is as its validators say.
 * @throws Failure source_invalid for what is no text, and what `getResource` throws
 */
export async function fetchFile(
  client: Pick<FetchClient, "request">,
  url: URL,
  request: FileRequest,
): Promise<FetchedFile | "unchanged"> {
  const file = await getResource(client, url, { ...request, accept });
  if (file === "unchanged") return file;
  if (file.bytes.subarray(0, 4096).includes(0))
    throw new Failure("source_invalid", `${url.href} is no text, and so no OpenAPI description.`);
  return { ...file, url: file.url.href };
}
