import { createMemoryLimiter } from "./memory-limiter.ts";
import { operator, type Caller } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
import type { LimiterState } from "../domain/ports.ts";
import { createProxyCheck, networkOf, plainAddress } from "./ip-addresses.ts";
import type { ApiOptions, ApiSettings } from "./options.ts";
import type { ApiRequest } from "./request.ts";

/** The rate limits, each counted separately. */
export type LimitKind = "read" | "submission" | "open";

/**
 * Counts requests: by key and teamspace, or by address without a key.
 * @throws Error naming an entry of trustedProxies that is neither an address nor a CIDR block
 */
export function createLimits({ limiter, settings, ports }: Pick<ApiOptions, "limiter" | "settings" | "ports">) {
  const isProxy = createProxyCheck(settings.trustedProxies);
  // Open routes are counted in memory, as health checks have to be answered without PostgreSQL.
  const openLimiter = createMemoryLimiter();

  /** The limit of the caller's teamspace; 0: none. */
  function teamspaceLimit(kind: LimitKind, { keyId }: Caller): number {
    if (kind === "open" || keyId === null || keyId === operator.keyId) return 0;
    return kind === "submission" ? settings.rateLimitTeamspaceSubmissions : settings.rateLimitTeamspaceReads;
  }

  /** Counts a request for the caller's teamspace, given the requests of its key; undefined: the teamspace has no limit. */
  async function takeOfTeamspace(kind: LimitKind, caller: Caller, used: number): Promise<LimiterState | undefined> {
    const limit = teamspaceLimit(kind, caller);
    if (limit === 0) return undefined;
    const bucket = `${kind}:teamspace:${caller.teamspace}`;
    const current = await limiter.look(bucket, limit);
    // A single key cannot use up the limit of its teamspace: it is refused earlier, without being counted.
    if (used > current.remaining) return { ...current, allowed: false, remaining: 0 };
    return limiter.take(bucket, limit);
  }

  return {
    /** The client's address: the last one that is not a trusted proxy. */
    address({ headers, remoteAddress }: Pick<ApiRequest, "headers" | "remoteAddress">): string {
      let address = plainAddress(remoteAddress) ?? remoteAddress;
      const forwarded = headers["x-forwarded-for"]?.split(",") ?? [];
      while (isProxy(address)) {
        const client = plainAddress(forwarded.pop() ?? "");
        if (client === undefined) break;
        address = client;
      }
      return address;
    },

    /** Counts a request. Returns the RateLimit headers of its answer, and the failure if it exceeds the limit. */
    async take(kind: LimitKind, caller: Caller, address: string) {
      const keyLimit = kind === "submission" ? settings.rateLimitSubmissions : settings.rateLimitReads;
      const [client, limit] =
        caller.keyId === null
          ? [`address:${networkOf(address)}`, settings.rateLimitAnonymous]
          : [`key:${caller.keyId}`, keyLimit];
      const own = await (kind === "open" ? openLimiter : limiter).take(`${kind}:${client}`, limit);
      const shared = own.allowed ? await takeOfTeamspace(kind, caller, limit - own.remaining) : undefined;
      // The headers are those of the limit with the least remaining.
      const state = shared && (!shared.allowed || shared.remaining < own.remaining) ? shared : own;
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

/** Maximum number of open streams of a process: each reads the catalog once a second. */
const maxStreams = 200;

/** Retry-After at a limit of streams, in seconds, as the end of a stream is unknown. */
const retryAfter = 30;

/** Limits open streams per key, and in total. */
export function createStreams({ streamsPerKey }: Pick<ApiSettings, "streamsPerKey">) {
  const byKey = new Map<string, number>();
  let all = 0;
  return {
    /**
     * Counts a stream, and returns an idempotent function that ends it.
     * @throws Failure rate_limit_exceeded at the limit of the key, service_unavailable at that of the process
     */
    open({ keyId }: Pick<Caller, "keyId">): () => void {
      const key = keyId ?? "";
      const own = byKey.get(key) ?? 0;
      const instead = "Close one, or ask /api/v2/libs/status instead.";
      if (own >= streamsPerKey) {
        const message = `This key has ${own} status streams open, the maximum. ${instead}`;
        throw new Failure("rate_limit_exceeded", message, { retryAfter });
      }
      if (all >= maxStreams) {
        const message = "Too many status streams are open. Ask /api/v2/libs/status instead.";
        throw new Failure("service_unavailable", message, { retryAfter });
      }
      all += 1;
      byKey.set(key, own + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        all -= 1;
        const left = (byKey.get(key) ?? 1) - 1;
        if (left === 0) byKey.delete(key);
        else byKey.set(key, left);
      };
    },
  };
}
