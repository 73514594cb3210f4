import type { Caller } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
import { createProxyCheck, networkOf, plainAddress } from "./addresses.ts";
import type { ApiOptions } from "./options.ts";
import type { ApiRequest } from "./request.ts";

/** What requests are counted as, each apart from the others. */
export type LimitKind = "read" | "submission" | "open";

/** Counts requests: keys by key, everybody else by address. */
interface Limits {
  /** The client's address: the last one that no trusted proxy has. */
  address(request: Pick<ApiRequest, "headers" | "remoteAddress">): string;
  /** Counts one request: the RateLimit headers of its answer, and the failure where it is one too many. */
  take(
    kind: LimitKind,
    caller: Caller,
    address: string,
  ): Promise<{ headers: Record<string, string>; failure?: Failure }>;
}

/** @throws Error naming an entry of trustedProxies that is no address and no CIDR block */
export function createLimits({ limiter, settings, ports }: Pick<ApiOptions, "limiter" | "settings" | "ports">): Limits {
  const isProxy = createProxyCheck(settings.trustedProxies);

  return {
    address({ headers, remoteAddress }) {
      let address = plainAddress(remoteAddress) ?? remoteAddress;
      const forwarded = headers["x-forwarded-for"]?.split(",") ?? [];
      while (isProxy(address)) {
        const before = plainAddress(forwarded.pop() ?? "");
        if (before === undefined) break;
        address = before;
      }
      return address;
    },

    async take(kind, caller, address) {
      const own = kind === "submission" ? settings.rateLimitSubmissions : settings.rateLimitReads;
      const [who, allowed] =
        caller.keyId === null
          ? [`address:${networkOf(address)}`, settings.rateLimitAnonymous]
          : [`key:${caller.keyId}`, own];
      const state = await limiter.take(`${kind}:${who}`, allowed);
      const headers = {
        "RateLimit-Limit": String(state.limit),
        "RateLimit-Remaining": String(state.remaining),
        "RateLimit-Reset": String(Math.ceil((ports.now() + state.resetIn) / 1000)),
      };
      if (state.allowed) return { headers };
      const retryAfter = Math.max(1, Math.ceil(state.resetIn / 1000));
      const hint = caller.keyId === null && kind !== "open" ? " A key has a higher limit." : "";
      const message = `Too many requests: ${state.limit} a minute are allowed. Try again in ${retryAfter} s.${hint}`;
      return { headers, failure: new Failure("rate_limit_exceeded", message, { retryAfter }) };
    },
  };
}
