import type { Config } from "./config.ts";
import { Failure } from "../domain/failures.ts";
import { isWebUrl } from "./config/formats.ts";

type Addressed = Pick<Config, "publicUrl" | "host" | "port">;

/** Address of the server by the settings: PUBLIC_URL, or HOST and PORT. */
export function ownAddress({ publicUrl, host, port }: Addressed): string {
  return publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Address of the server: the given one, else that of the settings; without `/api`. @throws Failure validation_error */
export function serverAddress(config: Addressed, given?: string): string {
  if (given !== undefined && !isWebUrl(given))
    throw new Failure(
      "validation_error",
      "--url takes an absolute http(s) address without credentials, query and fragment.",
    );
  const address = given ?? ownAddress(config);
  // Users paste the base of the API, or the endpoint of agents.
  return address.replace(/(?<!\/)\/+$/, "").replace(/(?:\/api)?(?:\/mcp)?$/, "");
}
