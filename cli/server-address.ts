import { Failure } from "../domain/failures.ts";
import { isWebUrl } from "../config/formats.ts";

/** Address of the server: the given one, else PUBLIC_URL, or HOST and PORT; without `/api`. @throws Failure validation_error */
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
  // Users paste the base of the API, or the endpoint of agents.
  return address.replace(/(?<!\/)\/+$/, "").replace(/(?:\/api)?(?:\/mcp)?$/, "");
}
