import { lookup as lookupAddress } from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { Failure } from "../../../domain/failures.ts";

/** Decides which addresses may be fetched. */
export interface Guard {
  /**
   * Checks the URL itself: scheme, credentials, port, and the host if it is an IP address.
   * @throws Failure validation_error or address_not_allowed
   */
  checkUrl(url: URL): void;
  /** Checks an address as `checkUrl` does, or one of SSH, which may have a user name. @throws Failure as `checkUrl` */
  checkAddress(url: URL): void;
  /**
   * Checks the address, of http or SSH, and every address that its host resolves to; a connection has to go to one of these.
   * @throws Failure validation_error, address_not_allowed or source_unreachable; the signal's reason when aborted
   */
  resolve(url: URL, signal?: AbortSignal): Promise<readonly HostAddress[]>;
  /**
   * Checks that a token may be sent to a URL: over https, or to a host that FETCH_ALLOW names or contains the addresses of.
   * @throws Failure address_not_allowed; the signal's reason when aborted
   */
  checkToken(url: URL, signal?: AbortSignal): Promise<void>;
}

/** Settings of a guard. */
export interface GuardOptions {
  /** Private hosts that the operator permits: `host`, `host:port` or CIDR, with IPv6 addresses in brackets. */
  readonly allow: readonly string[];
  /** Resolves all addresses of a name; the system's resolver by default. */
  readonly lookup?: (hostname: string) => Promise<readonly { address: string; family: number }[]>;
  /** Maximum wait for the resolver, in milliseconds. */
  readonly lookupTimeout?: number;
}

const openPorts = new Set(["80", "443", "3000", "8000", "8080", "8443"]);
/** Some hosts serve SSH at port 443 too, as networks may close the other one. */
const openSshPorts = new Set(["22", "443"]);

/** Hosts at which clouds serve credentials to their machines. Refused even if they resolve to public addresses. */
const metadataNames = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
  "metadata.tencentyun.com",
]);

/**
 * Creates a guard that permits public addresses and the entries of `allow`.
 * @throws Error that names a malformed entry of `allow`
 */
export function createGuard({
  allow,
  lookup = (hostname) => lookupAddress(hostname, { all: true }),
  lookupTimeout = 10_000,
}: GuardOptions): Guard {
  const allowed = parseAllowList(allow);
  const isAllowedHost = (url: URL): boolean => {
    const host = toHostName(url);
    return allowed.hosts.has(host) || allowed.hosts.has(`${host}:${portOf(url)}`);
  };
  const isAllowedAddress = ({ address, family }: HostAddress): boolean =>
    allowed.ranges.check(address, family === 4 ? "ipv4" : "ipv6");

  function checkResolved(url: URL, address: HostAddress): void {
    if (isAllowedAddress(address)) return;
    if (!isPublicAddress(address))
      throw new Failure(
        "address_not_allowed",
        `${url.hostname} has a private or reserved address, which is not fetched. ` +
          `An operator can permit it by adding ${url.host} to FETCH_ALLOW.`,
      );
    if (!isOpenPort(url)) throw portRefused(url);
  }

  function checkUrl(url: URL): void {
    if (url.protocol !== "http:" && url.protocol !== "https:")
      throw new Failure("validation_error", `Only http and https addresses are fetched, not ${url.protocol}`);
    checkAddress(url);
  }

  function checkAddress(url: URL): void {
    const isSsh = url.protocol === "ssh:";
    if (!isSsh && !/^https?:$/.test(url.protocol)) return checkUrl(url);
    if ((url.username !== "" && !isSsh) || url.password !== "")
      throw new Failure(
        "validation_error",
        "The address contains a user name or password. Give credentials in their own field, never in the address.",
      );
    if (url.hostname === "") throw new Failure("validation_error", "The address has no host.");
    if (isAllowedHost(url)) return;
    const name = toHostName(url);
    if (metadataNames.has(name))
      throw new Failure("address_not_allowed", `${name} is a metadata server, which is never fetched.`);
    const isLocalName = name === "localhost" || name.endsWith(".localhost");
    const literal = isLocalName ? ({ address: "127.0.0.1", family: 4 } as const) : toLiteralAddress(url.hostname);
    if (literal !== undefined) checkResolved(url, literal);
    // A range may allow the port. That is known once the name is resolved.
    else if (!isOpenPort(url) && !allowed.hasRanges) throw portRefused(url);
  }

  async function addressesOf({ hostname }: URL, signal: AbortSignal | undefined): Promise<readonly HostAddress[]> {
    const literal = toLiteralAddress(hostname);
    return literal ? [literal] : resolveName(hostname, lookup, lookupTimeout, signal);
  }

  return {
    checkUrl,
    checkAddress,
    async resolve(url, signal) {
      checkAddress(url);
      const addresses = await addressesOf(url, signal);
      if (!isAllowedHost(url)) for (const address of addresses) checkResolved(url, address);
      return addresses;
    },
    async checkToken(url, signal) {
      if (url.protocol !== "http:" || isAllowedHost(url)) return;
      let cause: unknown;
      if (allowed.hasRanges) {
        try {
          if ((await addressesOf(url, signal)).every(isAllowedAddress)) return;
        } catch (error) {
          // A name that does not resolve is in no allowed range.
          if (!(error instanceof Failure)) throw error;
          cause = error;
        }
      }
      throw new Failure(
        "address_not_allowed",
        `A token for ${url.host} would be sent over plain http, where others can read it. Give an address with https. ` +
          `An operator can permit it by adding ${url.host} to FETCH_ALLOW.`,
        { cause },
      );
    },
  };
}

interface AllowList {
  /** Host names and addresses, IPv6 in brackets, optionally with a port. */
  readonly hosts: ReadonlySet<string>;
  readonly ranges: BlockList;
  readonly hasRanges: boolean;
}

function parseAllowList(entries: readonly string[]): AllowList {
  const hosts = new Set<string>();
  const ranges: string[] = [];
  for (const entry of entries) {
    const range = entry.replace(/[[\]]/g, "");
    if (entry.includes("/")) {
      parseEntry(entry, () => toBlockList([range]));
      ranges.push(range);
    } else hosts.add(parseEntry(entry, () => parseHost(entry)));
  }
  return { hosts, ranges: toBlockList(ranges), hasRanges: ranges.length > 0 };
}

function parseHost(entry: string): string {
  const match = /^(?<host>\[[\da-f:.]+\]|[^\s:/?#@[\]\\%*]+)(?::(?<port>\d{1,5}))?$/i.exec(entry);
  const { host, port } = match?.groups ?? {};
  if (host === undefined || Number(port ?? 1) > 65_535 || Number(port ?? 1) === 0) throw new Error("no host");
  // Parsing it as a URL normalises names and addresses, so that they can be compared.
  const name = toHostName(new URL(`http://${host}`));
  return port === undefined ? name : `${name}:${Number(port)}`;
}

function parseEntry<T>(entry: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new Error(
      `FETCH_ALLOW has the entry "${entry}". Give a host, a host:port or an address range such as 10.0.0.0/8, with IPv6 addresses in brackets.`,
      { cause },
    );
  }
}

async function resolveName(
  hostname: string,
  lookup: NonNullable<GuardOptions["lookup"]>,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<readonly HostAddress[]> {
  signal?.throwIfAborted();
  const settled = new AbortController();
  // A lookup cannot be cancelled, so only the wait for it ends.
  const interrupted = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(unreachable(hostname, "its name could not be resolved in time")), timeout);
    settled.signal.addEventListener("abort", () => clearTimeout(timer));
    signal?.addEventListener("abort", () => reject(signal.reason), { signal: settled.signal });
  });
  const resolving = lookup(hostname).catch((cause: unknown) => {
    throw unreachable(hostname, "no such host is known", cause);
  });
  const results = await Promise.race([resolving, interrupted]).finally(() => settled.abort());
  const addresses = results.flatMap(({ address }) => toLiteralAddress(address) ?? []);
  if (addresses.length === 0) throw unreachable(hostname, "the name has no addresses");
  return addresses;
}

function unreachable(hostname: string, reason: string, cause?: unknown): Failure {
  return new Failure("source_unreachable", `${hostname} is out of reach: ${reason}. Check the address.`, { cause });
}

function portRefused(url: URL): Failure {
  return new Failure(
    "address_not_allowed",
    `Port ${portOf(url)} is not allowed. An operator can permit it by adding ${url.host} to FETCH_ALLOW.`,
  );
}

function toHostName(url: URL): string {
  return url.hostname.toLowerCase().replace(/(?<!\.)\.+$/, "");
}

/** The port of a URL, which may be that of its scheme. */
export function portOf(url: URL): string {
  return url.port === "" ? ({ "https:": "443", "ssh:": "22" }[url.protocol] ?? "80") : url.port;
}

function isOpenPort(url: URL): boolean {
  return (url.protocol === "ssh:" ? openSshPorts : openPorts).has(portOf(url));
}

/** An IP address that a host name resolves to. */
export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * IPv4 ranges that are not globally reachable (IANA special-purpose address registry), and 168.63.129.16, a public address that is the
 * metadata server inside Azure.
 */
const specialV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/** IPv6 ranges inside 2000::/3 that are not ordinary public addresses: Teredo and its neighbours, 6to4, documentation. */
const specialV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "2620:4f:8000::/48"];

const special = toBlockList([...specialV4, ...specialV6]);
/** Global IPv6 unicast. Everything outside (mapped, NAT64, ULA, link-local, site-local, multicast, loopback) is refused. */
const globalV6 = toBlockList(["2000::/3"]);

/** Whether an address is reachable from the whole Internet. IPv6 addresses are given without brackets. */
function isPublicAddress({ address, family }: HostAddress): boolean {
  const type = family === 4 ? "ipv4" : "ipv6";
  return (family === 4 || globalV6.check(address, "ipv6")) && !special.check(address, type);
}

/** The IP address in a URL's `hostname`; undefined for a name. */
function toLiteralAddress(hostname: string): HostAddress | undefined {
  const address = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  const family = isIP(address);
  return family === 4 || family === 6 ? { address, family } : undefined;
}

/** A lookup that returns these addresses without a resolver, so that connections go to checked addresses. */
export function toPinnedLookup(addresses: readonly HostAddress[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family ?? 4);
  };
}

/**
 * A list of ranges in CIDR notation, IPv6 without brackets.
 * @throws Error that names an invalid range
 */
function toBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [, address = "", bits = ""] = /^([^/]*)\/(\d{1,3})$/.exec(range) ?? [];
    const family = isIP(address);
    if (family === 0 || Number(bits) > (family === 4 ? 32 : 128))
      throw new Error(`"${range}" is not an address range.`);
    list.addSubnet(address, Number(bits), family === 4 ? "ipv4" : "ipv6");
  }
  return list;
}
