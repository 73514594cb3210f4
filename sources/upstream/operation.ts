import { BrokenCircuitError, BulkheadRejectedError, TaskCancelledError, type IPolicy } from "cockatiel";
import { LRUCache } from "lru-cache";
import { Failure } from "../../domain/failures.ts";
import type { UpstreamResult } from "../../domain/telemetry.ts";
import type { FetchClient, FetchResponse } from "../lib/fetch/client.ts";
import { Trouble, refusalOf, toTrouble } from "./refusals.ts";

/** A question to the upstream, with the parser of its answer. */
export interface Question<Answer> {
  /** The required media type of the answer. */
  readonly accept: "application/json" | "text/plain";
  /** The library in question; absent for a search. */
  readonly libraryId?: string;
  /** It is for a page, which other servers of this API may lack. */
  readonly ofPage?: boolean;
  /** Parses the text of an answer. Aborting the signal ends it. @throws Failure source_invalid */
  read(text: string, signal: AbortSignal): Promise<Answer>;
}

/** The outcome of a request to the upstream. */
export interface UpstreamRequestOutcome {
  readonly operation: "search" | "context";
  readonly result: UpstreamResult;
  /** In milliseconds. */
  readonly duration: number;
  /** The problem, for the log; absent if it was logged before. */
  readonly reason?: string;
}

/** Settings for calling one operation of the upstream. */
export interface OperationOptions {
  readonly operation: UpstreamRequestOutcome["operation"];
  readonly client: Pick<FetchClient, "request">;
  /** Key of this server; null without one. */
  readonly apiKey: string | null;
  /** Limits concurrent requests and their time, and rejects them while the upstream is down. */
  readonly policy: IPolicy;
  /** Cap on an answer, and on all cached ones, in bytes. */
  readonly maxBytes: number;
  readonly maxKept: number;
  /** End of the pause that the upstream has requested; shared by all operations. */
  readonly pause: { until: number };
  readonly now: () => number;
  onAsked(asked: UpstreamRequestOutcome): void;
}

/** One operation of the upstream, with a cache of its answers. */
export interface UpstreamOperation<Answer> {
  /** The cached answer, if it is fresh. */
  cached(address: URL): Answer | undefined;
  /** The answer to a request. Concurrent callers with the same address share it. @throws Failure about the library; Trouble */
  ask(address: URL, question: Question<Answer>): Promise<Answer>;
}

/** A cached answer, the same for all callers, as requests contain nothing about them. */
interface Cached<Answer> {
  readonly answer: Answer;
  readonly etag: string | undefined;
  readonly size: number;
  readonly mayKeep: boolean;
}

/** A new answer, and its freshness lifetime in milliseconds. */
interface Fresh<Answer> {
  readonly kept: Cached<Answer>;
  readonly age: number;
}

/** Default and maximum freshness lifetime of an answer, in milliseconds. */
const defaultAge = 60_000;
const maxAge = 3_600_000;
/** Cap on the body of a refusal, in bytes. */
const maxRefusal = 20_000;

/** Creates an operation. Stale cached answers are revalidated by their ETags. */
export function createOperation<Answer extends object>(options: OperationOptions): UpstreamOperation<Answer> {
  const { operation, client, apiKey, policy, maxBytes, maxKept, pause, now, onAsked } = options;
  const cache = new LRUCache<string, Cached<Answer>, Question<Answer>>({
    maxSize: maxKept,
    sizeCalculation: ({ size }) => size,
    ttl: defaultAge,
    // A stale answer is kept for its ETag, even if the request fails.
    noDeleteOnStaleGet: true,
    noDeleteOnFetchRejection: true,
    ignoreFetchAbort: true,
    fetchMethod: async (href, stale, { options: entryOptions, context }) => {
      const { kept, age } = await requestAndReport(new URL(href), context, stale);
      entryOptions.ttl = Math.max(1, age);
      return kept;
    },
  });

  async function requestAndReport(address: URL, question: Question<Answer>, stale: Cached<Answer> | undefined) {
    const started = now();
    const report = (result: UpstreamResult, reason?: string): void =>
      onAsked({ operation, result, duration: now() - started, ...(reason !== undefined && { reason }) });
    try {
      const wait = pause.until - started;
      if (wait > 0)
        throw new Trouble("limited", "it has requested a pause", { retryAfter: wait / 1000, isLogged: true });
      const answer = await policy.execute(async ({ signal }) => {
        const result = await request(address, question, stale, signal).catch((error: unknown) => {
          throw toTrouble(error, signal);
        });
        if (result instanceof Error) throw result;
        return result;
      });
      report("answered");
      return answer;
    } catch (error) {
      if (error instanceof Failure) {
        report("refused");
        throw error;
      }
      const trouble = troubleOf(error);
      if (trouble.retryAfter !== undefined && trouble.result === "limited")
        pause.until = Math.max(pause.until, now() + trouble.retryAfter * 1000);
      report(trouble.result, trouble.isLogged ? undefined : trouble.message);
      throw trouble;
    }
  }

  async function request(
    address: URL,
    { accept, libraryId, ofPage, read }: Question<Answer>,
    stale: Cached<Answer> | undefined,
    signal: AbortSignal,
  ): Promise<Fresh<Answer> | Failure | Trouble> {
    const response = await client.request(address, {
      headers: {
        accept,
        // A server that gets this header asks no upstream itself: two upstreams of each other would never stop.
        "x-lectern-upstream": "asked",
        ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
        ...(stale?.etag !== undefined && { "if-none-match": stale.etag }),
      },
      signal,
      maxBytes,
      followRedirects: false,
    });
    const { status, headers } = response;
    if (status === 304 && stale) {
      response.discard();
      return { kept: stale, age: ageOf(headers) };
    }
    if (status !== 200) return refusalOf(status, headers, await bodyOf(response), { libraryId, ofPage }, now());
    const type = headers["content-type"] ?? "";
    if (type.split(";")[0]?.trim().toLowerCase() !== accept) {
      response.discard();
      return new Trouble("invalid", `it answered as ${JSON.stringify(type.slice(0, 80))}, not as ${accept}`);
    }
    const text = await response.text();
    const answer = await read(text, signal);
    const mayKeep = !/\bno-store\b/i.test(headers["cache-control"] ?? "");
    return { kept: { answer, etag: headers["etag"], size: text.length + 1, mayKeep }, age: ageOf(headers) };
  }

  return {
    cached: (address) => cache.get(address.href)?.answer,
    async ask(address, question) {
      const { href } = address;
      const kept = await cache.fetch(href, { context: question });
      if (!kept) throw new Error("The cache has no answer after a request.");
      if (!kept.mayKeep) cache.delete(href);
      return kept.answer;
    },
  };
}

function troubleOf(error: unknown): Trouble {
  if (error instanceof Trouble) return error;
  if (error instanceof TaskCancelledError) return new Trouble("slow", "it did not answer in time", { cause: error });
  if (error instanceof BrokenCircuitError)
    return new Trouble("open", "it failed too often, and requests are paused", { cause: error, isLogged: true });
  if (error instanceof BulkheadRejectedError)
    return new Trouble("busy", "too many requests to it are open", { cause: error, isLogged: true });
  return new Trouble("failed", "the request failed unexpectedly", { cause: error });
}

/** Freshness lifetime of an answer, in milliseconds (RFC 9111 §5.2.2); 0 if it is stale at once. */
function ageOf(headers: FetchResponse["headers"]): number {
  const control = headers["cache-control"] ?? "";
  if (/\bno-(?:store|cache)\b/i.test(control)) return 0;
  const [, seconds] = /\bmax-age=(\d{1,9})/i.exec(control) ?? [];
  return seconds === undefined ? defaultAge : Math.min(Number(seconds) * 1000, maxAge);
}

/** The body of a refusal; "" if it is too long to be an error of this API. */
async function bodyOf(response: FetchResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxRefusal) {
      response.discard();
      return "";
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
