import { Failure } from "../domain/failures.ts";
import { isWebUrl } from "../config/formats.ts";

/** Where a server is: as it is given, else by PUBLIC_URL, or HOST and PORT. Without `/api`. @throws Failure validation_error */
export function serverAddress(
  { publicUrl, host, port }: { readonly publicUrl: string | null; readonly host: string; readonly port: number },
  given?: string,
): string {
  if (given !== undefined && !isWebUrl(given))
    throw new Failure(
      "validation_error",
      "--url takes an absolute http(s) address without credentials, query and fragment.",
    );
  const address = given ?? publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  // People copy it from what they have: the API's base, or the endpoint of agents.
  return address.replace(/(?<!\/)\/+$/, "").replace(/(?:\/api)?(?:\/mcp)?$/, "");
}
