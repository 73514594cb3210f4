import {
  circuitBreaker,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleAll,
  handleWhen,
  isBrokenCircuitError,
  retry,
} from "cockatiel";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { Failure } from "../../domain/failures.ts";
import { signedBytes } from "../../domain/meaning.ts";
import type { Embedder } from "../../domain/ports.ts";
import type { EmbeddingResult } from "../../domain/telemetry.ts";
import { postJson, reasonOf, StatusError } from "../lib/fetch/own-server.ts";

/** Settings and dependencies of an embedder. */
export interface EmbedderOptions {
  /** Base of an OpenAI-compatible API of the operator's own choice, which may be in any network. */
  readonly url: URL;
  readonly model: string;
  /** Sent as a bearer token; null without one. */
  readonly apiKey: string | null;
  /** Deadline of a question, connection included, in milliseconds. */
  readonly deadline?: number;
  /** Time without questions after some consecutive failures, in milliseconds. */
  readonly openFor?: number;
  /** Called when a question got its embedding, or did not, after a time in milliseconds; with the reason of a failure. */
  readonly onQuestion?: (result: EmbeddingResult, duration: number, reason?: string) => void;
}

/** Deadline of the passages of a request, with all attempts: less than the heartbeat timeout of a step, in milliseconds. */
const passageDeadline = 90_000;
/** Consecutive failed questions after which none is sent for a while. */
const failuresInARow = 3;
/** Maximum length of a text, in characters: models read some hundreds of tokens. */
const maxText = 2000;
const maxDimensions = 4096;
/** Cap on an answer, in bytes for each value. */
const maxValue = 32;
/** Number of questions whose embeddings are kept. */
const keptQuestions = 500;

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int(), embedding: z.array(z.number()).min(1).max(maxDimensions) })),
});

/** Creates the client of an embeddings server: Ollama, TEI, vLLM or a hosted one. */
export function createEmbedder(options: EmbedderOptions): Embedder {
  const { url, model, apiKey: token, deadline = 300, openFor = 10_000, onQuestion } = options;
  const endpoint = new URL(`${url.href.replace(/\/$/, "")}/embeddings`);
  const down = circuitBreaker(handleAll, { halfOpenAfter: openFor, breaker: new ConsecutiveBreaker(failuresInARow) });
  const limited = retry(
    handleWhen((error) => error instanceof StatusError && error.status === 429),
    { maxAttempts: 5, backoff: new ExponentialBackoff({ initialDelay: 500, maxDelay: 8000 }) },
  );
  const questions = new LRUCache<string, Int8Array>({ max: keptQuestions });

  async function ask(texts: readonly string[], signal: AbortSignal): Promise<readonly Int8Array[]> {
    const input = texts.map((text) => text.slice(0, maxText).toWellFormed());
    const maxAnswer = (texts.length + 1) * maxDimensions * maxValue;
    const answer = await postJson({ url: endpoint, token, body: { model, input }, signal, maxAnswer });
    const { data } = answerSchema.parse(answer);
    const sorted = data.toSorted((a, b) => a.index - b.index);
    if (sorted.length !== texts.length || sorted.some(({ index }, at) => index !== at))
      throw new Error(`its answer does not have a vector for each of ${texts.length} texts`);
    if (sorted.some(({ embedding }) => embedding.length !== sorted[0]?.embedding.length))
      throw new Error("the vectors of its answer differ in length");
    return sorted.map(({ embedding }) => signedBytes(embedding));
  }

  return {
    model,
    async embed(texts, signal) {
      try {
        const within = AbortSignal.any([signal, AbortSignal.timeout(passageDeadline)]);
        return await limited.execute(() => ask(texts, within), within);
      } catch (error) {
        signal.throwIfAborted();
        const message = `The embeddings server at ${url.host} does not work: ${reasonOf(error, "an embeddings API")}. Start it, or check EMBEDDINGS_URL, EMBEDDINGS_MODEL and EMBEDDINGS_API_KEY.`;
        throw new Failure("service_unavailable", message, { cause: error });
      }
    },
    async ofQuestion(text) {
      const known = questions.get(text);
      const startedAt = performance.now();
      const end = (result: EmbeddingResult, reason?: string): void =>
        onQuestion?.(result, performance.now() - startedAt, reason);
      if (known !== undefined) {
        end("cached");
        return known;
      }
      try {
        const [embedding] = await down.execute(() => ask([text], AbortSignal.timeout(deadline)));
        if (embedding !== undefined) questions.set(text, embedding);
        end("answered");
        return embedding;
      } catch (error) {
        const isSlow = error instanceof Error && error.name === "TimeoutError";
        end(isBrokenCircuitError(error) ? "open" : isSlow ? "slow" : "failed", reasonOf(error, "an embeddings API"));
        return undefined;
      }
    },
  };
}
