import { registries } from "../../../domain/packages.ts";
import { certificatesOf, placesOf, proxyOf, readAddress, routeOf } from "./program.ts";
import type { ConfiguredProgram, ReadText, Variables } from "./program.ts";

/** What of pip's configuration is read; `file` is a text, the others come before what that says. */
export interface PipConfiguration {
  readonly indexUrl: string;
  /** Separated by spaces. */
  readonly extraIndexUrls: string;
  readonly file: string;
}

/** pip: https://pip.pypa.io/en/stable/topics/configuration/. @throws Error for a setting that is wrong */
export function pipProgram(
  { indexUrl, extraIndexUrls, file }: PipConfiguration,
  netrc: (host: string) => string | null,
  env: Variables,
  read: ReadText,
): ConfiguredProgram {
  const sections = readSections(file);
  // A variable comes before the file, in which the section of a command comes before what counts for all.
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
      "An index of pip's configuration is no http or https address. Give one such as https://pypi.example.com/simple/.",
    );
  });

  function authorizationFor(place: string, url: URL): string | null {
    const { origin } = new URL(place);
    const own = origin === url.origin ? indexes.find((index) => index.url === place)?.authorization : undefined;
    return own ?? netrc(url.hostname);
  }

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

/** Values by section, as Python's configparser reads them: a value may go on in lines that are indented. */
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
