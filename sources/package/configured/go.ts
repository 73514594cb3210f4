import picomatch from "picomatch";
import { registries } from "../../../domain/packages.ts";
import type { RegistryPlace } from "../../../domain/packages.ts";
import { readAddress } from "./program.ts";
import type { ConfiguredProgram, WrittenAddress } from "./program.ts";

/** What of Go's configuration is read; `file` is that of `go env -w`, as a text, and the others come before what it says. */
export interface GoConfiguration {
  readonly proxies: string;
  readonly isPrivate: string;
  readonly isKept: string;
  readonly file: string;
}

/** The go command: https://go.dev/ref/mod#environment-variables. @throws Error for a setting that is wrong */
export function goProgram(
  { proxies: list, isPrivate, isKept: kept, file }: GoConfiguration,
  netrc: (host: string) => string | null,
): ConfiguredProgram {
  const values = new Map(
    file.split(/\r?\n/).flatMap((line) => {
      const at = line.indexOf("=");
      return at > 0 && !line.startsWith("#") ? [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const] : [];
    }),
  );
  const textOf = (name: string): string => values.get(name) ?? "";
  const proxies = readProxies(list || textOf("GOPROXY") || registries.go.url);
  const isKept = patternsOf(kept || textOf("GONOPROXY") || isPrivate || textOf("GOPRIVATE"));

  function authorizationFor(place: string, url: URL): string | null {
    const isOwn = new URL(place).origin === url.origin;
    const own = isOwn ? proxies.find((proxy) => proxy.url === place)?.authorization : undefined;
    return own ?? netrc(url.hostname);
  }

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

/** The proxies of a list; `direct` and `off` end it, as nothing but proxies is read. */
function readProxies(list: string) {
  const found: (WrittenAddress & { readonly orElse: string })[] = [];
  for (const [, written = "", orElse = ""] of list.matchAll(/([^,|]+)([,|]?)/g)) {
    const text = written.trim();
    if (text === "direct" || text === "off") break;
    const address = readAddress(text);
    if (!address)
      throw new Error("A proxy of GOPROXY is no http or https address. Give one such as https://goproxy.example.com.");
    if (found.every(({ url }) => url !== address.url)) found.push({ ...address, orElse });
  }
  return found;
}

/** Whether a module, or a folder above it, is one of the patterns: https://pkg.go.dev/path#Match */
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
