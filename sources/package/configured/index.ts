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
  const entries = new Map<string, { login: string; password: string }>();
  let entry: { login: string; password: string } | undefined;
  const words = text
    // A macro ends at the next empty line.
    .replace(/^[ \t]*macdef[^\n]*\n(?:[^\n]+\n)*/gm, "\n")
    .replace(/^[ \t]*#[^\n]*$/gm, "")
    .matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g);
  for (let word = words.next(); word.done !== true; word = words.next()) {
    const value = (): string => {
      const [, quoted, plain = ""] = words.next().value ?? [];
      return quoted === undefined ? plain : quoted.replace(/\\(.)/g, "$1");
    };
    const name = word.value[2];
    if (name === "default") entry = undefined;
    else if (name === "machine") {
      entry = { login: "", password: "" };
      const host = value().toLowerCase();
      // The first entry of a host counts, as in other readers.
      if (!entries.has(host)) entries.set(host, entry);
    } else if (name === "login" || name === "password") {
      const given = value();
      if (entry) entry[name] = given;
    } else if (name === "account") value();
  }
  return (host) => {
    const { login = "", password = "" } = entries.get(host.toLowerCase()) ?? {};
    return login === "" && password === "" ? null : basicOf(login, password);
  };
}
