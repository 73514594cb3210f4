import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  circuitBreaker,
  ConsecutiveBreaker,
  handleType,
  handleWhen,
  TaskCancelledError,
  timeout,
  TimeoutStrategy,
  wrap,
} from "cockatiel";
import type { IPolicy } from "cockatiel";
import { Failure } from "../../domain/failures.ts";
import { defaultLimit, defaultTokens } from "../../domain/upstream.ts";
import type { Upstream, UpstreamAnswer, UpstreamFound, UpstreamQuestion } from "../../domain/upstream.ts";
import { parseText } from "../../threads/parse-text.ts";
import type { ThreadPool } from "../../threads/thread-pool.ts";
import type { FetchClient } from "../fetch/client.ts";
import { createAsking } from "./asking.ts";
import type { AskedUpstream } from "./asking.ts";
import type { ReceivedAnswer } from "./answers.ts";
import { Trouble, unavailable } from "./refusals.ts";

export type { AskedUpstream } from "./asking.ts";

/** What an upstream is asked with. Times are in milliseconds. */
export interface UpstreamOptions {
  /** Ends in `/api`. */
  readonly url: URL;
  /** Key of this server for it; null: none. */
  readonly apiKey: string | null;
  readonly client: Pick<FetchClient, "request">;
  /** Where its answers are read: they may be large, and hostile. */
  readonly pool: ThreadPool;
  /** Requests to it, and requests of ours that wait for it, at once. */
  readonly atOnce: number;
  /** Deadlines of both operations, and how long a search waits that local libraries answer by name. */
  readonly deadlines?: { readonly search: number; readonly context: number; readonly known: number };
  /** How long an upstream that is down is not asked. */
  readonly openFor?: number;
  readonly now: () => number;
  /** Is told of each request to it, and of each that was not made because it is down. */
  onAsked(asked: AskedUpstream): void;
}

/** An upstream, and what makes it ready. */
export interface OpenUpstream extends Upstream {
  /** Loads what reads its answers, so that the first one does not wait for that. */
  warm(): Promise<void>;
}

/** Failures one after the other from which on an upstream counts as down; and searches that were late from which on none waits. */
const failuresInARow = 5;
const lateInARow = 3;
/** Time to load what reads answers, in milliseconds: a machine that starts has much to do. */
const warmTime = 60_000;
/** Caps in bytes: on an answer, and on those that are kept. */
const searchBytes = 500_000;
const contextBytes = 1_000_000;
const searchesKept = 10_000_000;
const contextsKept = 30_000_000;

const reader = (name: string) => ({ module: new URL("answers.ts", import.meta.url), name });

/** Creates what asks an upstream: each question within its deadline, and not at all while it is down. */
export function createUpstream(options: UpstreamOptions): OpenUpstream {
  const { url, apiKey, client, pool, atOnce, now, onAsked } = options;
  const { deadlines = { search: 3000, context: 2000, known: 500 }, openFor = 30_000 } = options;
  const inTime = (time: number): IPolicy => timeout(time, TimeoutStrategy.Aggressive);
  const isOutage = (error: unknown): boolean =>
    error instanceof TaskCancelledError || (error instanceof Trouble && error.isOutage);
  const down = circuitBreaker(handleWhen(isOutage), {
    halfOpenAfter: openFor,
    breaker: new ConsecutiveBreaker(failuresInARow),
  });
  let downUntil = 0;
  down.onBreak(() => (downUntil = now() + openFor));
  const requests = bulkhead(atOnce, 0);
  const shared = { client, apiKey, pause: { until: 0 }, now, onAsked };
  const searching = createAsking<UpstreamFound>({
    ...shared,
    operation: "search",
    policy: wrap(requests, down, inTime(deadlines.search)),
    maxBytes: searchBytes,
    maxKept: searchesKept,
  });
  const answering = createAsking<UpstreamAnswer>({
    ...shared,
    operation: "context",
    policy: wrap(requests, down, inTime(deadlines.context)),
    maxBytes: contextBytes,
    maxKept: contextsKept,
  });

  // Whoever waits holds a place among the requests that this server answers at once: local questions need the others.
  const waiting = bulkhead(atOnce, 0);
  const late = circuitBreaker(handleType(TaskCancelledError), {
    halfOpenAfter: openFor,
    breaker: new ConsecutiveBreaker(lateInARow),
  });
  const forSearch = wrap(waiting, inTime(deadlines.search));
  const forKnown = wrap(waiting, late, inTime(deadlines.known));
  const forContext = wrap(waiting, inTime(deadlines.context));

  /** Reads a text on a thread. */
  const read = <Told>(name: string, input: object, signal: AbortSignal): Promise<Told> =>
    parseText({ pool, signal }, reader(name), input, "The answer of the upstream");

  function addressOf(path: string, query: Readonly<Record<string, string | undefined>>): URL {
    const address = new URL(`${url.href.replace(/\/$/, "")}${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) address.searchParams.set(name, value);
    return address;
  }

  return {
    host: url.host,
    isDown: () => now() < downUntil,
    async search({ name, query }, known) {
      const address = addressOf("/v2/libs/search", { libraryName: name, query });
      const kept = searching.kept(address);
      if (kept) return kept;
      const asked = searching.ask(address, {
        accept: "application/json",
        read: (text, signal) => read<UpstreamFound>("readFound", { text }, signal),
      });
      // It goes on where nobody waits for it, and the next search has its answer; whoever counts requests has heard of its failure.
      asked.catch(() => undefined);
      try {
        return await (known ? forKnown : forSearch).execute(() => asked);
      } catch (error) {
        if (isRefusal(error)) return undefined;
        throw error;
      }
    },

    async ask({ libraryId, query, type, tokens, limit, kind, language }: UpstreamQuestion) {
      const address = addressOf("/v2/context", {
        libraryId,
        query,
        type,
        tokens: tokens === defaultTokens ? undefined : String(tokens),
        limit: limit === defaultLimit ? undefined : String(limit),
        kind,
        language,
      });
      const kept = answering.kept(address);
      if (kept) return kept;
      const asked = answering.ask(address, {
        accept: type === "json" ? "application/json" : "text/plain",
        libraryId,
        read: (text, signal) =>
          read<UpstreamAnswer>("readAnswer", { text, type, tokens, limit } satisfies ReceivedAnswer, signal),
      });
      asked.catch(() => undefined);
      try {
        return await forContext.execute(() => asked);
      } catch (error) {
        if (error instanceof Failure || !isRefusal(error)) throw error;
        throw unavailable(
          error instanceof Trouble ? error : new Trouble("slow", "nobody waits for it any longer", { cause: error }),
        );
      }
    },

    warm: async () => void (await read("readFound", { text: '{"results":[]}' }, AbortSignal.timeout(warmTime))),
  };
}

/** What is no error of ours: the upstream refuses, is late or down, or too many wait for it. */
function isRefusal(error: unknown): boolean {
  return [Failure, Trouble, TaskCancelledError, BrokenCircuitError, BulkheadRejectedError].some(
    (kind) => error instanceof kind,
  );
}
