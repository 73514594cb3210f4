import { parse } from "ini";
import { registries } from "../../../domain/packages.ts";
import { objectOf } from "../../../extract/json.ts";
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
  const { install, global } = parse(toIni(file));
  const sections = [install, global].map(objectOf);
  // A variable overrides the file, in which the section of a command overrides the global one.
  const textOf = (name: string): string =>
    env[`PIP_${name.toUpperCase().replaceAll("-", "_")}`] ||
    (sections.map((section) => section[name]).find((value) => typeof value === "string") ?? "");
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

/** A file of Python's configparser for the parser of npm's: in Python indented lines continue a value, and nothing in a value is a comment. */
function toIni(text: string): string {
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*(?:[#;]|$)/.test(line));
  return lines
    .join("\n")
    .replace(/\n[ \t]+(?=\S)(?![\w-]{1,60}[ \t]*=)/g, " ")
    .replace(/^[ \t]*([\w-]{1,60})[ \t]*[:=](.*)$/gm, (_line, name: string, value: string) => {
      const plain = name.toLowerCase().replaceAll("_", "-");
      return `${plain}=${JSON.stringify(value.trim())}`;
    });
}
