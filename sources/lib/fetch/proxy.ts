import { portOf } from "./guard.ts";

/** The proxies for http and https addresses. */
export interface ProxySettings {
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Hosts that are reached directly, separated by commas or spaces. */
  readonly except: string;
}

/** Reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY; lower-case names take precedence, as in curl. Empty values count as absent. */
export function readProxySettings(env: Readonly<Record<string, string | undefined>>): ProxySettings {
  return {
    http: env["http_proxy"] || env["HTTP_PROXY"] || undefined,
    https: env["https_proxy"] || env["HTTPS_PROXY"] || undefined,
    except: env["no_proxy"] || env["NO_PROXY"] || "",
  };
}

/**
 * Creates the function that chooses the proxy for a URL; undefined: a direct connection. An entry of `except` is a host with its
 * subdomains, with or without a leading `.` or `*.`, optionally with `:port`; `*` is every host.
 * @throws Error if the address of a proxy is not an http or https URL
 */
export function createProxyChooser(settings: ProxySettings): (url: URL) => URL | undefined {
  const proxies = {
    "http:": parseProxy("HTTP_PROXY", settings.http),
    "https:": parseProxy("HTTPS_PROXY", settings.https),
  };
  const exceptions = settings.except
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map((entry) => entry.replace(/^\*?\./, ""));
  return (url) => {
    const proxy = url.protocol === "http:" || url.protocol === "https:" ? proxies[url.protocol] : undefined;
    if (proxy === undefined) return undefined;
    const hosts = [url.hostname, `${url.hostname}:${portOf(url)}`];
    const covers = (entry: string): boolean => hosts.some((host) => host === entry || host.endsWith(`.${entry}`));
    return exceptions.some((entry) => entry === "*" || covers(entry)) ? undefined : proxy;
  };
}

function parseProxy(name: string, text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  // As in curl, a bare host:port is an http proxy.
  const address = text.includes("://") ? text : `http://${text}`;
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error(`${name} is not the address of a proxy. Give one such as http://proxy.example.com:3128.`);
  return url;
}
