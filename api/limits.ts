import { BlockList, isIP } from "node:net";

import type { Caller } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
import type { ApiOptions } from "./options.ts";
import type { ApiRequest } from "./request.ts";

/** Counts requests: reads and submissions apart, keys by key, everybody else by address. */
interface Limits {
  /** The client's address: the last one that no trusted proxy has. */
  address(request: Pick<ApiRequest, "headers" | "remoteAddress">): string;
  /** Counts one request: the RateLimit headers of its answer, and the failure where it is one too many. */
  take(
    kind: "read" | "submission",
    caller: Caller,
    address: string,
  ): Promise<{ headers: Record<string, string>; failure?: Failure }>;
}

/** @throws Error naming an entry of trustedProxies that is no address and no CIDR block */
export function createLimits({ limiter, settings, ports }: Pick<ApiOptions, "limiter" | "settings" | "ports">): Limits {
  const proxies = parseProxies(settings.trustedProxies);

  return {
    address({ headers, remoteAddress }) {
      let address = plainAddress(remoteAddress) ?? remoteAddress;
      const forwarded = headers["x-forwarded-for"]?.split(",") ?? [];
      while (trusted(proxies, address)) {
        const before = plainAddress(forwarded.pop() ?? "");
        if (before === undefined) break;
        address = before;
      }
      return address;
    },

    async take(kind, caller, address) {
      const own = kind === "read" ? settings.rateLimitReads : settings.rateLimitSubmissions;
      const [who, allowed] =
        caller.keyId === null
          ? [`address:${network(address)}`, settings.rateLimitAnonymous]
          : [`key:${caller.keyId}`, own];
      const state = await limiter.take(`${kind}:${who}`, allowed);
      const headers = {
        "RateLimit-Limit": String(state.limit),
        "RateLimit-Remaining": String(state.remaining),
        "RateLimit-Reset": String(Math.ceil((ports.now() + state.resetIn) / 1000)),
      };
      if (state.allowed) return { headers };
      const retryAfter = Math.max(1, Math.ceil(state.resetIn / 1000));
      const hint = caller.keyId === null ? " A key has a higher limit." : "";
      const message = `Too many requests: ${state.limit} a minute are allowed. Try again in ${retryAfter} s.${hint}`;
      return { headers, failure: new Failure("rate_limit_exceeded", message, { retryAfter }) };
    },
  };
}

function parseProxies(entries: readonly string[]): BlockList {
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
  return list;
}

function trusted(proxies: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && proxies.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** An address without port, brackets, zone and IPv4 mapping; undefined for anything else. */
function plainAddress(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^\[([^\]]*)\](?::\d+)?$/, "$1")
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1")
    .replace(/%.*$/, "")
    .replace(/^::ffff:(\d+\.\d+\.\d+\.\d+)$/i, "$1");
  return isIP(bare) === 0 ? undefined : bare.toLowerCase();
}

/** What one household has: an IPv4 address, or the first 64 bits of an IPv6 one. */
function network(address: string): string {
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
