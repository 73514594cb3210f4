import type { RegistryPlace, RegistryRoute } from "../../../domain/packages.ts";

/** Environment variables of the process. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Reads a configuration file; "" if it does not exist. */
export type ReadText = (path: string) => string;

/** The value of an Authorization header for a host, by a .netrc; null: none. */
export type Netrc = (host: string) => string | null;

/** The configuration of a package manager. */
export interface ConfiguredProgram {
  /** The registries that may have a package, in the order of the program; a string is the error message if none is configured. */
  placesOf(name: string): readonly RegistryPlace[] | string;
  /** Value of the Authorization header for a request to `url` that is made for the registry at `place`; null: none. */
  authorizationFor(place: string, url: URL): string | null;
  readonly route: RegistryRoute;
}

/** The value of an Authorization header with a user name and password. */
export function basicOf(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** The address of a registry, split into the URL and the credentials in it. */
export interface WrittenAddress {
  /** With a trailing slash, without credentials, query and fragment. */
  readonly url: string;
  /** Value of an Authorization header; null: the address has no credentials. */
  readonly authorization: string | null;
}

/** Reads the address of a registry; undefined unless it is http or https. */
export function readAddress(text: string): WrittenAddress | undefined {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const [user, password] = [decoded(url.username), decoded(url.password)];
  url.username = url.password = url.search = url.hash = "";
  const authorization = user === "" && password === "" ? null : basicOf(user, password);
  return { url: url.href.endsWith("/") ? url.href : `${url.href}/`, authorization };
}

/** A decoded part of an address; a part that has a `%` of its own is as it is written. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}

/** The credentials in the address of a registry for requests to its own origin, else those of a .netrc. */
export function authorizationIn(
  addresses: readonly WrittenAddress[],
  netrc: Netrc,
): ConfiguredProgram["authorizationFor"] {
  return (place, url) => {
    const isOwn = new URL(place).origin === url.origin;
    const own = isOwn ? addresses.find((address) => address.url === place)?.authorization : undefined;
    return own ?? netrc(url.hostname);
  };
}

/** Registries in their order, each once; those with credentials are restricted. */
export function placesOf(
  urls: readonly string[],
  authorizationFor: ConfiguredProgram["authorizationFor"],
): readonly RegistryPlace[] {
  return [...new Set(urls)].map((url) => ({ url, restricted: authorizationFor(url, new URL(url)) !== null }));
}

/**
 * The proxy of the setting `name` for all hosts but `except`, which are separated by commas; undefined if it is empty.
 * @throws Error that names a wrong setting
 */
export function proxyOf(name: string, text: string, except: string): RegistryRoute["proxies"] {
  if (text === "") return undefined;
  const address = text.includes("://") ? text : `http://${text}`;
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ""))
    throw new Error(`${name} is not the address of a proxy. Give one such as http://proxy.example.com:3128.`);
  return { http: address, https: address, except };
}

/** The certificates in a file, as PEM. @throws Error with the name of a wrong setting */
export function certificatesOf(name: string, path: string, read: ReadText): string | undefined {
  if (path === "") return undefined;
  const text = read(path);
  if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
  throw new Error(`${name} names ${path}, which is not a file with certificates in PEM.`);
}

/** The route for configured proxies and certificates. */
export function routeOf(proxies: RegistryRoute["proxies"], ca: string | undefined): RegistryRoute {
  return { ...(proxies && { proxies }), ...(ca !== undefined && { ca }) };
}
