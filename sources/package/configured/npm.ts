import { registries } from "../../../domain/packages.ts";
import {
  basicOf,
  certificatesOf,
  placesOf,
  proxyOf,
  readAddress,
  routeOf,
  type ConfiguredProgram,
  type ReadText,
  type Variables,
} from "./program.ts";
import { parse } from "ini";

/** The configuration of npm. */
export interface NpmConfiguration {
  /** Overrides the registry in `npmrc`. */
  readonly registry: string;
  /** Content of the file. */
  readonly npmrc: string;
}

/** npm: https://docs.npmjs.com/cli/configuring-npm/npmrc. @throws Error for a wrong setting */
export function npmProgram({ registry, npmrc }: NpmConfiguration, env: Variables, read: ReadText): ConfiguredProgram {
  const values = valuesOf(npmrc, env);
  const textOf = (name: string): string => values.get(name)?.[0] ?? "";
  const standard = readAddress(registry || textOf("registry"))?.url ?? registries.npm.url;

  function authorizationFor(place: string, url: URL): string | null {
    const own = new URL(place);
    return credentialAt(textOf, url) ?? (own.origin === url.origin ? credentialAt(textOf, own) : null);
  }

  const proxy = textOf("https-proxy") || textOf("proxy");
  // npm writes these if there is no proxy.
  const hasProxy = !["null", "false", "undefined"].includes(proxy);
  const except = values.get("noproxy")?.join(",") ?? env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  const inline = values.get("ca")?.filter((text) => text !== "") ?? [];
  return {
    placesOf(name) {
      const scope = /^(@[^/]+)\//.exec(name)?.[1];
      // npm asks one registry only, even if that does not have the package.
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
