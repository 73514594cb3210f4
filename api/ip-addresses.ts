import { BlockList, isIP } from "node:net";

/** A predicate for addresses of trusted proxies. @throws Error naming an entry that is neither an address nor a CIDR block */
export function createProxyCheck(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    const longest = family === "ipv6" ? 128 : 32;
    const length = bits === undefined ? longest : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (isIP(address) === 0 || !(length <= longest)) {
      throw new Error(`"${entry}" in TRUSTED_PROXIES is neither an address nor a CIDR block such as 10.0.0.0/8.`);
    }
    list.addSubnet(address, length, family);
  }
  return (text) => {
    const address = plainAddress(text) ?? text;
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
  };
}

/** An address without port, brackets, zone and IPv4 mapping; undefined for anything else. */
export function plainAddress(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^\[([^\]]*)\](?::\d+)?$/, "$1")
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1")
    .replace(/%.*/, "")
    .replace(/^::ffff:(\d+\.\d+\.\d+\.\d+)$/i, "$1");
  return isIP(bare) === 0 ? undefined : bare.toLowerCase();
}

/** The network of one client: an IPv4 address, or the /64 of an IPv6 one. Anything else stays as it is. */
export function networkOf(text: string): string {
  const address = plainAddress(text) ?? text;
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array.from({ length: zeros }, () => "0"), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether a host to listen on is a loopback address. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  return host === "localhost" || (family !== 0 && loopback.check(host, family === 6 ? "ipv6" : "ipv4"));
}
