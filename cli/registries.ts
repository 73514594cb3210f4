import { readFileSync } from "node:fs";
import type { Config } from "./config.ts";
import type { RegistryAccess } from "../domain/packages.ts";
import { registryAccess } from "../sources/package/configured/index.ts";

/** The registries of packages, by the configuration of npm, pip, cargo and go on this machine. */
export function readRegistries(config: Config): RegistryAccess {
  const configuration = {
    npm: { registry: config.npmRegistry, npmrc: textOf(config.npmUserConfig) },
    pip: {
      indexUrl: config.pipIndexUrl,
      extraIndexUrls: config.pipExtraIndexUrl,
      file: textOf(config.pipConfigFile),
    },
    cargo: { home: config.cargoHome },
    go: {
      proxies: config.goProxy,
      isPrivate: config.goPrivate,
      isKept: config.goNoProxy,
      file: textOf(config.goEnv),
    },
    netrc: textOf(config.netrc),
  };
  return registryAccess(configuration, process.env, textOf);
}

/** The text of a file; "" for a missing one. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR"].includes(String(error.code))) return "";
    throw error;
  }
}
