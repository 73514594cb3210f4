import { BlockList, isIP, type LookupFunction } from "node:net";

/** An IP address that a host name resolves to. */
export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * IPv4 ranges that are not reachable from everywhere (IANA special-purpose address registry), and 168.63.129.16, which
 * is public by number and the metadata server inside Azure.
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
export function isPublicAddress({ address, family }: HostAddress): boolean {
  const type = family === 4 ? "ipv4" : "ipv6";
  return (family === 4 || globalV6.check(address, "ipv6")) && !special.check(address, type);
}

/** The IP address in a URL's `hostname`; undefined for a name. */
export function toLiteralAddress(hostname: string): HostAddress | undefined {
  const address = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  const family = isIP(address);
  return family === 4 || family === 6 ? { address, family } : undefined;
}

/** A lookup that answers these addresses without asking a resolver: a connection goes to what was checked. */
export function toPinnedLookup(addresses: readonly HostAddress[]): LookupFunction {
  return (_hostname, { all }, found) => {
    const [first] = addresses;
    if (all === true) found(null, [...addresses]);
    else found(null, first?.address ?? "", first?.family ?? 4);
  };
}

/**
 * A list of ranges in CIDR notation, IPv6 without brackets.
 * @throws Error that names the range which is not valid
 */
export function toBlockList(ranges: readonly string[]): BlockList {
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
