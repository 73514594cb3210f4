import { registries } from "../../../domain/packages.ts";
import {
  authorizationIn,
  certificatesOf,
  placesOf,
  proxyOf,
  readAddress,
  routeOf,
  type ConfiguredProgram,
  type ReadText,
  type Variables,
  type Netrc,
} from "./program.ts";

/** The configuration of pip; both settings override the file. */
export interface PipConfiguration {
  readonly indexUrl: string;
  /** Separated by spaces. */
  readonly extraIndexUrls: string;
  /** Content of the file. */
  readonly file: string;
}

/** pip: https://pip.pypa.io/en/stable/topics/configuration/. @throws Error for a wrong setting */
export function pipProgram(
  { indexUrl, extraIndexUrls, file }: PipConfiguration,
  netrc: Netrc,
  env: Variables,
  read: ReadText,
): ConfiguredProgram {
  const sections = readSections(file);
  // A variable overrides the file, in which the section of a command overrides the global one.
  const textOf = (name: string): string =>
    env[`PIP_${name.toUpperCase().replaceAll("-", "_")}`] ||
    (sections.get("install")?.get(name) ?? sections.get("global")?.get(name) ?? "");
  const written = [
    indexUrl || textOf("index-url") || registries.pypi.url,
    ...(extraIndexUrls || textOf("extra-index-url")).split(/\s+/),
  ].filter((text) => text !== "");
  const indexes = written.map((text) => {
    const address = readAddress(text);
    if (address) return address;
    throw new Error(
      "An index of pip's configuration is not an http or https address. Give one such as https://pypi.example.com/simple/.",
    );
  });

  const authorizationFor = authorizationIn(indexes, netrc);
  return {
    placesOf: () =>
      placesOf(
        indexes.map(({ url }) => url),
        authorizationFor,
      ),
    authorizationFor,
    route: routeOf(
      proxyOf("The proxy of pip's configuration", textOf("proxy"), ""),
      certificatesOf("cert of pip's configuration", textOf("cert"), read),
    ),
  };
}

/** Values by section, as Python's configparser reads them: indented lines continue a value. */
function readSections(text: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let section = new Map<string, string>();
  let last = "";
  for (const line of text.split(/\r?\n/)) {
    const written = line.trim();
    if (written === "" || /^[#;]/.test(written)) continue;
    const [, name] = /^\[([^\]]+)\]$/.exec(written) ?? [];
    if (name !== undefined) {
      section = sections.get(name) ?? new Map<string, string>();
      sections.set(name, section);
      last = "";
    } else if (/^\s/.test(line) && last !== "") section.set(last, `${section.get(last) ?? ""}\n${written}`.trim());
    else {
      const at = written.search(/[=:]/);
      last = (at < 0 ? written : written.slice(0, at)).trim().toLowerCase().replaceAll("_", "-");
      section.set(last, at < 0 ? "" : written.slice(at + 1).trim());
    }
  }
  return sections;
}
