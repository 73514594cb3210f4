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

/** The configuration of the programs that install packages; "" for what there is not. */
export interface RegistryConfiguration {
  readonly npm: NpmConfiguration;
  readonly pip: PipConfiguration;
  readonly cargo: { readonly home: string };
  readonly go: GoConfiguration;
  /** A .netrc, as a text: pip and go show what it has. */
  readonly netrc: string;
}

/**
 * The registries that configurations name. `env` has variables of the programs, and what files refer to. A configuration that cannot be used
 * is told to whoever asks for a package of its registry: the server serves what else it has.
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

/** A program as it is configured; one that reads nothing, and says what is wrong, where its configuration cannot be used. */
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
