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
  type IPolicy,
  type Policy,
} from "cockatiel";
import { Failure } from "../../domain/failures.ts";
import {
  defaultLimit,
  defaultTokens,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamFound,
  type UpstreamPage,
  type UpstreamQuestion,
} from "../../domain/upstream.ts";
import { parseText, type ThreadPool } from "../lib/threads/thread-pool.ts";
import type { FetchClient } from "../lib/fetch/client.ts";
import type { ReceivedAnswer } from "./answers.ts";
import { createOperation, type UpstreamRequestOutcome, type Question, type UpstreamOperation } from "./operation.ts";
import { Trouble, unavailable } from "./refusals.ts";

export type { UpstreamRequestOutcome as AskedUpstream } from "./operation.ts";

/** Dependencies and settings of an upstream. Times are in milliseconds. */
export interface UpstreamOptions {
  /** Ends in `/api`. */
  readonly url: URL;
  /** This server's key for the upstream; null without one. */
  readonly apiKey: string | null;
  readonly client: Pick<FetchClient, "request">;
  /** Runs the parser of its answers, which may be large and hostile. */
  readonly pool: ThreadPool;
  /** Maximum number of concurrent requests to it, and of requests to this server that wait for it. */
  readonly atOnce: number;
  /** Deadlines of both operations, and of a search if a local library has the name. */
  readonly deadlines?: { readonly search: number; readonly context: number; readonly known: number };
  /** Time without requests to an upstream that is down. */
  readonly openFor?: number;
  readonly now: () => number;
  /** Called after each request, and instead of a request while the upstream is down. */
  onAsked(asked: UpstreamRequestOutcome): void;
}

/** An upstream that can be warmed up. */
export interface OpenUpstream extends Upstream {
  /** Loads the parser of answers, so that the first one does not wait for it. */
  warm(): Promise<void>;
}

/** Consecutive failures after which an upstream counts as down, and consecutive late searches after which no search waits. */
const failuresInARow = 5;
const lateInARow = 3;
/** Time for warming up, in milliseconds: long, as a starting machine is busy. */
const warmTime = 60_000;
/** Caps on an answer, and on all cached ones, in bytes. */
const searchBytes = 500_000;
const contextBytes = 1_000_000;
const searchesKept = 10_000_000;
const contextsKept = 30_000_000;

const reader = (name: string) => ({ module: new URL("answers.ts", import.meta.url), name });

/** Creates the upstream. Each question has a deadline; none is sent while the upstream is down. */
export function createUpstream(options: UpstreamOptions): OpenUpstream {
  const { url, apiKey, client, pool, atOnce, now, onAsked } = options;
  const { deadlines = { search: 3000, context: 2000, known: 500 }, openFor = 30_000 } = options;
  const inTime = (time: number): IPolicy => timeout(time, TimeoutStrategy.Aggressive);
  const isOutage = (error: unknown): boolean =>
    error instanceof TaskCancelledError || (error instanceof Trouble && error.isOutage);
  const breakAfter = (failures: Policy, count: number) =>
    circuitBreaker(failures, { halfOpenAfter: openFor, breaker: new ConsecutiveBreaker(count) });
  const down = breakAfter(handleWhen(isOutage), failuresInARow);
  let downUntil = 0;
  down.onBreak(() => (downUntil = now() + openFor));
  const requests = bulkhead(atOnce, 0);
  const pause = { until: 0 };
  const operationOf = <Answer extends object>(operation: "search" | "context", maxBytes: number, maxKept: number) => {
    const policy = wrap(requests, down, inTime(deadlines[operation]));
    return createOperation<Answer>({ client, apiKey, pause, now, onAsked, operation, policy, maxBytes, maxKept });
  };
  const searching = operationOf<UpstreamFound>("search", searchBytes, searchesKept);
  const answering = operationOf<UpstreamAnswer>("context", contextBytes, contextsKept);

  // Waiting requests are limited, so that this server can answer questions about its own libraries meanwhile.
  const waiting = bulkhead(atOnce, 0);
  const late = breakAfter(handleType(TaskCancelledError), lateInARow);
  const forSearch = wrap(waiting, inTime(deadlines.search));
  const forKnown = wrap(waiting, late, inTime(deadlines.known));
  const forContext = wrap(waiting, inTime(deadlines.context));

  const parse = <Answer>(name: string, input: object, signal: AbortSignal): Promise<Answer> =>
    parseText({ pool, signal }, reader(name), input, "The answer of the upstream");

  function addressOf(path: string, query: Readonly<Record<string, string | undefined>>): URL {
    const address = new URL(`${url.href.replace(/\/$/, "")}${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) address.searchParams.set(name, value);
    return address;
  }

  /** The cached answer, or that of a request. The policy limits the wait. */
  async function answerTo<Answer>(
    { cached, ask }: UpstreamOperation<Answer>,
    address: URL,
    policy: IPolicy,
    question: Question<Answer>,
  ): Promise<Answer> {
    const kept = cached(address);
    if (kept) return kept;
    const answer = ask(address, question);
    // The request continues after the wait, so that its answer is cached. `onAsked` reports its failure.
    answer.catch(() => undefined);
    return policy.execute(() => answer);
  }

  /** The answer of an operation about a library. */
  async function read(
    address: URL,
    libraryId: string,
    { type, ...limits }: Pick<ReceivedAnswer, "type" | "tokens" | "limit">,
  ): Promise<UpstreamAnswer> {
    try {
      return await answerTo(answering, address, forContext, {
        accept: type === "json" ? "application/json" : "text/plain",
        libraryId,
        ofPage: address.pathname.endsWith("/v2/page"),
        read: (text, signal) =>
          parse<UpstreamAnswer>("readAnswer", { text, type, ...limits } satisfies ReceivedAnswer, signal),
      });
    } catch (error) {
      if (error instanceof Failure || !isRefusal(error)) throw error;
      throw unavailable(
        error instanceof Trouble ? error : new Trouble("slow", "the wait for it has ended", { cause: error }),
      );
    }
  }

  return {
    host: url.host,
    isDown: () => now() < downUntil,
    async search({ name, query }, known) {
      const address = addressOf("/v2/libs/search", { libraryName: name, query });
      try {
        return await answerTo(searching, address, known ? forKnown : forSearch, {
          accept: "application/json",
          read: (text, signal) => parse<UpstreamFound>("readFound", { text }, signal),
        });
      } catch (error) {
        if (isRefusal(error)) return undefined;
        throw error;
      }
    },

    ask({ libraryId, query, type, tokens, limit, kind, language }: UpstreamQuestion) {
      const address = addressOf("/v2/context", {
        libraryId,
        query,
        type,
        tokens: tokens === defaultTokens ? undefined : String(tokens),
        limit: limit === defaultLimit ? undefined : String(limit),
        kind,
        language,
      });
      return read(address, libraryId, { type, tokens, limit });
    },

    readPage({ libraryId, page, section, from, tokens }: UpstreamPage) {
      const address = addressOf("/v2/page", {
        libraryId,
        page,
        section,
        from: from === undefined ? undefined : String(from),
        tokens: tokens === defaultTokens ? undefined : String(tokens),
      });
      return read(address, libraryId, { type: "txt", tokens, limit: defaultLimit });
    },

    warm: async () => void (await parse("readFound", { text: '{"results":[]}' }, AbortSignal.timeout(warmTime))),
  };
}

/** Whether the upstream caused an error: it refuses, is late or down, or too many requests wait for it. */
function isRefusal(error: unknown): boolean {
  return [Failure, Trouble, TaskCancelledError, BrokenCircuitError, BulkheadRejectedError].some(
    (kind) => error instanceof kind,
  );
}
