import type { RegistryPlace, RegistryRoute } from "../../../domain/packages.ts";

/** Variables of the process. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Reads a file of the server's operator; "" where there is none. */
export type ReadText = (path: string) => string;

/** What the program that installs packages of a registry is configured for. */
export interface ConfiguredProgram {
  /** The registries that may have a package, in the order in which the program asks them; a sentence that says why there is none. */
  placesOf(name: string): readonly RegistryPlace[] | string;
  /** Value of the Authorization header for a request to `url` that is made for the registry at `place`; null: none. */
  authorizationFor(place: string, url: URL): string | null;
  readonly route: RegistryRoute;
}

/** The value of an Authorization header for a user. */
export function basicOf(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** An address of a registry as configurations write it, and what its user name and password are for a header. */
export interface WrittenAddress {
  /** With a slash at its end, without what else it has. */
  readonly url: string;
  readonly authorization: string | null;
}

/** Reads the address of a registry; undefined for what is none. */
export function readAddress(text: string): WrittenAddress | undefined {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  url.username = url.password = url.search = url.hash = "";
  const authorization = user === "" && password === "" ? null : basicOf(user, password);
  return { url: url.href.endsWith("/") ? url.href : `${url.href}/`, authorization };
}

/** Registries in their order, each once, that are restricted where there is something to show them. */
export function placesOf(
  urls: readonly string[],
  authorizationFor: ConfiguredProgram["authorizationFor"],
): readonly RegistryPlace[] {
  return [...new Set(urls)].map((url) => ({ url, restricted: authorizationFor(url, new URL(url)) !== null }));
}

/**
 * The proxy that a configuration names for all hosts but `except`, which are separated by commas; undefined where it names none.
 * @throws Error that says which setting, `name`, is wrong
 */
export function proxyOf(name: string, text: string, except: string): RegistryRoute["proxies"] {
  if (text === "") return undefined;
  const address = text.includes("://") ? text : `http://${text}`;
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ""))
    throw new Error(`${name} is no address of an http or https proxy. Give one such as http://proxy.example.com:3128.`);
  return { http: address, https: address, except };
}

/** The certificates of a file, as PEM. @throws Error that says which setting, `name`, is wrong */
export function certificatesOf(name: string, path: string, read: ReadText): string | undefined {
  if (path === "") return undefined;
  const text = read(path);
  if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
  throw new Error(`${name} names ${path}, which is no file with certificates in PEM.`);
}

/** A route of what is configured, without what is not. */
export function routeOf(proxies: RegistryRoute["proxies"], ca: string | undefined): RegistryRoute {
  return { ...(proxies && { proxies }), ...(ca !== undefined && { ca }) };
}
