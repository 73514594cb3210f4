import { Failure } from "../../../domain/failures.ts";
import { registries } from "../../../domain/packages.ts";
import type { RegistryAccess, RegistryName, RegistryPlace } from "../../../domain/packages.ts";
import { cargoProgram } from "./cargo.ts";
import { basicOf, authorizationIn, certificatesOf, placesOf, proxyOf, readAddress, routeOf } from "./program.ts";
import type { ConfiguredProgram, ReadText, Variables, Netrc, WrittenAddress } from "./program.ts";
import picomatch from "picomatch";
import { parse } from "ini";

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

/**
 * Reads the content of a .netrc. Its entry `default` is ignored, as it would show one password to every registry.
 * https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html
 */
function readNetrc(text: string): Netrc {
  const found = new Map<string, { login: string; password: string }>();
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
      if (!found.has(host)) found.set(host, entry);
    } else if (name === "login" || name === "password") {
      const given = value();
      if (entry) entry[name] = given;
    } else if (name === "account") value();
  }
  return (host) => {
    const { login = "", password = "" } = found.get(host.toLowerCase()) ?? {};
    return login === "" && password === "" ? null : basicOf(login, password);
  };
}

/** The configuration of pip; both settings override the file. */
interface PipConfiguration {
  readonly indexUrl: string;
  /** Separated by spaces. */
  readonly extraIndexUrls: string;
  /** Content of the file. */
  readonly file: string;
}

/** pip: https://pip.pypa.io/en/stable/topics/configuration/. @throws Error for a setting that is wrong */
function pipProgram(
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

/** The configuration of the go command: GOPROXY, GOPRIVATE and GONOPROXY, which override the file. */
interface GoConfiguration {
  readonly proxies: string;
  readonly isPrivate: string;
  readonly isKept: string;
  /** Content of the file that `go env -w` writes. */
  readonly file: string;
}

/** The go command: https://go.dev/ref/mod#environment-variables. @throws Error for a setting that is wrong */
function goProgram({ proxies: list, isPrivate, isKept: kept, file }: GoConfiguration, netrc: Netrc): ConfiguredProgram {
  const values = new Map(
    file.split(/\r?\n/).flatMap((line) => {
      const at = line.indexOf("=");
      return at > 0 && !line.startsWith("#") ? [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const] : [];
    }),
  );
  const textOf = (name: string): string => values.get(name) ?? "";
  const proxies = readProxies(list || textOf("GOPROXY") || registries.go.url);
  const isKept = patternsOf(kept || textOf("GONOPROXY") || isPrivate || textOf("GOPRIVATE"));

  const authorizationFor = authorizationIn(proxies, netrc);
  const places = proxies.map(({ url, orElse }): RegistryPlace => {
    const restricted = authorizationFor(url, new URL(url)) !== null;
    return { url, restricted, ...(orElse === "|" && { orElse: "failing" }) };
  });
  return {
    placesOf(name) {
      if (isKept(name)) return `GONOPROXY or GOPRIVATE keeps ${name} from every proxy. Submit its repository.`;
      return places.length > 0 ? places : "GOPROXY names no proxy. Submit the repository of the module.";
    },
    authorizationFor,
    route: {},
  };
}

/** The proxies of a list up to `direct` or `off`, as modules are read from proxies only. */
function readProxies(list: string) {
  const found: (WrittenAddress & { readonly orElse: string })[] = [];
  for (const [, written = "", orElse = ""] of list.matchAll(/([^,|]+)([,|]?)/g)) {
    const text = written.trim();
    if (text === "direct" || text === "off") break;
    const address = readAddress(text);
    if (!address)
      throw new Error(
        "A proxy of GOPROXY is not an http or https address. Give one such as https://goproxy.example.com.",
      );
    if (found.every(({ url }) => url !== address.url)) found.push({ ...address, orElse });
  }
  return found;
}

/** Makes the test whether a module, or a folder above it, matches one of the patterns: https://pkg.go.dev/path#Match */
function patternsOf(list: string): (name: string) => boolean {
  const patterns = list
    .split(",")
    .map((pattern) => pattern.trim().replace(/\/$/, ""))
    .filter((pattern) => pattern !== "" && pattern !== "none")
    .map((pattern) => ({
      depth: pattern.split("/").length,
      matches: picomatch(pattern, { dot: true, nobrace: true, noextglob: true, noglobstar: true, nonegate: true }),
    }));
  return (name) => {
    const segments = name.split("/");
    return patterns.some(
      ({ depth, matches }) => segments.length >= depth && matches(segments.slice(0, depth).join("/")),
    );
  };
}

/** The configuration of npm. */
interface NpmConfiguration {
  /** Overrides the registry in `npmrc`. */
  readonly registry: string;
  /** Content of the file. */
  readonly npmrc: string;
}

/** npm: https://docs.npmjs.com/cli/configuring-npm/npmrc. @throws Error for a setting that is wrong */
function npmProgram({ registry, npmrc }: NpmConfiguration, env: Variables, read: ReadText): ConfiguredProgram {
  const values = valuesOf(npmrc, env);
  const textOf = (name: string): string => values.get(name)?.[0] ?? "";
  const standard = readAddress(registry || textOf("registry"))?.url ?? registries.npm.url;

  function authorizationFor(place: string, url: URL): string | null {
    const own = new URL(place);
    return credentialAt(textOf, url) ?? (own.origin === url.origin ? credentialAt(textOf, own) : null);
  }

  const proxy = textOf("https-proxy") || textOf("proxy");
  // npm writes these where there is no proxy.
  const hasProxy = !["null", "false", "undefined"].includes(proxy);
  const except = values.get("noproxy")?.join(",") ?? env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  const inline = values.get("ca")?.filter((text) => text !== "") ?? [];
  return {
    placesOf(name) {
      const scope = /^(@[^/]+)\//.exec(name)?.[1];
      // npm asks one registry only, even where that does not have the package.
      const scoped = scope === undefined ? undefined : readAddress(textOf(`${scope}:registry`))?.url;
      return placesOf([scoped ?? standard], authorizationFor);
    },
    authorizationFor,
    route: routeOf(
      proxyOf("The proxy of npm's configuration", hasProxy ? proxy : "", except),
      certificatesOf("cafile of npm's configuration", textOf("cafile"), read) ??
        (inline.length > 0 ? inline.join("\n") : undefined),
    ),
  };
}

/** The credential that is configured for an address, or for the nearest folder above it. */
function credentialAt(textOf: (name: string) => string, { host, pathname }: URL): string | null {
  for (let path = pathname; ; path = path.slice(0, path.lastIndexOf("/", path.length - 2) + 1)) {
    const of = (name: string): string =>
      textOf(`//${host}${path}:${name}`) || textOf(`//${host}${path.replace(/\/$/, "")}:${name}`);
    const [token, basic, user, password] = [of("_authToken"), of("_auth"), of("username"), of("_password")];
    if (token !== "") return `Bearer ${token}`;
    if (basic !== "") return `Basic ${basic}`;
    if (user !== "" && password !== "") return basicOf(user, Buffer.from(password, "base64").toString("utf8"));
    if (path === "/") return null;
  }
}

/** Settings by name: variables `npm_config_…` override the file, in which `${NAME}` is filled in from the environment. */
function valuesOf(npmrc: string, env: Variables): ReadonlyMap<string, readonly string[]> {
  const filled = (text: string): string =>
    text.replace(/\$\{(\w{1,100})(\??)\}/g, (whole, name: string, optional: string) =>
      optional === "" ? (env[name] ?? whole) : (env[name] ?? ""),
    );
  const values = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(parse(npmrc)))
    values.set(
      filled(name),
      (Array.isArray(value) ? (value as unknown[]) : [value]).map((one) => filled(String(one))),
    );
  for (const [variable, value = ""] of Object.entries(env)) {
    const [, name = ""] = /^npm_config_(.+)$/i.exec(variable) ?? [];
    if (name === "" || value === "") continue;
    // Settings of one address keep their case.
    values.set(name.startsWith("//") ? name : name.replace(/(?!^)_/g, "-").toLowerCase(), [value]);
  }
  return values;
}
