import { Failure } from "../../../domain/failures.ts";
import type { RegistryAccess, RegistryName } from "../../../domain/packages.ts";
import { cargoProgram } from "./cargo.ts";
import { basicOf, type ConfiguredProgram, type ReadText, type Variables, type Netrc } from "./program.ts";
import { npmProgram, type NpmConfiguration } from "./npm.ts";
import { goProgram, type GoConfiguration } from "./go.ts";
import { pipProgram, type PipConfiguration } from "./pip.ts";

/** The configuration of the package managers; "" for settings that are not configured. */
export interface RegistryConfiguration {
  readonly npm: NpmConfiguration;
  readonly pip: PipConfiguration;
  readonly cargo: { readonly home: string };
  readonly go: GoConfiguration;
  /** Content of the .netrc that pip and go use. */
  readonly netrc: string;
}

/**
 * The registries that the package managers are configured for. `env` has their variables, and those that their files refer to. A wrong
 * configuration fails the packages of its registry, not the start of the server.
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

/** The program; if its configuration is wrong, one without registries that says so. */
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

/**
 * Reads the content of a .netrc. Its entry `default` is ignored, as it would show one password to every registry.
 * https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html
 */
function readNetrc(text: string): Netrc {
  const written = text.replace(/^[ \t]*#[^\n]*$/gm, "").matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g);
  const words = [...written].map(([, quoted, plain = ""]) => quoted?.replace(/\\(.)/g, "$1") ?? plain);
  const entries: Record<string, string>[] = [];
  // Names and values take turns; `default` has no value.
  for (let at = 0; at < words.length; at += words[at] === "default" ? 1 : 2) {
    const [name = "", value = ""] = words.slice(at, at + 2);
    if (name === "machine" || name === "default") entries.push({ [name]: value });
    else Object.assign(entries.at(-1) ?? {}, { [name]: value });
  }
  return (host) => {
    // The first entry of a host counts, as in other readers.
    const entry = entries.find(({ machine }) => machine?.toLowerCase() === host.toLowerCase());
    const { login = "", password = "" } = entry ?? {};
    return login === "" && password === "" ? null : basicOf(login, password);
  };
}
