import type { Config } from "../config.ts";
import { defaults, type Environment } from "./reading.ts";

/** The settings of commands that call a server. */
export type ClientConfig = Pick<Config, "publicUrl" | "host" | "port" | "adminKey" | "gitToken">;

/** Variables with our prefix that a client reads, or leaves to others. */
const known = new Set(["LECTERN_ADMIN_KEY", "LECTERN_API_KEY", "LECTERN_GIT_TOKEN"]);

/**
 * Reads the settings of a client. Unusual ones are left to the table of all settings, which says what is wrong; otherwise it is not
 * loaded, as that takes longer than a command. @throws ConfigError
 */
export async function loadClientConfig(env: Environment): Promise<ClientConfig> {
  const text = (name: string, otherwise = ""): string => env[name]?.trim() || otherwise;
  const host = text("HOST", defaults.host);
  const port = text("PORT", defaults.port);
  const publicUrl = text("PUBLIC_URL");
  const adminKey = text("LECTERN_ADMIN_KEY");
  const isUsual =
    Object.keys(env).every((name) => !/^LECTERN_/i.test(name) || known.has(name)) &&
    /^\w(?:[\w.-]*\w)?$/.test(host) &&
    /^\d{1,4}$/.test(port) &&
    (publicUrl === "" || (/^https?:/.test(publicUrl) && URL.parse(publicUrl)?.origin === publicUrl)) &&
    (adminKey === "" || /^[\w.~+/=-]{20,200}$/.test(adminKey));
  if (!isUsual) return (await import("../config.ts")).loadConfig(env);
  return {
    host,
    port: Number(port),
    publicUrl: publicUrl || null,
    adminKey: adminKey || null,
    gitToken: text("LECTERN_GIT_TOKEN") || null,
  };
}
