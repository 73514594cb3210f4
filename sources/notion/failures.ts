import { APIResponseError, isHTTPResponseError, RequestTimeoutError } from "@notionhq/client";
import { Failure } from "../../domain/failures.ts";

/** How to share a page with the integration. */
const share = "Open it in Notion, and add the integration under ••• > Connections.";

/** The failure for an error of Notion's client on a request for `what`; any other error as it is. */
export function toNotionFailure(error: unknown, what: string): unknown {
  if (error instanceof RequestTimeoutError)
    return new Failure("source_unreachable", `Notion did not answer for ${what} in time.`);
  if (error instanceof Failure) return error;
  if (error instanceof SyntaxError) return new Failure("source_invalid", `Notion's answer for ${what} is no JSON.`);
  if (!isHTTPResponseError(error)) return error;
  const { status } = error;
  const code: string = error instanceof APIResponseError ? error.code : "";
  if (status === 401)
    return new Failure(
      "source_refused",
      "Notion does not accept the token: it was revoked, or is not one of Notion's. Copy the integration's secret, and refresh the library with it as notionToken, or make a new credential.",
    );
  if (status === 403 && code !== "restricted_resource")
    return new Failure(
      "source_refused",
      `Notion's network refuses requests for ${what} (403). Try it from another address, or ask Notion.`,
    );
  if (status === 403)
    return new Failure(
      "source_refused",
      `The integration may not read ${what}: it lacks the capability "Read content". Turn that on in Notion, under the integration's Capabilities.`,
    );
  if (status === 404)
    return new Failure("source_not_found", `Notion has no ${what}, or it is not shared with the integration. ${share}`);
  if (status === 429 || status >= 500 || status === 409)
    return new Failure("source_unreachable", `Notion answers ${status} for ${what}. Refresh the library later.`);
  return new Failure("source_invalid", `Notion answers ${status}${code === "" ? "" : ` (${code})`} for ${what}.`);
}
