import { registries, type RegistryPlace } from "../../../domain/packages.ts";
import { authorizationIn, readAddress, type ConfiguredProgram, type Netrc, type WrittenAddress } from "./program.ts";
import picomatch from "picomatch";

/** The configuration of the go command: GOPROXY, GOPRIVATE and GONOPROXY, which override the file. */
export interface GoConfiguration {
  readonly proxies: string;
  readonly isPrivate: string;
  readonly isKept: string;
  /** Content of the file that `go env -w` writes. */
  readonly file: string;
}

/** The go command: https://go.dev/ref/mod#environment-variables. @throws Error for a wrong setting */
export function goProgram(
  { proxies: list, isPrivate, isKept: kept, file }: GoConfiguration,
  netrc: Netrc,
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

/** The proxies of a list up to `direct` or `off`: modules are read from proxies only. */
function readProxies(list: string) {
  const proxies: (WrittenAddress & { readonly orElse: string })[] = [];
  for (const [, written = "", orElse = ""] of list.matchAll(/([^,|]+)([,|]?)/g)) {
    const text = written.trim();
    if (text === "direct" || text === "off") break;
    const address = readAddress(text);
    if (!address)
      throw new Error(
        "A proxy of GOPROXY is not an http or https address. Give one such as https://goproxy.example.com.",
      );
    if (proxies.every(({ url }) => url !== address.url)) proxies.push({ ...address, orElse });
  }
  return proxies;
}

/** Returns the test whether a module, or a folder above it, matches one of the patterns: https://pkg.go.dev/path#Match */
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
