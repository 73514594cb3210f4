import { Failure } from "../../../domain/failures.ts";
import type { RegistryAccess, RegistryName } from "../../../domain/packages.ts";
import { cargoProgram } from "./cargo.ts";
import { goProgram } from "./go.ts";
import type { GoConfiguration } from "./go.ts";
import { readNetrc } from "./netrc.ts";
import { npmProgram } from "./npm.ts";
import type { NpmConfiguration } from "./npm.ts";
import { pipProgram } from "./pip.ts";
import type { PipConfiguration } from "./pip.ts";
import type { ConfiguredProgram, ReadText, Variables } from "./program.ts";

/** The configuration of the package managers; "" for what is not configured. */
export interface RegistryConfiguration {
  readonly npm: NpmConfiguration;
  readonly pip: PipConfiguration;
  readonly cargo: { readonly home: string };
  readonly go: GoConfiguration;
  /** Content of the .netrc that pip and go use. */
  readonly netrc: string;
}

/**
 * The registries that the package managers are configured for. `env` has their variables, and those that their files refer to. A configuration
 * that is wrong fails the packages of its registry, not the start of the server.
 */
export function registryAccess(
  { npm, pip, cargo, go, netrc }: RegistryConfiguration,
  env: Variables,
  read: ReadText,
): RegistryAccess {
  const authorizationOf = readNetrc(netrc);
  const programs: Readonly<Record<RegistryName, ConfiguredProgram>> = {
    npm: usable(() => npmProgram(npm, env, read)),
    pypi: usable(() => pipProgram(pip, authorizationOf, env, read)),
    crates: usable(() => cargoProgram(cargo.home, env, read)),
    go: usable(() => goProgram(go, authorizationOf)),
  };
  return {
    placesOf: (registry, name) => programs[registry].placesOf(name),
    authorizationFor: (registry, place, url) => programs[registry].authorizationFor(place, url),
    routeOf: (registry) => programs[registry].route,
  };
}

/** The program, or where its configuration is wrong one without registries that says so. */
function usable(configured: () => ConfiguredProgram): ConfiguredProgram {
  try {
    return configured();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const refuse = (): never => {
      throw new Failure("source_refused", error.message, { cause: error });
    };
    return { placesOf: () => error.message, authorizationFor: refuse, route: {} };
  }
}
