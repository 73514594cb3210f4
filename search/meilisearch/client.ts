import { setTimeout as sleep } from "node:timers/promises";
import {
  Meilisearch,
  MeilisearchRequestError,
  MeilisearchRequestTimeOutError,
  MeilisearchApiError,
  type EnqueuedTask,
  type Index,
  type MultiSearchQuery,
  type MultiSearchResult,
  type Config,
  type MeilisearchErrorResponse,
} from "meilisearch";
import { Failure } from "../../domain/failures.ts";
import { createSilence } from "../../domain/silent-servers.ts";
import { searchCutoff, type IndexName } from "./settings.ts";
import { request } from "undici";

export interface MeilisearchOptions {
  readonly url: string;
  /** A key made by `setupMeilisearch`, which itself needs the master key. */
  readonly apiKey: string | null;
  /** Prefix of our index names. */
  readonly prefix: string;
  /** Timeout of a request in milliseconds, 10,000 by default; six times as long for writes. */
  readonly timeout?: number;
  /** Called when the server falls silent, and when it answers again. */
  readonly onSilent?: (isSilent: boolean) => void;
}

/** Options of waiting for a task. */
export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Called after each poll that finds the task unfinished. */
  readonly waiting?: () => void;
  /** A task that failed because its index is missing counts as done. */
  readonly missingIsFine?: boolean;
}

/** A Meilisearch server with our indexes. All its errors are a Failure search_failed. */
export interface MeilisearchServer {
  readonly prefix: string;
  /** The name of an index on the server. */
  nameOf(index: IndexName): string;
  /** Makes a request. */
  ask<T>(request: (client: Meilisearch) => Promise<T>): Promise<T>;
  /** Runs searches in one request. @throws Failure search_failed if the server cut one short */
  search(queries: readonly MultiSearchQuery[]): Promise<readonly MultiSearchResult<Record<string, unknown>>[]>;
  /** Enqueues a write on the server. Returns the uid of its task. */
  write(index: IndexName, request: (index: Index) => Promise<EnqueuedTask>): Promise<number>;
  /**
   * Waits until a task is done. An unknown task counts as done, as the server deletes old ones: check its effect if that
   * matters. @throws Failure search_failed if it failed; the signal's reason
   */
  finish(task: number, options?: WaitOptions): Promise<void>;
}

/** Polling interval of tasks, in milliseconds. It grows; the task of a small library takes 100. */
const firstPoll = 20;
const maxPollInterval = 250;

/** Creates a client, which sends nothing before it is used. */
export function createMeilisearch(options: MeilisearchOptions): MeilisearchServer {
  const { url, apiKey, prefix, timeout = 10_000, onSilent } = options;
  const config = {
    host: url,
    httpClient: send,
    ...(apiKey !== null && { apiKey }),
    // A compressed response takes 45 ms longer over loopback (measured on 1.50), and saves little within one network.
    requestInit: { headers: { "accept-encoding": "identity" } },
  };
  const client = new Meilisearch({ ...config, timeout });
  const writer = new Meilisearch({ ...config, timeout: 6 * timeout });
  const nameOf = (index: IndexName) => `${prefix}${index}`;
  const unlessSilent = createSilence({
    probe: (within) => new Meilisearch({ ...config, timeout: within }).health().catch(unlessAnswered),
    code: "search_failed",
    message: "Meilisearch does not answer. Check that it runs and can be reached, then try again.",
    ...(onSilent && { onChange: onSilent }),
  });
  const asking = async <T>(request: () => Promise<T>): Promise<T> => {
    try {
      return await unlessSilent(request);
    } catch (error) {
      throw toFailure(error);
    }
  };

  return {
    prefix,
    nameOf,
    ask: (request) => asking(() => request(client)),
    async search(queries) {
      const { results } = await asking(() => client.multiSearch({ queries: [...queries] }));
      if (results.some(({ processingTimeMs }) => processingTimeMs >= searchCutoff)) throw cutShort();
      return results;
    },
    async write(index, request) {
      const { taskUid } = await asking(() => request(writer.index(nameOf(index))));
      return taskUid;
    },
    async finish(task, { signal, waiting, missingIsFine = false } = {}) {
      for (let pause = firstPoll; ; pause = Math.min(maxPollInterval, 1.5 * pause)) {
        signal?.throwIfAborted();
        const state = await asking(() => client.tasks.getTask(task).catch(ignoreError("task_not_found")));
        if (state === undefined || state.status === "succeeded") return;
        if (state.status === "failed" || state.status === "canceled") {
          if (missingIsFine && state.error?.code === "index_not_found") return;
          throw failedTask(task, state.status, state.error);
        }
        waiting?.();
        await sleep(pause, undefined, signal && { signal }).catch((error: unknown) => {
          signal?.throwIfAborted();
          throw error;
        });
      }
    },
  };
}

/** Ignores an error response of the server, for `catch`. */
function unlessAnswered(error: unknown): void {
  if (apiError(error) === undefined) throw error;
}

function cutShort(): Failure {
  const message = `Meilisearch stopped a search after ${searchCutoff / 1000} s. Check its load, and try again in a moment.`;
  return new Failure("search_failed", message);
}

function failedTask(
  task: number,
  status: string,
  error: { readonly code: string; readonly message: string } | null,
): Failure {
  const cause = error === null ? undefined : new Error(error.message);
  if (error?.code === "index_not_found") return missingIndex(cause);
  const code = error === null ? "" : ` with ${error.code}`;
  const message = `Task ${task} of Meilisearch ${status}${code}. Its log says more. Try again when that is solved.`;
  return new Failure("search_failed", message, { cause });
}

/**
 * An error of the client as a Failure; other errors unchanged. API clients see the message, so the address and the server's own
 * message are only in the cause, for the log.
 */
function toFailure(error: unknown): unknown {
  const failure = (message: string) => new Failure("search_failed", message, { cause: error });
  const reported = apiError(error);
  if (reported !== undefined) {
    const { status } = reported.response;
    const code = reported.cause?.code;
    if (code === "index_not_found") return missingIndex(error);
    if (status === 401 || status === 403)
      return failure(
        "Meilisearch does not know the key in MEILI_API_KEY, or the key does not allow this. If its data was lost, run lectern setup: it recreates keys and indexes, and reloads everything. Otherwise set MEILI_API_KEY to the key that lectern setup shows.",
      );
    return failure(`Meilisearch answered ${status}${code === undefined ? "" : ` (${code})`}. Its log says more.`);
  }
  // A proxy often answers without JSON.
  if (error instanceof MeilisearchRequestError && error.cause instanceof SyntaxError)
    return failure("The server at MEILI_URL is not Meilisearch. Check that address and proxies in between.");
  if (error instanceof MeilisearchRequestError) {
    const late = error.cause instanceof MeilisearchRequestTimeOutError;
    return failure(
      late
        ? "Meilisearch did not answer in time. Check its load."
        : "Meilisearch is unreachable. Check MEILI_URL, and that it runs.",
    );
  }
  return error;
}

function missingIndex(cause: unknown): Failure {
  const message =
    "An index is missing in Meilisearch, as after its data was lost. Run lectern setup: it recreates the index, and reloads everything.";
  return new Failure("search_failed", message, { cause });
}

/**
 * Sends a request of the client package, and reads the JSON of the response. Node's fetch would take 2 ms longer for the 250 KB of
 * a question's hits.
 * @throws MeilisearchApiError for an error response; the client wraps it, see `apiError`
 */
const send: NonNullable<Config["httpClient"]> = async (input, { method, headers, body, signal } = {}) => {
  const response = await request(input instanceof Request ? input.url : input, {
    method: method === undefined ? "GET" : (method as "GET"),
    headers: Object.fromEntries(new Headers(headers)),
    // The client passes every body as text.
    body: typeof body === "string" ? body : null,
    signal: signal ?? null,
  });
  const text = await response.body.text();
  const parsed: unknown = text === "" ? undefined : JSON.parse(text);
  if (response.statusCode < 300) return parsed;
  throw new MeilisearchApiError(
    new Response(null, { status: response.statusCode }),
    // Errors of Meilisearch have this form; those of a proxy have no code.
    parsed as MeilisearchErrorResponse,
  );
};

/** The server's error in an error of the client; undefined for other errors. */
function apiError(error: unknown): MeilisearchApiError | undefined {
  const inner = error instanceof MeilisearchRequestError ? error.cause : error;
  return inner instanceof MeilisearchApiError ? inner : undefined;
}

/** Turns the server's error with this code into undefined, for `catch`. */
export function ignoreError(code: string): (error: unknown) => undefined {
  return (error) => {
    if (apiError(error)?.cause?.code === code) return undefined;
    throw error;
  };
}
