import { registries } from "../../domain/packages.ts";
import type { RegistryAccess, RegistryName, RegistryPlace } from "../../domain/packages.ts";

/** The configuration of the programs that install packages, as their files and variables have it; "" for what there is not. */
export interface RegistryConfiguration {
  readonly npm: { readonly registry: string; readonly npmrc: string };
}

/** One kind of registry, as its program is configured. */
interface Configured {
  placeOf(name: string): string;
  authorizationFor(url: string): string | null;
}

/** The registries that configurations name. `env` has what files refer to. */
export function registryAccess(
  { npm }: RegistryConfiguration,
  env: Readonly<Record<string, string | undefined>>,
): RegistryAccess {
  const configured: Readonly<Partial<Record<RegistryName, Configured>>> = { npm: npmConfigured(npm, env) };
  const authorizationFor = (registry: RegistryName, url: string): string | null =>
    configured[registry]?.authorizationFor(url) ?? null;
  return {
    placeOf(registry, name): RegistryPlace {
      const url = configured[registry]?.placeOf(name) ?? registries[registry].url;
      return { url, restricted: authorizationFor(registry, url) !== null };
    },
    authorizationFor,
  };
}

/** npm: https://docs.npmjs.com/cli/configuring-npm/npmrc */
function npmConfigured(
  { registry, npmrc }: RegistryConfiguration["npm"],
  env: Readonly<Record<string, string | undefined>>,
): Configured {
  const { "": values = new Map<string, string>() } = parseIni(npmrc, env);
  const standard = addressOf(registry || (values.get("registry") ?? "")) ?? registries.npm.url;
  return {
    placeOf(name) {
      const scope = /^(@[^/]+)\//.exec(name)?.[1];
      return addressOf((scope && values.get(`${scope}:registry`)) ?? "") ?? standard;
    },
    authorizationFor(url) {
      // As npm looks for it: at the address, then at each folder above.
      const { host, pathname } = new URL(url);
      for (let path = pathname; ; path = path.replace(/[^/]*\/?$/, "")) {
        const of = (name: string): string | undefined =>
          values.get(`//${host}${path}:${name}`) || values.get(`//${host}${path.replace(/\/$/, "")}:${name}`);
        const [token, basic, user, password] = [of("_authToken"), of("_auth"), of("username"), of("_password")];
        if (token !== undefined) return `Bearer ${token}`;
        if (basic !== undefined) return `Basic ${basic}`;
        if (user !== undefined && password !== undefined)
          return basicOf(user, Buffer.from(password, "base64").toString("utf8"));
        if (path === "/") return null;
      }
    },
  };
}

/** The value of an Authorization header for a user. */
function basicOf(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** The address of a registry with a slash at its end, without what else it has; undefined for anything else. */
function addressOf(text: string): string | undefined {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  url.username = url.password = url.search = url.hash = "";
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}

/** Values of an INI file by section; "" is before the first. `${NAME}` is what the environment has. */
function parseIni(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, ReadonlyMap<string, string>>> {
  const sections: Record<string, Map<string, string>> = { "": new Map() };
  let section = "";
  for (const line of text.split(/\r?\n/)) {
    const written = line.trim();
    if (written === "" || /^[#;]/.test(written)) continue;
    if (written.startsWith("[") && written.endsWith("]")) {
      section = written.slice(1, -1).trim();
      sections[section] ??= new Map();
      continue;
    }
    const at = written.indexOf("=");
    if (at < 0) continue;
    const value = written
      .slice(at + 1)
      .trim()
      .replace(/^(["'])(.*)\1$/, "$2")
      .replace(/\$\{(\w{1,100})\}/g, (whole, name: string) => env[name] ?? whole);
    sections[section]?.set(written.slice(0, at).trim(), value);
  }
  return sections;
}
