import { operator } from "../domain/access.ts";
import type { Caller } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
import type { LimiterState } from "../domain/ports.ts";
import { createProxyCheck, networkOf, plainAddress } from "./addresses.ts";
import { createMemoryLimiter } from "./memory-limiter.ts";
import type { ApiOptions } from "./options.ts";
import type { ApiRequest } from "./request.ts";

/** What requests are counted as, each apart from the others. */
export type LimitKind = "read" | "submission" | "open";

/** Counts requests: keys by key and by teamspace, everybody else by address. */
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
  // Open routes ask for nothing that processes share, and health checks have to be answered without PostgreSQL.
  const own = createMemoryLimiter();

  /** What a teamspace may have, where it is limited and the caller has a key of its own. */
  function teamspaceLimit(kind: LimitKind, { keyId }: Caller): number {
    if (kind === "open" || keyId === null || keyId === operator.keyId) return 0;
    return kind === "submission" ? settings.rateLimitTeamspaceSubmissions : settings.rateLimitTeamspaceReads;
  }

  /** Counts a request that the key's own limit allows for its teamspace; undefined where the teamspace has no limit. */
  async function takeOfTeamspace(kind: LimitKind, caller: Caller, used: number): Promise<LimiterState | undefined> {
    const limit = teamspaceLimit(kind, caller);
    if (limit === 0) return undefined;
    const bucket = `${kind}:teamspace:${caller.teamspace}`;
    const before = await limiter.look(bucket, limit);
    // A key has no more than is left for the others: it is refused before it takes what they need, and is not counted then.
    if (used > before.remaining) return { ...before, allowed: false, remaining: 0 };
    return limiter.take(bucket, limit);
  }

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
      const ofKey = kind === "submission" ? settings.rateLimitSubmissions : settings.rateLimitReads;
      const [who, allowed] =
        caller.keyId === null
          ? [`address:${networkOf(address)}`, settings.rateLimitAnonymous]
          : [`key:${caller.keyId}`, ofKey];
      const taken = await (kind === "open" ? own : limiter).take(`${kind}:${who}`, allowed);
      const shared = taken.allowed ? await takeOfTeamspace(kind, caller, allowed - taken.remaining) : undefined;
      // The headers are those of the limit that is reached first.
      const state = shared && (!shared.allowed || shared.remaining < taken.remaining) ? shared : taken;
      const headers = {
        "RateLimit-Limit": String(state.limit),
        "RateLimit-Remaining": String(state.remaining),
        "RateLimit-Reset": String(Math.ceil((ports.now() + state.resetIn) / 1000)),
      };
      if (state.allowed) return { headers };
      const retryAfter = Math.max(1, Math.ceil(state.resetIn / 1000));
      const hint = caller.keyId === null && kind !== "open" ? " A key has a higher limit." : "";
      const whose = state === shared ? ` to the keys of the teamspace "${caller.teamspace}" together` : "";
      const message = `Too many requests: ${state.limit} a minute are allowed${whose}. Try again in ${retryAfter} s.${hint}`;
      return { headers, failure: new Failure("rate_limit_exceeded", message, { retryAfter }) };
    },
  };
}
