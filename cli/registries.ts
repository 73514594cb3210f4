import { readFileSync } from "node:fs";
import type { Config } from "../config.ts";
import type { RegistryAccess } from "../domain/packages.ts";
import { registryAccess } from "../sources/package/configuration.ts";

/** The registries that packages are read from, as the configuration of npm on this machine says. */
export function readRegistries(config: Pick<Config, "npmRegistry" | "npmUserConfig">): RegistryAccess {
  return registryAccess({ npm: { registry: config.npmRegistry, npmrc: textOf(config.npmUserConfig) } }, process.env);
}

/** A file's text; "" where there is none. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
