import { BrokenCircuitError, BulkheadRejectedError, TaskCancelledError } from "cockatiel";
import type { IPolicy } from "cockatiel";
import { LRUCache } from "lru-cache";
import { Failure } from "../../domain/failures.ts";
import type { UpstreamResult } from "../../domain/telemetry.ts";
import type { FetchClient, FetchResponse } from "../fetch/client.ts";
import { Trouble, refusalOf, toTrouble } from "./refusals.ts";

/** What is asked of the upstream, and what is read of its answer. */
interface Question<Told> {
  /** Media type that the answer has to have. */
  readonly accept: "application/json" | "text/plain";
  /** The library that is asked about; absent for a search. */
  readonly libraryId?: string;
  /** Reads the text of an answer, until the signal. @throws Failure source_invalid */
  read(text: string, signal: AbortSignal): Promise<Told>;
}

/** A request to the upstream that ended. */
export interface AskedUpstream {
  readonly operation: "search" | "context";
  readonly result: UpstreamResult;
  /** In milliseconds. */
  readonly duration: number;
  /** What was wrong, for the log; absent: nothing. */
  readonly reason?: string;
}

/** How one operation of the upstream is asked. */
export interface AskingOptions {
  readonly operation: AskedUpstream["operation"];
  readonly client: Pick<FetchClient, "request">;
  /** Key of this server; null: none. */
  readonly apiKey: string | null;
  /** Limits requests at once and their time, and keeps from asking an upstream that is down. */
  readonly policy: IPolicy;
  /** Cap on an answer, and on all that are kept, in bytes. */
  readonly maxBytes: number;
  readonly maxKept: number;
  /** How long the upstream wants to be left alone, over all operations. */
  readonly pause: { until: number };
  readonly now: () => number;
  onAsked(asked: AskedUpstream): void;
}

/** Asks one operation of the upstream. */
export interface Asking<Told> {
  /** The answer that is kept and still fresh. */
  kept(address: URL): Told | undefined;
  /** The answer to the one request for all who ask the same at a time. @throws Failure about the library; Trouble */
  ask(address: URL, question: Question<Told>): Promise<Told>;
}

/** An answer as it is kept: whoever asks the same gets the same, as nothing of the asker is sent. */
interface Kept<Told> {
  readonly told: Told;
  readonly etag: string | undefined;
  readonly size: number;
  readonly mayKeep: boolean;
}

/** An answer that has just come, and how long it is fresh, in milliseconds. */
interface Fresh<Told> {
  readonly kept: Kept<Told>;
  readonly age: number;
}

/** How long an answer is fresh where the upstream does not say so, and at most, in milliseconds. */
const usualAge = 60_000;
const longestAge = 3_600_000;
/** Cap on the body of what is no answer, in bytes. */
const maxRefusal = 20_000;

/** Creates what asks one operation, with a cache of its answers: what is not fresh any more is asked for by its ETag. */
export function createAsking<Told extends object>(options: AskingOptions): Asking<Told> {
  const { operation, client, apiKey, policy, maxBytes, maxKept, pause, now, onAsked } = options;
  const cache = new LRUCache<string, Kept<Told>, Question<Told>>({
    maxSize: maxKept,
    sizeCalculation: ({ size }) => size,
    ttl: usualAge,
    // What is kept is asked for again by its ETag, and is kept if that fails.
    noDeleteOnStaleGet: true,
    noDeleteOnFetchRejection: true,
    ignoreFetchAbort: true,
    fetchMethod: async (href, held, { options: keep, context }) => {
      const { kept, age } = await timed(new URL(href), context, held);
      keep.ttl = Math.max(1, age);
      return kept;
    },
  });

  async function timed(address: URL, question: Question<Told>, held: Kept<Told> | undefined) {
    const started = now();
    const tell = (result: UpstreamResult, reason?: string): void =>
      onAsked({ operation, result, duration: now() - started, ...(reason !== undefined && { reason }) });
    try {
      const wait = pause.until - started;
      if (wait > 0)
        throw new Trouble("limited", "it wants to be left alone", { retryAfter: wait / 1000, untold: true });
      const answer = await policy.execute(({ signal }) => request(address, question, held, signal));
      tell("answered");
      return answer;
    } catch (error) {
      if (error instanceof Failure) {
        tell("refused");
        throw error;
      }
      const trouble = named(error);
      if (trouble.retryAfter !== undefined && trouble.result === "limited")
        pause.until = Math.max(pause.until, now() + trouble.retryAfter * 1000);
      tell(trouble.result, trouble.untold ? undefined : trouble.message);
      throw trouble;
    }
  }

  async function request(
    address: URL,
    question: Question<Told>,
    held: Kept<Told> | undefined,
    signal: AbortSignal,
  ): Promise<Fresh<Told>> {
    const answer = await exchange(address, question, held, signal).catch((error: unknown) => {
      throw toTrouble(error, signal);
    });
    if ("refusal" in answer) throw answer.refusal;
    return answer;
  }

  async function exchange(
    address: URL,
    { accept, libraryId, read }: Question<Told>,
    held: Kept<Told> | undefined,
    signal: AbortSignal,
  ): Promise<Fresh<Told> | { readonly refusal: Failure | Trouble }> {
    const response = await client.request(address, {
      headers: {
        accept,
        // A server that is asked so asks no upstream of its own: two that name each other would ask for ever.
        "x-lectern-upstream": "asked",
        ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
        ...(held?.etag !== undefined && { "if-none-match": held.etag }),
      },
      signal,
      maxBytes,
      followRedirects: false,
    });
    const { status, headers } = response;
    if (status === 304 && held) {
      response.discard();
      return { kept: held, age: ageOf(headers) };
    }
    if (status !== 200) return { refusal: refusalOf(status, headers, await beginningOf(response), libraryId, now()) };
    const type = headers["content-type"] ?? "";
    if (type.split(";")[0]?.trim().toLowerCase() !== accept) {
      response.discard();
      const reason = `it answered as ${JSON.stringify(type.slice(0, 80))}, not as ${accept}`;
      return { refusal: new Trouble("invalid", reason) };
    }
    const text = await response.text();
    const told = await read(text, signal);
    const mayKeep = !/\bno-store\b/i.test(headers["cache-control"] ?? "");
    return { kept: { told, etag: headers["etag"], size: text.length + 1, mayKeep }, age: ageOf(headers) };
  }

  return {
    kept: (address) => cache.get(address.href)?.told,
    async ask(address, question) {
      const { href } = address;
      const kept = await cache.fetch(href, { context: question });
      if (!kept) throw new Error("An answer of the upstream was asked for and is not there.");
      if (!kept.mayKeep) cache.delete(href);
      return kept.told;
    },
  };
}

/** The errors of the policies as what they mean. */
function named(error: unknown): Trouble {
  if (error instanceof Trouble) return error;
  if (error instanceof TaskCancelledError) return new Trouble("slow", "it did not answer in time", { cause: error });
  if (error instanceof BrokenCircuitError)
    return new Trouble("open", "it failed too often, and is not asked for a while", { cause: error, untold: true });
  if (error instanceof BulkheadRejectedError)
    return new Trouble("busy", "too much is asked of it already", { cause: error, untold: true });
  return new Trouble("failed", "asking it failed unexpectedly", { cause: error });
}

/** How long an answer is fresh, in milliseconds (RFC 9111 §5.2.2); 0: it has to be asked for again. */
function ageOf(headers: FetchResponse["headers"]): number {
  const control = headers["cache-control"] ?? "";
  if (/\bno-(?:store|cache)\b/i.test(control)) return 0;
  const [, seconds] = /\bmax-age=(\d{1,9})/i.exec(control) ?? [];
  return seconds === undefined ? usualAge : Math.min(Number(seconds) * 1000, longestAge);
}

/** What a body begins with: of a refusal only the error is read, and one that is longer has none. */
async function beginningOf(response: FetchResponse): Promise<string> {
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
