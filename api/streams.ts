import type { Caller } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
import type { ApiSettings } from "./options.ts";

/** The open streams, in total and by key. */
export interface Streams {
  /**
   * Counts a stream, and returns an idempotent function that ends it.
   * @throws Failure rate_limit_exceeded at the limit of the key, service_unavailable at that of the process
   */
  open(caller: Pick<Caller, "keyId">): () => void;
}

/** Maximum number of open streams of a process: each reads the catalog once a second. */
const maxStreams = 200;

/** Seconds until a retry: when a stream will end is unknown. */
const retryAfter = 30;

/** Counts streams, so that no key uses up those of all. */
export function createStreams({ streamsPerKey }: Pick<ApiSettings, "streamsPerKey">): Streams {
  const byKey = new Map<string, number>();
  let all = 0;
  return {
    open({ keyId }) {
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
