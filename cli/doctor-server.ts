import type { Config } from "./config.ts";
import { Failure } from "../domain/failures.ts";
import { createServerClient } from "./client.ts";
import type { ServerClient } from "./client.ts";
import { ok, warning, wrong } from "./findings.ts";
import type { Finding } from "./findings.ts";
import { programVersion } from "./version.ts";

/** Clock tolerance, in seconds. */
const maxSkew = 60;

/** Checks that the server of the commands answers, is ready, has this version, accepts the key, and has the same time. */
export async function checkServer(config: Config): Promise<readonly Finding[]> {
  const client = createServerClient(config);
  try {
    const { version } = await client.json("GET", "/health");
    return [
      version === programVersion
        ? ok("server", `${client.base} answers.`)
        : warning("server", `${client.base} is Lectern ${String(version)}, and this is ${programVersion}.`),
      ...(await readiness(client)),
      await clock(client),
      await key(client, config),
    ];
  } catch (error) {
    if (error instanceof Failure) return [wrong("server", error.message)];
    throw error;
  }
}

async function readiness(client: ServerClient): Promise<readonly Finding[]> {
  try {
    const { warnings = [] } = (await client.json("GET", "/ready")) as { readonly warnings?: readonly string[] };
    return warnings.length > 0 ? warnings.map((text) => warning("readiness", text)) : [ok("readiness", "It is ready.")];
  } catch (error) {
    if (error instanceof Failure) return [wrong("readiness", error.message)];
    throw error;
  }
}

async function clock({ base }: ServerClient): Promise<Finding> {
  const { headers } = await fetch(`${base}/health`);
  const seconds = Math.round((Date.now() - Date.parse(headers.get("date") ?? "")) / 1000);
  if (Math.abs(seconds) <= maxSkew) return ok("clock", "It agrees with the server's.");
  if (Number.isNaN(seconds)) return warning("clock", "The server does not say its time.");
  const by = `${Math.abs(seconds)} seconds ${seconds > 0 ? "ahead of" : "behind"}`;
  return wrong(
    "clock",
    `This machine's clock is ${by} the server's. Set both by NTP: keys expire, and TLS fails, by the clock.`,
  );
}

async function key(client: ServerClient, { adminKey }: Config): Promise<Finding> {
  if (adminKey === null)
    return warning(
      "key",
      "LECTERN_ADMIN_KEY is not set: without it commands only ask and search. The first start printed it.",
    );
  try {
    await client.json("GET", "/v2/keys");
    return ok("key", "The server takes it, and it may administer.");
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.code === "forbidden"
      ? warning("key", "The server takes it; it may not administer.")
      : wrong("key", error.message);
  }
}
